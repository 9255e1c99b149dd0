/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A hundred thousand points come in one by one, so their text goes into one chunk, kernels and
 * other words that repeat only once. A session without a value keeps its place: it is a gap in the
 * line and nothing to the tests, which know an order and no time.
 */
#include "trend-internal.h"

#include "conditionsdiff.h"
#include "message.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TREND_CHUNK 16384

static enum trend_unit unit_of(const char *figure)
{
	if (strcmp(figure, "missed") == 0 || strcmp(figure, "lost") == 0)
		return TREND_NUMBER;
	return strcmp(figure, "within") == 0 ? TREND_SHARE : TREND_TIME;
}

static void shift_free(gpointer data)
{
	struct trend_shift *s = data;

	g_ptr_array_unref(s->changed);
	g_free(s);
}

struct trend *trend_new(const struct trend_options *o)
{
	struct trend *t = g_new0(struct trend, 1);

	t->options.plan = g_strdup(o->plan ?: "");
	t->options.stage = g_strdup(o->stage ?: "");
	t->options.figure = g_strdup(o->figure ?: "max");
	t->options.by_kernel = o->by_kernel;
	t->unit = unit_of(t->options.figure);
	t->text = g_string_chunk_new(TREND_CHUNK);
	t->points = g_array_new(FALSE, FALSE, sizeof(struct trend_point));
	t->known = g_array_new(FALSE, FALSE, sizeof(guint));
	t->shifts = g_ptr_array_new_with_free_func(shift_free);
	t->levels = g_array_new(FALSE, FALSE, sizeof(struct trend_level));
	return t;
}

struct trend *trend_free(struct trend *t)
{
	if (!t)
		return NULL;
	g_free((char *)t->options.plan);
	g_free((char *)t->options.stage);
	g_free((char *)t->options.figure);
	g_string_chunk_free(t->text);
	g_array_unref(t->points);
	g_array_unref(t->known);
	g_ptr_array_unref(t->shifts);
	g_array_unref(t->levels);
	g_clear_pointer(&t->kernels, g_array_unref);
	g_free(t);
	return NULL;
}

void trend_add(struct trend *t, const struct trend_point *p)
{
	struct trend_point copy = *p;

	copy.id = g_string_chunk_insert(t->text, p->id ?: "");
	copy.kernel = g_string_chunk_insert_const(t->text, p->kernel ?: "");
	if (!isfinite(copy.value))
		copy.value = NAN;
	g_array_append_val(t->points, copy);
}

/* --- levels --- */

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void level_count(struct trend_level *l, const struct trend_point *p, GArray *values)
{
	l->sessions++;
	l->fail += p->verdict == VERDICT_FAIL;
	l->inconclusive += p->verdict == VERDICT_INCONCLUSIVE;
	if (!isnan(p->value))
		g_array_append_val(values, p->value);
}

static void level_close(struct trend_level *l, GArray *values)
{
	const double *v = (const double *)(const void *)values->data;
	guint n = values->len;

	l->known = n;
	l->median = l->low = l->high = NAN;
	if (n == 0)
		return;
	qsort(values->data, n, sizeof(double), compare_doubles);
	l->median = n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
	l->low = v[0];
	l->high = v[n - 1];
}

static struct trend_level level_of(const struct trend *t, guint from, guint to)
{
	g_autoptr(GArray) values = g_array_new(FALSE, FALSE, sizeof(double));
	struct trend_level l = { .kernel = "", .from = from, .to = to };

	for (guint i = from; i <= to; i++)
		level_count(&l, trend_point(t, i), values);
	level_close(&l, values);
	return l;
}

static void finish_levels(struct trend *t)
{
	guint from = 0;

	for (guint i = 0; i <= t->shifts->len; i++) {
		guint next = i < t->shifts->len ? trend_shift(t, i)->at : t->points->len;
		struct trend_level l = level_of(t, from, next - 1);

		g_array_append_val(t->levels, l);
		from = next;
	}
}

struct kernel_level {
	struct trend_level level;
	GArray *values;
};

static void kernel_level_clear(gpointer data)
{
	g_array_unref(((struct kernel_level *)data)->values);
}

