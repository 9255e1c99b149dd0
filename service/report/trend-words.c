/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a trend says in words and tables, the same in every format for people. */
#include "trend-internal.h"

#include "cell.h"
#include "conditionsdiff.h"
#include "duration.h"

#include <math.h>
#include <string.h>

#define PPM_PER_PERCENT 1e4

char *trend_title(const struct trend *t)
{
	g_autofree char *stage = cell_text(t->options.stage), *plan = cell_text(t->options.plan);

	return g_strdup_printf("%s of stage %s over the sessions of plan %s", t->options.figure,
			       stage, plan);
}

const char *trend_unit_name(const struct trend *t)
{
	static const char *const names[] = {
		[TREND_TIME] = "us",
		[TREND_NUMBER] = "",
		[TREND_SHARE] = "%",
	};

	return names[t->unit];
}

char *trend_value(const struct trend *t, double value)
{
	if (isnan(value))
		return NULL;
	switch (t->unit) {
	case TREND_TIME:
		return cell_us((uint64_t)(value + 0.5), t->all.median < 1e4 ? 2 : 1);
	case TREND_SHARE:
		return number_format(value / PPM_PER_PERCENT, 4);
	default:
		return number_format(value, value == trunc(value) ? 0 : 1);
	}
}

static char *value_with_unit(const struct trend *t, double value)
{
	g_autofree char *text = trend_value(t, value);
	const char *unit = trend_unit_name(t);

	return g_strdup_printf("%s%s%s", text ?: "-", *unit ? " " : "", unit);
}

double trend_percent(const struct trend_shift *s)
{
	double percent = (s->found.after / s->found.before - 1) * 100;

	/* round() takes halves away from zero */
	return isfinite(percent) ? round(percent * 10) / 10 : NAN;
}

char *trend_change(const struct trend_shift *s)
{
	double percent = trend_percent(s);
	g_autofree char *text = isnan(percent) ? NULL : number_format(fabs(percent), 1);

	return text ? g_strdup_printf("%s%s %%", percent < 0 ? "-" : "+", text) : NULL;
}

char *trend_day(uint64_t usec)
{
	g_autofree char *text = usec ? cell_time(usec, false) : NULL;

	if (text && strlen(text) > 10)
		text[10] = '\0';
	return g_strdup(text ?: "-");
}

static void summary_count(GString *text, unsigned n, const char *what)
{
	if (n > 0)
		g_string_append_printf(text, ", %u %s", n, what);
}

char *trend_summary(const struct trend *t)
{
	const struct trend_level *l = &t->all;
	g_autoptr(GString) text = g_string_new(NULL);
	g_autofree char *from = NULL, *to = NULL;

	if (t->points->len == 0)
		return g_strdup("There is no session.");
	from = trend_day(trend_point(t, l->from)->started_usec);
	to = trend_day(trend_point(t, l->to)->started_usec);
	g_string_printf(text, "%u session%s from %s to %s", l->sessions,
			l->sessions == 1 ? "" : "s", from, to);
	summary_count(text, l->sessions - l->known, "without this figure");
	summary_count(text, l->fail, "failed");
	summary_count(text, l->inconclusive, "inconclusive");
	g_string_append_c(text, '.');
	return g_strdup(text->str);
}

static char *p_text(double p)
{
	return p < 0.0001 ? g_strdup("below 0.0001") : number_format(p, 4);
}

char *trend_shift_text(const struct trend *t, const struct trend_shift *s)
{
	const struct trend_point *at = trend_point(t, s->at);
	g_autofree char *before = value_with_unit(t, s->found.before);
	g_autofree char *after = value_with_unit(t, s->found.after);
	g_autofree char *day = trend_day(at->started_usec), *id = cell_text(at->id);
	g_autofree char *change = trend_change(s), *p = p_text(s->found.p);

	return g_strdup_printf("from %s (%s) on: median %s, was %s%s%s; p %s%s.", id, day, after,
			       before, change ? ", " : "", change ?: "", p,
			       s->found.fresh ? ", fresh: only the last few sessions show it" : "");
}

