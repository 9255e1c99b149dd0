/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tables of the Linux Real-Time Benchmarking Framework, as they were printed in 2005, as CSV
 * with three kinds of lines:
 *
 *	PART,irq,KERNEL,LOAD,avg,max,min,stddev			microseconds
 *	PART,total,KERNEL,BASE,LOAD,seconds,printed percent	LMbench's running time
 *	PART,lmbsum,LOAD,TEST,vanilla,rt,percent,ipipe,percent	LMbench's figures, microseconds
 *
 * A session for the latencies of each kernel of each part, and one for its benchmarks, which are no
 * latencies. Printed percentages are not read: they follow from the values.
 *
 * Which kernels "vanilla", "rt" and "ipipe" are the part's other tables say.
 */
#include "source.h"

#include <errno.h>
#include <string.h>

#define FORMAT		 "lrtbf-2005"
#define LRTBF_WORDS_MAX	 16
#define LRTBF_STAGES_MAX 32
#define LRTBF_LINES_MAX	 1000 /* in 2005 there were 198; each makes figures */

struct lrtbf2005 {
	struct source s;
	const struct import_options *o;
	GPtrArray *results; /* borrowed */
	unsigned lines;	    /* that told something */
};

static bool lrtbf_looks_like(const char *text, size_t size)
{
	return strstr(text, "part,table,kernel,") != NULL;
}

/* --- sessions and stages by their names --- */

static struct result_stage *lrtbf_stage(struct result *r, const char *load)
{
	struct result_stage *s;

	for (guint i = 0; i < r->stages->len; i++) {
		s = r->stages->pdata[i];
		if (strcmp(s->name, load) == 0)
			return s;
	}
	if (r->stages->len >= LRTBF_STAGES_MAX)
		return NULL;
	s = result_stage_new();
	g_free(s->name);
	g_free(s->load);
	s->name = g_strdup(load);
	s->load = g_strdup(load);
	s->index = r->stages->len;
	s->complete = true;
	s->verdict = VERDICT_NONE;
	g_ptr_array_add(r->stages, s);
	return s;
}

static struct result *lrtbf_result(struct lrtbf2005 *l, unsigned part, const char *kernel,
				   const char *quantity)
{
	g_autofree char *label = g_strdup_printf("%s (part %u)", kernel, part);
	struct result *r;

	for (guint i = 0; i < l->results->len; i++) {
		r = l->results->pdata[i];
		if (strcmp(r->label, label) == 0 &&
		    strcmp(json_string_value(json_object_get(r->method, "quantity")), quantity) ==
			    0)
			return r;
	}
	r = source_result(FORMAT, quantity, l->o);
	g_ptr_array_set_size(r->stages, 0);
	g_free(r->label);
	r->label = g_steal_pointer(&label);
	json_object_set_new(r->method, "part", json_integer(part));
	source_kernel(r, NULL, kernel, NULL, NULL);
	source_lossy(r,
		     "Of a printed table: how many samples there were, their distribution and the "
		     "conditions are not known.");
	g_ptr_array_add(l->results, r);
	return r;
}

/* The kernel of @part whose name begins so, in whatever case; NULL: none, or several. */
static const char *lrtbf_kernel(const struct lrtbf2005 *l, unsigned part, const char *begin)
{
	const char *found = NULL;

	for (guint i = 0; i < l->results->len; i++) {
		const struct result *r = l->results->pdata[i];
		const char *kernel = json_string_value(
			json_object_get(json_object_get(r->conditions, "kernel"), "release"));

		if ((unsigned)json_integer_value(json_object_get(r->method, "part")) != part ||
		    g_ascii_strncasecmp(kernel, begin, strlen(begin)) != 0)
			continue;
		if (found && strcmp(found, kernel) != 0)
			return NULL;
		found = kernel;
	}
	return found;
}

/* --- lines --- */

/* Tenths of a microsecond and the like: as many decimals as are printed. */
static bool lrtbf_value(const char *text, double *ret, int *ret_decimals)
{
	const char *at = text, *point = strchr(text, '.');
	uint64_t n;
	size_t decimals = point ? strlen(point + 1) : 0;

	if (decimals > 6 || !source_decimal(&at, 6, &n) || *at || n > INT64_MAX / 1000)
		return false;
	*ret = (double)n / 1e6;
	*ret_decimals = (int)decimals;
	return true;
}

static bool lrtbf_ns(const char *text, uint64_t *ret)
{
	return source_decimal(&text, 3, ret) && *text == '\0' && *ret < INT64_MAX / 1000;
}

static int lrtbf_irq(struct lrtbf2005 *l, unsigned part, char **w, guint n)
{
	struct result_stage *s;
	uint64_t avg, max, min, stddev;
	struct figures *f;

	if (n != 8 || !*w[2] || !*w[3])
		return source_fail(&l->s,
				   "a line of table irq has part, irq, kernel, load, avg, max, "
				   "min, stddev");
	if (!lrtbf_ns(w[4], &avg) || !lrtbf_ns(w[5], &max) || !lrtbf_ns(w[6], &min) ||
	    !lrtbf_ns(w[7], &stddev) || min > avg || avg > max)
		return source_fail(&l->s,
				   "avg, max, min and stddev are microseconds with at most three "
				   "decimals, and min <= avg <= max");
	s = lrtbf_stage(lrtbf_result(l, part, w[2], "latency"), w[3]);
	if (!s || s->cpus->len > 0)
		return source_fail(&l->s,
				   "%.60s under %.60s is there twice, or there are more than %d "
				   "loads",
				   w[2], w[3], LRTBF_STAGES_MAX);
	f = source_cpu(s, 0)->figures;
	f->stated = FIGURES_STATED_NO_COUNT;
	source_state_min(f, min);
	source_state_max(f, max);
	source_state_mean(f, (double)avg);
	source_state_stddev(f, (double)stddev);
	return 0;
}