/* A kernel's sessions need not follow one another. */
static void finish_kernels(struct trend *t)
{
	g_autoptr(GHashTable) index = g_hash_table_new(g_str_hash, g_str_equal);
	g_autoptr(GArray) all = g_array_new(FALSE, FALSE, sizeof(struct kernel_level));

	g_array_set_clear_func(all, kernel_level_clear);
	for (guint i = 0; i < t->points->len; i++) {
		const struct trend_point *p = trend_point(t, i);
		guint at = GPOINTER_TO_UINT(g_hash_table_lookup(index, p->kernel));
		struct kernel_level *k;

		if (at == 0) {
			struct kernel_level new = {
				.level = { .kernel = p->kernel, .from = i },
				.values = g_array_new(FALSE, FALSE, sizeof(double)),
			};

			g_array_append_val(all, new);
			at = all->len;
			g_hash_table_insert(index, (gpointer)p->kernel, GUINT_TO_POINTER(at));
		}
		k = &g_array_index(all, struct kernel_level, at - 1);
		k->level.to = i;
		level_count(&k->level, p, k->values);
	}
	t->kernels = g_array_new(FALSE, FALSE, sizeof(struct trend_level));
	for (guint i = 0; i < all->len; i++) {
		struct kernel_level *k = &g_array_index(all, struct kernel_level, i);

		level_close(&k->level, k->values);
		g_array_append_val(t->kernels, k->level);
	}
}

/* --- shifts --- */

static void finish_shift(struct trend *t, const struct changepoint *c)
{
	struct trend_shift *s = g_new0(struct trend_shift, 1);

	s->found = *c;
	s->at = g_array_index(t->known, guint, c->at);
	s->last = g_array_index(t->known, guint, c->at - 1);
	s->changed = g_ptr_array_new_with_free_func((GDestroyNotify)conditionsdiff_free);
	g_ptr_array_add(t->shifts, s);
}

void trend_finish(struct trend *t)
{
	g_autofree double *values = g_new(double, t->points->len);
	struct changepoint found[TREND_SHIFTS_MAX];
	size_t n;

	for (guint i = 0; i < t->points->len; i++) {
		if (isnan(trend_point(t, i)->value))
			continue;
		values[t->known->len] = trend_point(t, i)->value;
		g_array_append_val(t->known, i);
	}
	n = changepoint_find(values, t->known->len, found, TREND_SHIFTS_MAX);
	for (size_t i = 0; i < n; i++)
		finish_shift(t, &found[i]);
	if (t->points->len == 0)
		return;
	t->all = level_of(t, 0, t->points->len - 1);
	finish_levels(t);
	if (t->options.by_kernel)
		finish_kernels(t);
}

size_t trend_shifts(const struct trend *t)
{
	return t->shifts->len;
}

void trend_shift_sessions(const struct trend *t, size_t i, const char **ret_before,
			  const char **ret_after)
{
	const struct trend_shift *s = trend_shift(t, (guint)i);

	*ret_before = trend_point(t, s->last)->id;
	*ret_after = trend_point(t, s->at)->id;
}

void trend_shift_conditions(struct trend *t, size_t i, const json_t *before, const json_t *after)
{
	struct trend_shift *s = t->shifts->pdata[i];

	s->compared = before && after;
	if (!s->compared)
		return;
	g_ptr_array_unref(s->changed);
	s->changed = conditionsdiff_new(before, after);
}

int trend_render(const char *format, const struct trend *t, const struct report_options *o,
		 GString *out, char **ret_message)
{
	static const struct report_options defaults;
	g_autoptr(GString) names = g_string_new(NULL);

	for (const struct trend_format *const *f = trend_formats; *f; f++) {
		if (g_strcmp0((*f)->name, format) == 0)
			return (*f)->render(t, o ? o : &defaults, out, ret_message);
		g_string_append_printf(names, "%s%s", names->len ? ", " : "", (*f)->name);
	}
	return message_fail(ret_message, -EINVAL, "There is no trend format \"%s\"; there are %s.",
			    format, names->str);
}
