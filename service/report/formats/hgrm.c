/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The percentile distribution as HdrHistogram prints it (outputPercentileDistribution() with five
 * ticks per half distance), for its plotters: value, percentile, samples up to it,
 * 1/(1-percentile). As there, the value of a row is the upper edge of the bucket in which the
 * percentile lies, so it may be up to 1/64 above what was measured; "Max" is exact. Microseconds.
 * What HdrHistogram has no words for stands in comments behind its own, which its readers pass
 * over.
 *
 * Stages are added up. Samples that are in no bucket are above all rows or nowhere, so the rows end
 * where a percentile's sample may be one of them.
 */
#include "cell.h"
#include "report.h"

#include <errno.h>

#include <inttypes.h>
#include <math.h>

#define HGRM_TICKS 5 /* rows per halving of what is left */

struct hgrm {
	const struct figures *figures;
	GString *out;
	uint64_t count; /* samples, those in no bucket included */
	double level;	/* percent of the next row */
};

/* Largest value of bucket @b. */
static void hgrm_edge(GString *out, unsigned b)
{
	g_autofree char *us = cell_us(histogram_high_ns(b) - (b + 1 < HISTOGRAM_BUCKETS), 3);

	g_string_append_printf(out, "%12s", us);
}

/* @v as "%*.*f" in the C locale. */
static void hgrm_real(GString *out, int width, const char *fmt, double v)
{
	char text[512];

	g_ascii_formatd(text, sizeof(text), fmt, v);
	g_string_append_printf(out, "%*s", width, text);
}

/* One row for bucket @b, up to which there are @upto samples. */
static void hgrm_row(struct hgrm *h, unsigned b, uint64_t upto, double percent)
{
	hgrm_edge(h->out, b);
	g_string_append_c(h->out, ' ');
	hgrm_real(h->out, 14, "%.12f", percent / 100);
	g_string_append_printf(h->out, " %10" PRIu64, upto);
	if (percent < 100) {
		g_string_append_c(h->out, ' ');
		hgrm_real(h->out, 14, "%.2f", 1 / (1 - percent / 100));
	}
	g_string_append_c(h->out, '\n');
}

/* As many ticks as the halving has that the level is in. */
static void hgrm_next_level(struct hgrm *h)
{
	double halvings = floor(log2(100 / (100 - h->level))) + 1;

	h->level += 100 / (HGRM_TICKS * exp2(halvings));
}

/* The bucket in which samples of no bucket may begin. */
static unsigned hgrm_end(const struct figures *f)
{
	if (f->unplaced == 0)
		return HISTOGRAM_BUCKETS;
	return f->unplaced_from_ns ? histogram_bucket(f->unplaced_from_ns) : 0;
}

static void hgrm_rows(struct hgrm *h)
{
	const struct figures *f = h->figures;
	unsigned end = hgrm_end(f), last = 0;
	uint64_t upto = 0;

	for (unsigned b = 0; b < end && upto < h->count; b++) {
		if (f->bucket[b] == 0)
			continue;
		upto += f->bucket[b];
		last = b;
		while (h->level < 100 && 100.0 * (double)upto / (double)h->count >= h->level) {
			hgrm_row(h, b, upto, h->level);
			hgrm_next_level(h);
			if (upto == h->count)
				break;
		}
	}
	if (upto == h->count && upto)
		hgrm_row(h, last, upto, 100);
}

static char *hgrm_or_none(char *text)
{
	return text ? text : g_strdup("-");
}

static void hgrm_foot(struct hgrm *h)
{
	const struct figures *f = h->figures;
	g_autofree char *mean = hgrm_or_none(cell_mean_us(f, 3));
	g_autofree char *stddev = hgrm_or_none(cell_stddev_us(f, 3));
	g_autofree char *max = hgrm_or_none(cell_max_us(f, 3));
	g_autofree char *count = hgrm_or_none(cell_samples(f));
	unsigned buckets = 64 - HISTOGRAM_SUB_BITS;

	g_string_append_printf(h->out, "#[Mean    = %12s, StdDeviation   = %12s]\n", mean, stddev);
	g_string_append_printf(h->out, "#[Max     = %12s, Total count    = %12s]\n", max, count);
	g_string_append_printf(h->out, "#[Buckets = %12u, SubBuckets     = %12u]\n", buckets,
			       2 * HISTOGRAM_SUB);
}

static void hgrm_remarks(struct hgrm *h, const struct result *r)
{
	const struct figures *f = h->figures;
	g_autofree char *plan = cell_text(r->plan), *from = cell_us(f->unplaced_from_ns, 3);

	g_string_append_printf(h->out, "# lrtbfd session %s plan %s\n", r->id, plan);
	g_string_append(h->out, "# Microseconds. Values are the upper edges of buckets, up to 1/64 "
				"above what was measured; Max is exact.\n");
	if (r->stages->len > 1)
		g_string_append_printf(h->out, "# Sum of %u stages\n", r->stages->len);
	if (f->unplaced && f->unplaced_from_ns)
		g_string_append_printf(h->out,
				       "# Of %" PRIu64
				       " samples it is only known that they took %s or more\n",
				       f->unplaced, from);
	else if (f->unplaced || figures_count(f) == 0)
		g_string_append(h->out, "# There is no distribution\n");
}

static int hgrm_render(const struct result *r, const struct report_options *o, GString *out,
		       char **ret_message)
{
	g_autofree struct figures *all = NULL;
	struct hgrm h = { .out = out };

	if (!r->stages || r->stages->len == 0 || !result_is_latency(r)) {
		if (ret_message)
			*ret_message = g_strdup_printf(
				"Session %s has measured no latencies: there is no distribution.",
				r->id);
		return -EOPNOTSUPP;
	}
	all = result_all(r);
	h.figures = all;
	h.count = figures_count(all);
	g_string_append_printf(out, "%12s %14s %10s %14s\n\n", "Value", "Percentile", "TotalCount",
			       "1/(1-Percentile)");
	hgrm_rows(&h);
	hgrm_foot(&h);
	hgrm_remarks(&h, r);
	return 0;
}

const struct report_format report_format_hgrm = {
	.name = "hgrm",
	.media_type = "text/plain; charset=utf-8",
	.description = "percentiles as HdrHistogram prints them, for its plotters; stages added up",
	.render = hgrm_render,
};
