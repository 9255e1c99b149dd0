/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cyclictest's own output: one line for each thread ("T: 0 ..."), a histogram (-h) with a row
 * for each microsecond, from some version on without the rows that are all zero, or a line for
 * each sample (-v).
 *
 * Samples above the histogram are missing from "# Total" (which later versions do not print) and
 * counted in "# Histogram Overflows"; Avg and Max include them. Averages are whole microseconds,
 * rounded down.
 */
#include "source.h"

#include <errno.h>
#include <string.h>

#define FORMAT "cyclictest"

struct cyclictest {
	struct source s;
	struct result *r;
	struct result_stage *stage;
	unsigned threads;		      /* columns of the histogram; 0: none yet */
	bool sums;			      /* a last column has the sum of all (--histofall) */
	bool total, min, avg, max, overflows; /* which of the last lines were there */
	uint64_t rows;			      /* one above the last row's */
	uint64_t *placed;		      /* per thread */
	uint64_t min_us[SOURCE_CPUS_MAX], avg_us[SOURCE_CPUS_MAX], max_us[SOURCE_CPUS_MAX];
	bool verbose;			/* there were lines of samples */
	uint64_t next[SOURCE_CPUS_MAX]; /* per thread: cycle that comes next */
};

/* "       0:       1:      83": thread, cycle, latency. */
static bool cyclictest_sample(const char *line, uint64_t ret[3])
{
	for (int i = 0; i < 3; i++)
		if ((i > 0 && *line++ != ':') || !source_number(&line, &ret[i]))
			return false;
	return source_ended(line);
}

static bool cyclictest_samples(const char *text)
{
	const char *end = strchr(text, '\n');
	g_autofree char *line = end ? g_strndup(text, (gsize)(end - text)) : NULL;
	uint64_t sample[3];

	return line && cyclictest_sample(line, sample);
}

static bool cyclictest_looks_like(const char *text, size_t size)
{
	const char *first = strstr(text, "       0:       0:");

	return strstr(text, "# Min Latencies:") || strstr(text, "# Histogram\n") ||
	       g_str_has_prefix(text, "T: 0 (") || strstr(text, "\nT: 0 (") ||
	       strstr(text, "\nT:  0 (") || (first && cyclictest_samples(first));
}

static int cyclictest_too_many(struct cyclictest *c, uint64_t thread)
{
	return source_fail(&c->s,
			   "thread %" G_GUINT64_FORMAT " is more than the %d that can be imported",
			   thread, SOURCE_CPUS_MAX);
}

/* --- a line for each thread --- */

/* What follows "NAME:", a number. */
static bool cyclictest_value(const char *line, const char *name, uint64_t *ret)
{
	const char *at = strstr(line, name);

	if (!at)
		return false;
	at += strlen(name);
	return source_number(&at, ret);
}

static void cyclictest_method(struct cyclictest *c, const char *line)
{
	uint64_t priority, interval_us;

	if (cyclictest_value(line, " P:", &priority) && priority <= 99)
		json_object_set_new(c->r->method, "priority", json_integer((json_int_t)priority));
	if (cyclictest_value(line, " I:", &interval_us) && interval_us < UINT32_MAX)
		json_object_set_new(c->r->method, "interval_ns",
				    json_integer((json_int_t)interval_us * SOURCE_US));
}

/* What an earlier line stated: figures have nothing else yet, and are too large to be made anew. */
static void cyclictest_forget(struct figures *f)
{
	f->unplaced = 0;
	f->stated = 0;
	f->stated_mean_ns = 0;
	f->min_ns = UINT64_MAX;
	f->max_ns = 0;
}

/* Later lines of a thread replace earlier ones: without -q they are printed over and over. */
static int cyclictest_thread(struct cyclictest *c, const char *line)
{
	uint64_t thread, count, min_us, avg_us, max_us;
	const char *at = line + 2;
	struct result_cpu *cpu;
	struct figures *f;

	if (!source_number(&at, &thread) || !cyclictest_value(line, " C:", &count) ||
	    !cyclictest_value(line, " Min:", &min_us) ||
	    !cyclictest_value(line, " Avg:", &avg_us) || !cyclictest_value(line, " Max:", &max_us))
		return source_fail(&c->s,
				   "a thread's line has T:, C:, Min:, Avg: and Max:, each "
				   "with a whole number; \"%.60s\" has not",
				   line);
	cpu = source_cpu(c->stage, thread);
	if (!cpu)
		return cyclictest_too_many(c, thread);
	f = cpu->figures;
	cyclictest_forget(f);
	if (thread == 0)
		cyclictest_method(c, line);
	if (count == 0)
		return 0;
	if (count > INT64_MAX || max_us > INT64_MAX / SOURCE_US || min_us > avg_us ||
	    avg_us > max_us)
		return source_fail(&c->s, "Min, Avg and Max of \"%.60s\" contradict one another",
				   line);
	f->unplaced = count;
	source_state_min(f, min_us * SOURCE_US);
	source_state_max(f, max_us * SOURCE_US);
	source_state_mean(f, (double)(avg_us * SOURCE_US));
	return 0;
}

