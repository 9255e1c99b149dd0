/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How much a row spans (-b) is not printed, and rows without samples are left out, so that the
 * distance of two rows says little. What is taken is the smallest span that all rows are multiples
 * of and that the minima and maxima, which lie in the first and the last row of their columns, can
 * lie in: it is never more than the real one, and samples above the table are never said to be
 * longer than they are known to be.
 */
#include "rtlahist.h"

#include <errno.h>
#include <string.h>

#define RTLAHIST_COLUMNS_MAX SOURCE_CPUS_MAX /* each is as large as a CPU elsewhere */
#define RTLAHIST_STEP_MAX    999999	     /* rtla takes no larger one */

static void rtlahist_column_free(struct rtlahist_column *c)
{
	g_array_unref(c->rows);
	g_free(c);
}

void rtlahist_done(struct rtlahist *h)
{
	g_clear_pointer(&h->columns, g_ptr_array_unref);
	g_clear_pointer(&h->missed, g_free);
}

/* "IRQ-000". */
static bool rtlahist_column_name(const char *word, struct rtlahist_column *c)
{
	const char *dash = strchr(word, '-'), *at = dash ? dash + 1 : "";
	uint64_t cpu;

	if (!dash || dash == word || (size_t)(dash - word) >= sizeof(c->kind) ||
	    !g_ascii_isdigit(*at) || !source_number(&at, &cpu) || *at || cpu >= SOURCE_CPUS_MAX)
		return false;
	memcpy(c->kind, word, (size_t)(dash - word));
	c->cpu = (unsigned)cpu;
	return true;
}

static int rtlahist_header(struct source *s, struct rtlahist *h, const char *line)
{
	g_auto(GStrv) words = g_strsplit_set(line, " \t", -1);

	for (char **w = words + 1; *w; w++) {
		struct rtlahist_column *c;

		if (!**w)
			continue;
		if (h->columns->len >= RTLAHIST_COLUMNS_MAX)
			return source_fail(s, "more columns than %d", RTLAHIST_COLUMNS_MAX);
		c = g_new0(struct rtlahist_column, 1);
		c->rows = g_array_new(FALSE, FALSE, sizeof(struct rtlahist_row));
		g_ptr_array_add(h->columns, c);
		if (!rtlahist_column_name(*w, c))
			return source_fail(s, "\"%.20s\" is no column such as IRQ-000 or CPU-000",
					   *w);
	}
	if (h->columns->len == 0)
		return source_fail(s, "there is no column: no CPU had a sample");
	return 0;
}

/* What must be there: one word for each column, a number or "-". Averages may have decimals. */
static int rtlahist_words(struct source *s, const struct rtlahist *h, const char *line,
			  const char *at, uint64_t *ret, bool *ret_known)
{
	for (guint i = 0; i < h->columns->len; i++) {
		at += strspn(at, " \t");
		ret_known[i] = *at != '-';
		ret[i] = 0;
		if (!ret_known[i])
			at++;
		else if (!source_number(&at, &ret[i]) || ret[i] > INT64_MAX / h->unit_ns)
			return source_fail(s,
					   "\"%.20s\" has not a whole number in each of its %u "
					   "columns",
					   line, h->columns->len);
		else if (*at == '.' && g_str_has_prefix(line, "avg:"))
			at += 1 + strspn(at + 1, "0123456789");
	}
	if (!source_ended(at))
		return source_fail(s, "\"%.20s\" has more than its %u columns", line,
				   h->columns->len);
	return 0;
}