char **trend_changed_lines(const struct trend_shift *s)
{
	GPtrArray *lines = g_ptr_array_new();

	if (!s->compared)
		g_ptr_array_add(lines, g_strdup("What changed there is not known."));
	else if (s->changed->len == 0)
		g_ptr_array_add(lines, g_strdup("Nothing that is known changed there."));
	for (guint i = 0; i < s->changed->len; i++) {
		const struct conditionsdiff *d = s->changed->pdata[i];

		g_ptr_array_add(lines,
				g_strdup_printf("%s: %s -> %s%s", d->what, *d->a ? d->a : "-",
						*d->b ? d->b : "-",
						d->costly ? " (known to cost latency)" : ""));
	}
	g_ptr_array_add(lines, NULL);
	return (char **)g_ptr_array_free(lines, FALSE);
}

char *trend_alarm_text(const struct trend *t)
{
	if (t->known->len < 10)
		return g_strdup("Shifts are looked for from 10 sessions on.");
	return g_strdup(
		"In a series without a shift one is found in about 1 % of looks, in 2 % when "
		"sessions resemble those before them; each look is a chance of its own.");
}

/* --- tables --- */

static struct trend_table *table_make(const char *caption, guint words, const char *const *titles)
{
	struct trend_table *table = g_new0(struct trend_table, 1);

	table->caption = caption;
	table->words = words;
	table->titles = g_ptr_array_new_with_free_func(g_free);
	table->rows = g_ptr_array_new_with_free_func((GDestroyNotify)g_ptr_array_unref);
	for (; *titles; titles++)
		g_ptr_array_add(table->titles, g_strdup(*titles));
	return table;
}

void trend_table_free(struct trend_table *table)
{
	if (!table)
		return;
	g_ptr_array_unref(table->titles);
	g_ptr_array_unref(table->rows);
	g_free(table);
}

static GPtrArray *table_add(struct trend_table *table)
{
	GPtrArray *row = g_ptr_array_new_with_free_func(g_free);

	g_ptr_array_add(table->rows, row);
	return row;
}

static void row_add_level(GPtrArray *row, const struct trend *t, const struct trend_level *l)
{
	g_ptr_array_add(row, cell_count(l->sessions));
	g_ptr_array_add(row, trend_value(t, l->median));
	g_ptr_array_add(row, trend_value(t, l->low));
	g_ptr_array_add(row, trend_value(t, l->high));
}

struct trend_table *trend_table_levels(const struct trend *t)
{
	static const char *const titles[] = { "since",	"first session", "sessions", "median",
					      "lowest", "highest",	 "change",   NULL };
	struct trend_table *table = table_make("Levels between shifts", 2, titles);

	for (guint i = 0; i < t->levels->len; i++) {
		const struct trend_level *l = trend_level(t->levels, i);
		const struct trend_point *p = trend_point(t, l->from);
		GPtrArray *row = table_add(table);

		g_ptr_array_add(row, trend_day(p->started_usec));
		g_ptr_array_add(row, cell_text(p->id));
		row_add_level(row, t, l);
		g_ptr_array_add(row, i ? trend_change(trend_shift(t, i - 1)) : NULL);
	}
	return table;
}

struct trend_table *trend_table_kernels(const struct trend *t)
{
	static const char *const titles[] = { "kernel", "since",   "sessions", "median",
					      "lowest", "highest", NULL };
	struct trend_table *table;

	if (!t->kernels)
		return NULL;
	table = table_make("By kernel", 2, titles);
	for (guint i = 0; i < t->kernels->len; i++) {
		const struct trend_level *l = trend_level(t->kernels, i);
		GPtrArray *row = table_add(table);

		g_ptr_array_add(row, *l->kernel ? cell_text(l->kernel) : NULL);
		g_ptr_array_add(row, trend_day(trend_point(t, l->from)->started_usec));
		row_add_level(row, t, l);
	}
	return table;
}

struct trend_table *trend_table_newest(const struct trend *t)
{
	static const char *const titles[] = { "started", "session", "kernel",
					      "verdict", "value",   NULL };
	struct trend_table *table = table_make("The newest sessions", 4, titles);
	guint from = t->points->len > TREND_NEWEST ? t->points->len - TREND_NEWEST : 0;

	for (guint i = from; i < t->points->len; i++) {
		const struct trend_point *p = trend_point(t, i);
		const char *verdict = verdict_to_string(p->verdict);
		GPtrArray *row = table_add(table);

		g_ptr_array_add(row, trend_day(p->started_usec));
		g_ptr_array_add(row, cell_text(p->id));
		g_ptr_array_add(row, *p->kernel ? cell_text(p->kernel) : NULL);
		g_ptr_array_add(row, verdict && *verdict ? g_strdup(verdict) : NULL);
		g_ptr_array_add(row, trend_value(t, p->value));
	}
	return table;
}