/* --- a line for each sample --- */

static int cyclictest_verbose(struct cyclictest *c, const uint64_t sample[3])
{
	struct result_cpu *cpu;
	struct figures *f;

	if (!c->verbose) /* threads' lines before it are of another run */
		g_ptr_array_set_size(c->stage->cpus, 0);
	c->verbose = true;
	cpu = source_cpu(c->stage, sample[0]);
	if (!cpu)
		return cyclictest_too_many(c, sample[0]);
	f = cpu->figures;
	if (sample[1] < c->next[sample[0]] || sample[1] > INT64_MAX ||
	    sample[2] > INT64_MAX / SOURCE_US || !source_samples(f, sample[2] * SOURCE_US, 1))
		return source_fail(&c->s,
				   "a line of a sample has thread, cycle and latency, with a "
				   "larger cycle than the thread's line before");
	f->unplaced += sample[1] - c->next[sample[0]];
	c->next[sample[0]] = sample[1] + 1;
	return 0;
}

/* Cycles without a line: overrun in the program, or only the longest of several shown (-o). */
static void cyclictest_verbose_conclude(struct cyclictest *c)
{
	uint64_t gone = 0;

	for (guint i = 0; i < c->stage->cpus->len; i++)
		gone += ((const struct result_cpu *)c->stage->cpus->pdata[i])->figures->unplaced;
	if (gone)
		source_lossy(c->r,
			     "cyclictest printed no line for %" G_GUINT64_FORMAT " samples: of "
			     "them only the number is known.",
			     gone);
}

/* --- the histogram --- */

static unsigned cyclictest_columns(const char *at)
{
	unsigned n = 0;
	uint64_t value;

	while (source_number(&at, &value))
		n++;
	return source_ended(at) ? n : 0;
}

/* "000083 000001\t000000": the microsecond, then one count for each thread. */
static int cyclictest_row(struct cyclictest *c, const char *line)
{
	const char *at = line;
	uint64_t us, n;

	if (!source_number(&at, &us) || us < c->rows || us > INT64_MAX / SOURCE_US)
		return source_fail(&c->s,
				   "a row of the histogram begins with a number larger than "
				   "the one before; \"%.60s\" does not",
				   line);
	if (c->threads == 0) {
		c->threads = cyclictest_columns(at);
		if (c->threads == 0 || c->threads > SOURCE_CPUS_MAX)
			return source_fail(&c->s, "a row of the histogram has 1 to %d counts",
					   SOURCE_CPUS_MAX);
		c->placed = g_new0(uint64_t, c->threads);
		for (unsigned i = 0; i < c->threads; i++)
			(void)source_cpu(c->stage, i); /* within its range */
	}
	for (unsigned i = 0; i < c->threads; i++) {
		struct result_cpu *cpu = c->stage->cpus->pdata[i];

		if (!source_number(&at, &n))
			return source_fail(&c->s,
					   "this row has %u counts and others have %u: it "
					   "was cut off or changed",
					   i, c->threads);
		if (!source_samples(cpu->figures, us * SOURCE_US, n) ||
		    __builtin_add_overflow(c->placed[i], n, &c->placed[i]))
			return source_fail(&c->s, "more samples than can be");
	}
	if (!source_ended(at))
		return source_fail(&c->s, "this row has more counts than others: it was changed");
	c->rows = us + 1;
	return 0;
}

/* The counts of --histofall are a last column of every row and are no thread's. */
static void cyclictest_drop_sums(struct cyclictest *c, unsigned threads)
{
	if (threads + 1 != c->threads)
		return;
	c->sums = true;
	c->threads = threads;
	g_ptr_array_set_size(c->stage->cpus, (gint)threads);
}

