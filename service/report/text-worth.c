/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why the bound is one per block of time and not per sample: latencies come in clusters, and a
 * bound that takes them for independent promises too much. Three in the rule of three is -ln(0.05).
 */
#include "text-worth.h"

#include "cell.h"
#include "stageanalysis.h"

#include <inttypes.h>
#include <math.h>

#define WORTH_BLOCKS	3 /* with as many and fewer the rule of three says nothing */
#define WORTH_DECIMALS	9
#define WORTH_TEXT_SIZE 64

static char *worth_us(const json_t *ns, int decimals)
{
	return json_is_number(ns) ? cell_real_us(json_number_value(ns), decimals) : NULL;
}

char *text_worth_percentile(const struct result_stage *s, const char *name, bool to, int decimals)
{
	const json_t *intervals = json_object_get(s->analysis, "intervals");
	const json_t *pair = json_object_get(json_object_get(intervals, "percentiles"), name);

	return worth_us(json_array_get(pair, to ? 1 : 0), decimals);
}

static void worth_average(struct page *p, const struct result_stage *s, int decimals)
{
	const json_t *intervals = json_object_get(s->analysis, "intervals");
	const json_t *pair = json_object_get(intervals, "avg_ns");
	int finer = MIN(decimals + 1, 3); /* than the average: both ends often look like it */
	g_autofree char *low = worth_us(json_array_get(pair, 0), finer);
	g_autofree char *high = worth_us(json_array_get(pair, 1), finer);

	if (!low || !high)
		return;
	page_text(p, 0,
		  "The average's 95 %% interval is %s to %s us, from how much %" JSON_INTEGER_FORMAT
		  " parts of the stage differ: of this run only, another boot may differ by more.",
		  low, high, json_integer_value(json_object_get(intervals, "batches")));
}

/* Of the CPUs' own maxima the weakest bound: that of the CPU with the fewest blocks; 0: none. */
static uint32_t worth_fewest(const struct result_stage *s, uint64_t length_ns)
{
	uint32_t fewest = 0;

	for (guint i = 0; i < s->cpus->len; i++) {
		const struct figures *f = ((struct result_cpu *)s->cpus->pdata[i])->figures;
		uint32_t n = figures_blocks_taken(f);

		if (n == 0 || f->block_length_ns > length_ns)
			continue;
		n = (uint32_t)(n * f->block_length_ns / length_ns);
		fewest = fewest ? MIN(fewest, n) : n;
	}
	return fewest;
}

static char *worth_cpus(const struct result_stage *s, const struct figures *all, uint32_t blocks)
{
	uint32_t fewest = worth_fewest(s, all->block_length_ns);
	g_autofree char *share = fewest > WORTH_BLOCKS ? cell_percent_bound(3, fewest) : NULL;

	if (s->cpus->len < 2)
		return g_strdup("");
	if (fewest >= blocks)
		return g_strdup("; so it is for each CPU's own maximum");
	if (share)
		return g_strdup_printf("; for each CPU's own maximum below %s", share);
	return g_strdup("");
}

static void worth_bound(struct page *p, const struct result_stage *s, const struct figures *all)
{
	uint32_t blocks = figures_blocks_taken(all);
	g_autofree char *length = cell_duration(all->block_length_ns);
	g_autofree char *max = cell_us(all->max_ns, cell_decimals(all));
	g_autofree char *share = NULL, *cpus = NULL;

	if (blocks <= WORTH_BLOCKS) {
		page_text(p, 0,
			  "The maximum, %s us, is the largest of %" PRIu64
			  " samples; %u block%s of %s "
			  "cannot tell yet how often a worse one comes.",
			  max, figures_count(all), blocks, blocks == 1 ? "" : "s", length);
		return;
	}
	share = cell_percent_bound(3, blocks);
	cpus = worth_cpus(s, all, blocks);
	page_text(p, 0,
		  "The maximum, %s us, is the largest of %" PRIu64
		  " samples. At 95 %%, a block of %s "
		  "holds a worse one with chance below %s (3 / %u blocks)%s.",
		  max, figures_count(all), length, share, blocks, cpus);
}

void text_worth(struct page *p, const struct result_stage *s, const struct figures *all)
{
	if (figures_count(all) == 0 || figures_foreign(all)) /* when each came is not known */
		return;
	page_blank(p);
	worth_average(p, s, cell_decimals(all));
	worth_bound(p, s, all);
}

/* Two digits that mean something, whatever the locale. */
static char *worth_expected(double x)
{
	int decimals = x > 0 ? CLAMP(1 - (int)floor(log10(x)), 0, WORTH_DECIMALS) : 0;
	char format[WORTH_TEXT_SIZE], text[WORTH_TEXT_SIZE];

	g_snprintf(format, sizeof(format), "%%.%df", decimals);
	return g_strdup(g_ascii_formatd(text, sizeof(text), format, x));
}

void text_worth_both(struct page *p, const struct result_stage *s)
{
	const json_t *both = json_object_get(s->analysis, "both");
	g_autofree char *expected = NULL, *above = NULL;

	if (!stageanalysis_two_latencies(s))
		return;
	page_blank(p);
	page_text(p, 0,
		  "Two latencies in one figure: which machine was late in a sample, the target or "
		  "this one, cannot be told. What the two add up to when both are late shows only "
		  "once they are late in the same sample. receive = \"poll\" shows the target "
		  "alone.");
	if (!json_is_object(both))
		return;
	expected = worth_expected(json_number_value(json_object_get(both, "expected")));
	above = cell_duration((uint64_t)json_integer_value(json_object_get(both, "above_ns")));
	page_text(p, 0,
		  "%" JSON_INTEGER_FORMAT " of %" JSON_INTEGER_FORMAT
		  " samples took %s or more. With such a chance on each machine, and if they do "
		  "not depend on one another, both at once is expected in %s of them.",
		  json_integer_value(json_object_get(both, "count")),
		  json_integer_value(json_object_get(both, "samples")), above, expected);
}
