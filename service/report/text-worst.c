/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The figures keep each CPU's largest samples; here they are merged by hand and not by
 * figures_add(), which forgets whose they were. The clock time is what one searches the journal or
 * a trace for.
 */
#include "text-worst.h"

#include "cell.h"
#include "table.h"

#include <inttypes.h>

#define TEXT_WORST 10

struct worst {
	const struct worst_sample *sample;
	int cpu;
};

/* Larger first; of equals the earlier, then the lower CPU. */
static gint worst_compare(gconstpointer a, gconstpointer b)
{
	const struct worst *x = a, *y = b;

	if (x->sample->latency_ns != y->sample->latency_ns)
		return x->sample->latency_ns < y->sample->latency_ns ? 1 : -1;
	if (x->sample->at_ns != y->sample->at_ns)
		return x->sample->at_ns > y->sample->at_ns ? 1 : -1;
	return x->cpu - y->cpu;
}

static GArray *worst_all(const struct result_stage *s)
{
	GArray *all = g_array_new(FALSE, FALSE, sizeof(struct worst));

	for (guint i = 0; i < s->cpus->len; i++) {
		const struct result_cpu *c = s->cpus->pdata[i];

		for (uint32_t k = 0; k < MIN(c->figures->n_worst, FIGURES_WORST); k++) {
			struct worst w = { &c->figures->worst[k], c->cpu };

			g_array_append_val(all, w);
		}
	}
	g_array_sort(all, worst_compare);
	return all;
}

static void worst_row(struct table *t, const struct result_stage *s, const struct worst *w,
		      int decimals)
{
	uint64_t at_us = w->sample->at_ns / 1000;

	table_row(t, PAGE_PLAIN);
	table_cell(t, cell_us(w->sample->latency_ns, decimals));
	table_cell(t, g_strdup_printf("%d", w->cpu));
	table_cell(t,
		   g_strdup_printf("%" PRIu64 ".%06" PRIu64 "s", at_us / 1000000, at_us % 1000000));
	table_cell(t, s->started_usec ? cell_time(s->started_usec + at_us, true) : NULL);
	table_cell(t, g_strdup(w->sample->self ? "self" : ""));
}

void text_worst(struct page *p, const struct result_stage *s, int decimals)
{
	g_autoptr(GArray) all = worst_all(s);
	struct table *t;
	bool self = false;

	if (all->len == 0)
		return;
	t = table_new();
	table_column(t, "worst", true);
	table_column(t, "CPU", true);
	table_column(t, "after start", true);
	table_column(t, "at (UTC)", false);
	table_column(t, "", false);
	for (guint i = 0; i < MIN(all->len, TEXT_WORST); i++) {
		const struct worst *w = &g_array_index(all, struct worst, i);

		self = self || w->sample->self;
		worst_row(t, s, w, decimals);
	}
	page_blank(p);
	table_print(t, p);
	if (self)
		page_text(p, 2, "self: within 10 ms of a write of our own to the disk.");
	table_free(t);
}