/* Numbers behind '#' lines: @ret, at most one for each thread. -EBADMSG. */
static int cyclictest_list(struct cyclictest *c, const char *line, const char *at, uint64_t *ret,
			   unsigned *ret_n)
{
	unsigned n = 0;

	while (n < SOURCE_CPUS_MAX && source_number(&at, &ret[n]))
		n++;
	if (n == 0 || !source_ended(at))
		return source_fail(&c->s,
				   "\"%.40s\" is followed by whole numbers only, one for "
				   "each thread",
				   line);
	*ret_n = n;
	return 0;
}

static int cyclictest_each(struct cyclictest *c, const char *line, unsigned n)
{
	if (n == c->threads || (c->sums && n == c->threads + 1))
		return 0;
	return source_fail(&c->s, "\"%.40s\" has %u numbers for %u threads", line, n, c->threads);
}

static int cyclictest_total(struct cyclictest *c, const uint64_t *list, unsigned n)
{
	for (unsigned i = 0; i < MIN(n, c->threads); i++)
		if (list[i] != c->placed[i])
			return source_fail(&c->s,
					   "the total of thread %u is %" G_GUINT64_FORMAT
					   ", its rows have %" G_GUINT64_FORMAT
					   ": rows are missing or were changed",
					   i, list[i], c->placed[i]);
	return 0;
}

static void cyclictest_overflows(struct cyclictest *c, const uint64_t *list)
{
	for (unsigned i = 0; i < c->threads; i++) {
		struct figures *f = source_cpu(c->stage, i)->figures;

		f->unplaced = list[i];
		f->unplaced_from_ns = list[i] ? c->rows * SOURCE_US : 0;
	}
}

/* A line "# NAME: n n ...". */
static int cyclictest_last_line(struct cyclictest *c, const char *line)
{
	static const char *const names[] = { "# Total:", "# Min Latencies:", "# Avg Latencies:",
					     "# Max Latencies:", "# Histogram Overflows:" };
	bool *const seen[] = { &c->total, &c->min, &c->avg, &c->max, &c->overflows };
	uint64_t *list;
	unsigned n = 0;
	size_t which;
	int r;

	for (which = 0; which < G_N_ELEMENTS(names); which++)
		if (g_str_has_prefix(line, names[which]))
			break;
	if (which == G_N_ELEMENTS(names) || c->threads == 0)
		return 0;
	list = g_new0(uint64_t, SOURCE_CPUS_MAX);
	r = cyclictest_list(c, line, line + strlen(names[which]), list, &n);
	/* minima have no sum: the first line that tells how many threads there are */
	if (r == 0 && which == 1)
		cyclictest_drop_sums(c, n);
	if (r == 0)
		r = which == 0 && n + 1 == c->threads ? 0 : cyclictest_each(c, line, n);
	if (r == 0 && which == 0)
		r = cyclictest_total(c, list, n);
	if (r == 0 && which == 1)
		memcpy(c->min_us, list, sizeof(c->min_us));
	if (r == 0 && which == 2)
		memcpy(c->avg_us, list, sizeof(c->avg_us));
	if (r == 0 && which == 3)
		memcpy(c->max_us, list, sizeof(c->max_us));
	if (r == 0 && which == 4)
		cyclictest_overflows(c, list);
	*seen[which] = true;
	g_free(list);
	return r;
}

/* Of the samples above the histogram only the number, the largest and the average are known. */
static int cyclictest_above(struct cyclictest *c, unsigned i, struct figures *f)
{
	uint64_t min_us = c->min_us[i], avg_us = c->avg_us[i], max_us = c->max_us[i];

	if (max_us > INT64_MAX / SOURCE_US || min_us > avg_us || avg_us > max_us ||
	    max_us < c->rows)
		return -EBADMSG;
	source_state_min(f, min_us * SOURCE_US);
	source_state_max(f, max_us * SOURCE_US);
	source_state_mean(f, (double)(avg_us * SOURCE_US));
	return 0;
}

/* What is stated is what the rows say, or tells what they do not. */
static int cyclictest_thread_conclude(struct cyclictest *c, unsigned i)
{
	struct figures *f = source_cpu(c->stage, i)->figures;
	uint64_t first = f->min_ns / SOURCE_US, last = f->max_ns / SOURCE_US;
	int r = 0;

	if (figures_count(f) == 0)
		return 0;
	if (figures_placed(f) > 0 && c->min_us[i] != first)
		r = -EBADMSG;
	else if (f->unplaced > 0)
		r = cyclictest_above(c, i, f);
	else if (c->max_us[i] != last || c->avg_us[i] < first || c->avg_us[i] > last)
		r = -EBADMSG;
	if (r < 0)
		return source_fail_whole(&c->s,
					 "minimum, average, maximum and overflows of thread %u "
					 "contradict one another or its rows",
					 i);
	return 0;
}