static int lrtbf_add_value(struct lrtbf2005 *l, unsigned part, const char *kernel, const char *load,
			   const char *name, const char *unit, const char *text)
{
	struct result_stage *s = lrtbf_stage(lrtbf_result(l, part, kernel, "overhead"), load);
	double value;
	int decimals;

	if (!lrtbf_value(text, &value, &decimals) || value <= 0)
		return source_fail(&l->s, "\"%.20s\" is no positive number", text);
	for (guint i = 0; s && i < s->values->len; i++)
		if (strcmp(((struct result_value *)s->values->pdata[i])->name, name) == 0)
			s = NULL;
	if (!s || s->values->len >= LRTBF_STAGES_MAX)
		return source_fail(&l->s,
				   "%.40s of %.60s under %.60s is there twice, or there are more "
				   "than %d loads or tests",
				   name, kernel, load, LRTBF_STAGES_MAX);
	g_ptr_array_add(s->values, result_value_new(name, unit, value, decimals));
	return 0;
}

static int lrtbf_total(struct lrtbf2005 *l, unsigned part, char **w, guint n)
{
	if (n != 7 || !*w[2] || !*w[4])
		return source_fail(&l->s,
				   "a line of table total has part, total, kernel, base, load, "
				   "seconds, percent");
	return lrtbf_add_value(l, part, w[2], w[4], "total", "s", w[5]);
}

static int lrtbf_lmbsum(struct lrtbf2005 *l, unsigned part, char **w, guint n)
{
	static const struct {
		const char *kernel;
		guint column;
	} columns[] = { { "vanilla", 4 }, { "rt", 5 }, { "ipipe", 7 } };
	int r = 0;

	if (n != 9 || !*w[2] || !*w[3])
		return source_fail(&l->s, "a line of table lmbsum has part, lmbsum, load, test, "
					  "vanilla, rt, percent, ipipe, percent");
	for (size_t i = 0; r == 0 && i < G_N_ELEMENTS(columns); i++) {
		const char *kernel = lrtbf_kernel(l, part, columns[i].kernel);

		if (!kernel)
			return source_fail(&l->s,
					   "which kernel \"%s\" of part %u is has to be said by "
					   "tables irq or total before it",
					   columns[i].kernel, part);
		r = lrtbf_add_value(l, part, kernel, w[2], w[3], "us", w[columns[i].column]);
	}
	return r;
}

static int lrtbf_line(struct lrtbf2005 *l, const char *line)
{
	g_auto(GStrv) w = g_strsplit(line, ",", LRTBF_WORDS_MAX + 1);
	guint n = g_strv_length(w);
	const char *at = w[0];
	uint64_t part;

	if (line[0] == '#' || line[0] == '\0' || strcmp(w[0], "part") == 0)
		return 0;
	if (n > LRTBF_WORDS_MAX || !source_number(&at, &part) || *at || part < 1 || part > 99)
		return source_fail(&l->s, "a line begins with the part's number, 1 to 99");
	for (guint i = 0; i < n; i++)
		g_strstrip(w[i]);
	if (++l->lines > LRTBF_LINES_MAX)
		return source_fail(&l->s, "more than %d lines of tables", LRTBF_LINES_MAX);
	if (n > 1 && strcmp(w[1], "irq") == 0)
		return lrtbf_irq(l, (unsigned)part, w, n);
	if (n > 1 && strcmp(w[1], "total") == 0)
		return lrtbf_total(l, (unsigned)part, w, n);
	if (n > 1 && strcmp(w[1], "lmbsum") == 0)
		return lrtbf_lmbsum(l, (unsigned)part, w, n);
	return source_fail(&l->s, "the table is irq, total or lmbsum");
}

/* The file tells labels, loads and kernels of many sessions: none may be put over them all. */
static int lrtbf_check_options(struct lrtbf2005 *l)
{
	if (!l->o || (!l->o->label && !l->o->load && !l->o->kernel))
		return 0;
	source_fail_whole(&l->s, "label, load and kernel of these tables are those of the file and "
				 "cannot be given");
	return -EINVAL;
}

static int lrtbf_read(const char *text, size_t size, const struct import_options *o, GPtrArray *ret,
		      char **ret_message)
{
	struct lrtbf2005 l = { .o = o, .results = ret };
	char *line;
	int r;

	source_init(&l.s, text, size, o, ret_message);
	r = lrtbf_check_options(&l);
	while (r == 0 && (line = source_line(&l.s))) {
		r = lrtbf_line(&l, line);
		g_free(line);
	}
	if (r == 0 && source_cut(&l.s))
		r = source_fail_whole(&l.s, "its last line does not end: it was cut off");
	if (r == 0 && l.lines == 0)
		r = source_fail_whole(&l.s, "there is no line of a table in it");
	return r;
}

const struct import_format import_format_lrtbf_2005 = {
	.name = FORMAT,
	.description = "the tables that were published in 2005, as CSV",
	.looks_like = lrtbf_looks_like,
	.read = lrtbf_read,
};