static uint64_t rtlahist_divisor(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

static int rtlahist_row(struct source *s, struct rtlahist *h, const char *line, uint64_t *values,
			bool *known)
{
	const char *at = line;
	bool some = false;
	uint64_t row;
	int r;

	if (!source_number(&at, &row) || row > INT64_MAX / 2 / h->unit_ns ||
	    (h->rows && row <= h->last))
		return source_fail(s,
				   "a row begins with a number larger than the one before; "
				   "\"%.20s\" does not",
				   line);
	r = rtlahist_words(s, h, line, at, values, known);
	if (r < 0)
		return r;
	h->step = rtlahist_divisor(row, h->step);
	h->last = row;
	h->rows = true;
	for (guint i = 0; i < h->columns->len; i++) {
		struct rtlahist_column *c = h->columns->pdata[i];
		struct rtlahist_row sample = { row, values[i] };

		if (values[i] > 0) {
			g_array_append_val(c->rows, sample);
			some = true;
		}
	}
	h->zeroes |= !some;
	return 0;
}

/* "over:", "count:", ...; *ret_last: it was the last one. */
static int rtlahist_last(struct source *s, struct rtlahist *h, const char *line, unsigned *seen,
			 uint64_t *values, bool *known)
{
	static const char *const names[] = { "over:", "count:", "min:", "avg:", "max:" };
	static const size_t fields[] = {
		offsetof(struct rtlahist_column, over), offsetof(struct rtlahist_column, count),
		offsetof(struct rtlahist_column, min),	offsetof(struct rtlahist_column, avg),
		offsetof(struct rtlahist_column, max),
	};
	int r;

	for (size_t k = 0; k < G_N_ELEMENTS(names); k++) {
		if (!g_str_has_prefix(line, names[k]))
			continue;
		r = rtlahist_words(s, h, line, line + strlen(names[k]), values, known);
		for (guint i = 0; r == 0 && i < h->columns->len; i++) {
			struct rtlahist_column *c = h->columns->pdata[i];

			*(uint64_t *)((char *)c + fields[k]) = values[i];
			if (k >= 2)
				c->known = known[i] && (k == 2 || c->known);
		}
		*seen |= 1u << k;
		return r;
	}
	return source_fail(s, "\"%.20s\" is no row of the table", line);
}

static void rtlahist_comment(struct rtlahist *h, const char *line)
{
	unsigned days, hours, minutes, seconds;

	if (strstr(line, "nanoseconds"))
		h->unit_ns = 1;
	if (sscanf(line, "# Duration: %u %u:%u:%u", &days, &hours, &minutes, &seconds) == 4 &&
	    days < 36500)
		h->duration_ns =
			(((uint64_t)days * 24 + hours) * 3600 + (uint64_t)minutes * 60 + seconds) *
			1000000000;
}

static int rtlahist_table(struct source *s, struct rtlahist *h)
{
	g_autofree uint64_t *values = g_new0(uint64_t, RTLAHIST_COLUMNS_MAX);
	g_autofree bool *known = g_new0(bool, RTLAHIST_COLUMNS_MAX);
	unsigned seen = 0, all = (1u << 5) - 1;
	char *line;
	int r = 0;

	while (r == 0 && seen != all && (line = source_line(s))) {
		if (source_decimal_comma(line))
			r = source_fail(s, "a number with a decimal comma, which rtla does not "
					   "print: the file was changed");
		else if (line[0] == '#')
			rtlahist_comment(h, line);
		else if (g_str_has_prefix(line, "Index") && h->columns->len == 0)
			r = rtlahist_header(s, h, line);
		else if (h->columns->len > 0 && g_ascii_isdigit(line[0]) && seen == 0)
			r = rtlahist_row(s, h, line, values, known);
		else if (h->columns->len > 0 && line[0])
			r = rtlahist_last(s, h, line, &seen, values, known);
		g_free(line);
	}
	if (r == 0 && seen != all)
		r = source_fail_whole(
			s, "the table has no end (over, count, min, avg, max): it was cut "
			   "off, or printed with --no-summary or --no-index");
	return r;
}

/*
 * Of what comes after the table (a summary of all CPUs, a trace's file name) only this is read:
 * "12 (0.50%) events missed, ...", of some versions.
 */
static void rtlahist_rest(struct source *s, struct rtlahist *h)
{
	char *line, *end;

	while (!h->missed && (line = source_line(s))) {
		end = strstr(line, " missed, results might not be accurate");
		if (end && end - line < 80)
			h->missed = g_strndup(line, (gsize)(end - line));
		g_free(line);
	}
}

static uint64_t rtlahist_need(const struct rtlahist_column *c)
{
	uint64_t first, last, need = 1;

	if (!c->known || c->rows->len == 0)
		return need;
	first = g_array_index(c->rows, struct rtlahist_row, 0).at;
	last = g_array_index(c->rows, struct rtlahist_row, c->rows->len - 1).at;
	if (c->min >= first)
		need = c->min - first + 1;
	if (c->over == 0 && c->max >= last)
		need = MAX(need, c->max - last + 1);
	return need;
}

/* h->step, so far the largest that all rows are multiples of (0: there is only row 0). */
static int rtlahist_step(struct source *s, struct rtlahist *h)
{
	uint64_t most = h->step, need = 1;

	for (guint i = 0; i < h->columns->len; i++)
		need = MAX(need, rtlahist_need(h->columns->pdata[i]));
	if (h->zeroes && most > 0) /* then no row is left out */
		need = MAX(need, most);
	while (need < RTLAHIST_STEP_MAX && most % need)
		need++;
	h->step = need;
	if (most % need == 0)
		return 0;
	return source_fail_whole(s, "its minima and maxima are not where its rows are: it was "
				    "changed");
}

int rtlahist_read(struct source *s, struct rtlahist *ret)
{
	int r;

	*ret = (struct rtlahist){ .unit_ns = SOURCE_US };
	ret->columns = g_ptr_array_new_with_free_func((GDestroyNotify)rtlahist_column_free);
	r = rtlahist_table(s, ret);
	if (r < 0)
		return r;
	rtlahist_rest(s, ret);
	return rtlahist_step(s, ret);
}

int rtlahist_figures(struct source *s, const struct rtlahist *h, const struct rtlahist_column *c,
		     bool average, struct figures *f)
{
	uint64_t step = MAX(h->step, 1), placed;
	const char *name = c->kind;

	if (c->count == 0)
		return 0;
	if (!c->known || c->min > c->max || (average && (c->avg < c->min || c->avg > c->max)))
		return source_fail_whole(s, "min, avg and max of %s-%03u contradict one another",
					 name, c->cpu);
	for (guint i = 0; i < c->rows->len; i++) {
		const struct rtlahist_row *row = &g_array_index(c->rows, struct rtlahist_row, i);
		uint64_t ns = row->at * h->unit_ns + (step - 1) * h->unit_ns / 2;

		ns = CLAMP(ns, c->min * h->unit_ns, c->max * h->unit_ns);
		if (!source_samples(f, ns, row->n))
			return source_fail_whole(s, "%s-%03u has more samples than can be", name,
						 c->cpu);
	}
	placed = figures_placed(f);
	if (c->over > c->count || placed != c->count - c->over)
		return source_fail_whole(s,
					 "the rows of %s-%03u have %" G_GUINT64_FORMAT
					 " samples, its count and over say %" G_GUINT64_FORMAT
					 ": rows are missing or were changed",
					 name, c->cpu, placed,
					 c->over > c->count ? 0 : c->count - c->over);
	f->unplaced = c->over;
	f->unplaced_from_ns = c->over && h->rows ? (h->last + step) * h->unit_ns : 0;
	source_state_min(f, c->min * h->unit_ns);
	source_state_max(f, c->max * h->unit_ns);
	if (average && (c->over || step > 1))
		source_state_mean(f, (double)(c->avg * h->unit_ns));
	return 0;
}

int rtlahist_result(struct source *s, const struct rtlahist *h, const char *kind, bool average,
		    const char *format, const char *quantity, const struct import_options *o,
		    struct result **ret)
{
	struct result *r = source_result(format, quantity, o);
	struct result_stage *stage = source_stage(r);
	uint64_t over = 0;

	*ret = NULL;
	for (guint i = 0; i < h->columns->len; i++) {
		const struct rtlahist_column *c = h->columns->pdata[i];
		struct result_cpu *cpu;
		int e;

		if (strcmp(c->kind, kind) != 0)
			continue;
		cpu = source_cpu(stage, c->cpu);
		e = figures_count(cpu->figures)
			    ? source_fail_whole(s, "%s-%03u is there twice", kind, c->cpu)
			    : rtlahist_figures(s, h, c, average, cpu->figures);
		if (e < 0) {
			result_free(r);
			return e;
		}
		over += c->over;
	}
	if (stage->cpus->len == 0) {
		result_free(r);
		return 0;
	}
	json_object_set_new(r->method, "resolution_ns",
			    json_integer((json_int_t)(MAX(h->step, 1) * h->unit_ns)));
	stage->duration_ns = h->duration_ns;
	source_kernel(r, o, NULL, NULL, NULL);
	if (over)
		source_lossy(r,
			     "%" G_GUINT64_FORMAT " samples were above rtla's histogram: of them "
			     "only the number and the largest are known.",
			     over);
	if (h->missed)
		source_lossy(r, "rtla says: %s missed. They are in no figure.", h->missed);
	*ret = r;
	return 0;
}