static int cyclictest_conclude(struct cyclictest *c)
{
	uint64_t above = 0;
	int r;

	if (!c->min || !c->avg || !c->max || !c->overflows)
		return source_fail_whole(&c->s,
					 "it ends before \"# Histogram Overflows:\": it was cut "
					 "off, or the program was killed");
	for (unsigned i = 0; i < c->threads; i++) {
		r = cyclictest_thread_conclude(c, i);
		if (r < 0)
			return r;
		above += source_cpu(c->stage, i)->figures->unplaced;
	}
	if (above)
		source_lossy(c->r,
			     "%" G_GUINT64_FORMAT " samples were above cyclictest's histogram, "
			     "each %" G_GUINT64_FORMAT " us or more: of them only the number and "
			     "the largest are known.",
			     above, c->rows);
	return 0;
}

/* --- both --- */

/* Terminals are sent back up by ESC [ n A before lines are printed anew. */
static const char *cyclictest_skip_escape(const char *line)
{
	while (line[0] == '\033' && line[1] == '[') {
		line += 2;
		line += strspn(line, "0123456789;");
		if (*line)
			line++;
	}
	return line;
}

static int cyclictest_line(struct cyclictest *c, const char *raw)
{
	const char *line = cyclictest_skip_escape(raw);
	uint64_t sample[3];

	if (source_decimal_comma(line) && line[0] != '#')
		return source_fail(&c->s,
				   "\"%.60s\" has a number with a decimal comma, which "
				   "cyclictest does not print: the file was changed",
				   line);
	if (g_str_has_prefix(line, "T:"))
		return c->threads || c->verbose ? 0 : cyclictest_thread(c, line);
	if (c->threads == 0 && cyclictest_sample(line, sample))
		return cyclictest_verbose(c, sample);
	if (line[0] == '#')
		return cyclictest_last_line(c, line);
	if (g_ascii_isdigit(line[0]) && !c->verbose) {
		if (c->threads == 0) /* what threads' lines said is in the histogram, too */
			g_ptr_array_set_size(c->stage->cpus, 0);
		return cyclictest_row(c, line);
	}
	return 0; /* policy, load average, what a shell said */
}

static int cyclictest_lines(struct cyclictest *c)
{
	char *line;
	int r = 0;

	while (r == 0 && (line = source_line(&c->s))) {
		r = cyclictest_line(c, line);
		g_free(line);
	}
	if (r == 0 && source_cut(&c->s))
		r = source_fail_whole(&c->s, "its last line does not end: it was cut off");
	if (r == 0 && c->threads)
		return cyclictest_conclude(c);
	if (r == 0 && c->stage->cpus->len == 0)
		r = source_fail_whole(&c->s, "there is no thread's line and no histogram in it");
	if (r == 0 && c->verbose)
		cyclictest_verbose_conclude(c);
	else if (r == 0)
		source_lossy(c->r,
			     "cyclictest printed no histogram: there are no percentiles and no "
			     "deviation. A column in nanoseconds (-N) looks like one in "
			     "microseconds, for which it is taken.");
	return r;
}

static int cyclictest_read(const char *text, size_t size, const struct import_options *o,
			   GPtrArray *ret, char **ret_message)
{
	struct cyclictest *c = g_new0(struct cyclictest, 1);
	int r;

	source_init(&c->s, text, size, o, ret_message);
	c->r = source_result(FORMAT, "latency", o);
	c->stage = source_stage(c->r);
	g_ptr_array_add(ret, c->r);
	json_object_set_new(c->r->method, "resolution_ns", json_integer(SOURCE_US));
	source_kernel(c->r, o, NULL, NULL, NULL);
	r = cyclictest_lines(c);
	g_free(c->placed);
	g_free(c);
	return r;
}

const struct import_format import_format_cyclictest = {
	.name = FORMAT,
	.description = "cyclictest: its lines, its histogram (-h), or its samples (-v)",
	.looks_like = cyclictest_looks_like,
	.read = cyclictest_read,
};
