/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The histogram as `cyclictest -h` of rt-tests prints it, because many plotting scripts read
 * exactly that: one row per microsecond with a column per thread, everything else behind '#'. Total
 * plus Overflows is the count. cyclictest's rows end where the user said; here at the maximum, but
 * not above CYCLICTEST_ROWS: a stall of a second would make a million rows of nothing, so what lies
 * above is counted in Overflows. The cycle numbers of overflows are not known and left out, as
 * cyclictest itself does with those that it had no room for.
 */
#include "cyclic.h"
#include "cell.h"
#include "report.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>

#define CYCLICTEST_ROWS 10000 /* 10 ms */

struct cyclictest_column {
	uint64_t row[CYCLICTEST_ROWS];
	uint64_t total, overflows, rows;
};

static struct cyclictest_column *cyclictest_column(const struct figures *f)
{
	struct cyclictest_column *c = g_new0(struct cyclictest_column, 1);

	c->overflows = f->unplaced;
	for (unsigned b = 0; b < HISTOGRAM_BUCKETS; b++) {
		uint64_t us = cyclic_us(f, b);

		if (f->bucket[b] == 0)
			continue;
		if (us >= CYCLICTEST_ROWS) {
			c->overflows += f->bucket[b];
			continue;
		}
		c->row[us] += f->bucket[b];
		c->total += f->bucket[b];
		c->rows = us + 1;
	}
	return c;
}

static void cyclictest_rows(const GPtrArray *columns, GString *out)
{
	uint64_t rows = 0;

	for (guint i = 0; i < columns->len; i++)
		rows = MAX(rows, ((struct cyclictest_column *)columns->pdata[i])->rows);
	for (uint64_t us = 0; us < rows; us++) {
		g_string_append_printf(out, "%06" PRIu64 " ", us);
		for (guint i = 0; i < columns->len; i++) {
			const struct cyclictest_column *c = columns->pdata[i];

			g_string_append_printf(out, "%s%06" PRIu64, i ? "\t" : "", c->row[us]);
		}
		g_string_append_c(out, '\n');
	}
}

/* One number of each thread behind '#'; "-" where there is none. */
static void cyclictest_latency(GString *out, bool known, uint64_t ns)
{
	if (known)
		g_string_append_printf(out, " %05" PRIu64, ns / 1000);
	else
		g_string_append(out, " -");
}

static void cyclictest_latencies(const GPtrArray *threads, GString *out)
{
	const struct figures *f;
	uint64_t ns = 0;
	bool known;

	g_string_append(out, "# Min Latencies:");
	for (guint i = 0; i < threads->len; i++) {
		f = ((struct result_cpu *)threads->pdata[i])->figures;
		known = figures_min_ns(f, &ns);
		cyclictest_latency(out, known, ns);
	}
	g_string_append(out, "\n# Avg Latencies:");
	for (guint i = 0; i < threads->len; i++) {
		double mean = 0;

		f = ((struct result_cpu *)threads->pdata[i])->figures;
		known = figures_mean_ns(f, &mean);
		cyclictest_latency(out, known, (uint64_t)mean);
	}
	g_string_append(out, "\n# Max Latencies:");
	for (guint i = 0; i < threads->len; i++) {
		f = ((struct result_cpu *)threads->pdata[i])->figures;
		known = figures_max_ns(f, &ns);
		cyclictest_latency(out, known, ns);
	}
	g_string_append_c(out, '\n');
}

static void cyclictest_overflows(const GPtrArray *columns, GString *out)
{
	g_string_append(out, "# Histogram Overflows:");
	for (guint i = 0; i < columns->len; i++) {
		const struct cyclictest_column *c = columns->pdata[i];

		g_string_append_printf(out, " %05" PRIu64, c->overflows);
	}
	g_string_append(out, "\n# Histogram Overflow at cycle number:\n");
	for (guint i = 0; i < columns->len; i++) {
		const struct cyclictest_column *c = columns->pdata[i];

		g_string_append_printf(out, "# Thread %u:", i);
		if (c->overflows)
			g_string_append_printf(out, " # %05" PRIu64 " others", c->overflows);
		g_string_append_c(out, '\n');
	}
}

/* What cyclictest does not say and a reader of the file wants to know. */
static void cyclictest_remarks(const struct result *r, const GPtrArray *threads, GString *out)
{
	g_autofree char *plan = cell_text(r->plan); /* a line break in it would end the remark */

	g_string_append_printf(out, "# lrtbfd session %s plan %s\n", r->id, plan);
	if (r->stages->len > 1)
		g_string_append_printf(out, "# Sum of %u stages\n", r->stages->len);
	for (guint i = 0; i < threads->len; i++) {
		const struct result_cpu *c = threads->pdata[i];

		g_string_append_printf(out, "# Thread %u is CPU %d\n", i, c->cpu);
	}
}

static int cyclictest_render(const struct result *r, const struct report_options *o, GString *out,
			     char **ret_message)
{
	g_autoptr(GPtrArray) threads = cyclic_threads(r);
	g_autoptr(GPtrArray) columns = g_ptr_array_new_with_free_func(g_free);

	if (threads->len == 0) {
		if (ret_message)
			*ret_message =
				g_strdup_printf("Session %s has measured on no CPU: there is no "
						"histogram to print.",
						r->id);
		return -EOPNOTSUPP;
	}
	for (guint i = 0; i < threads->len; i++) {
		const struct result_cpu *c = threads->pdata[i];

		g_ptr_array_add(columns, cyclictest_column(c->figures));
	}

	if (cyclic_dma_latency_us(r) >= 0)
		g_string_append_printf(out, "# /dev/cpu_dma_latency set to %ldus\n",
				       cyclic_dma_latency_us(r));
	g_string_append(out, "# Histogram\n");
	cyclictest_rows(columns, out);
	g_string_append(out, "# Total:");
	for (guint i = 0; i < columns->len; i++)
		g_string_append_printf(out, " %09" PRIu64,
				       ((struct cyclictest_column *)columns->pdata[i])->total);
	g_string_append_c(out, '\n');
	cyclictest_latencies(threads, out);
	cyclictest_overflows(columns, out);
	cyclictest_remarks(r, threads, out);
	return 0;
}

const struct report_format report_format_cyclictest = {
	.name = "cyclictest",
	.media_type = "text/plain; charset=utf-8",
	.description = "histogram as cyclictest -h prints it; stages added up",
	.render = cyclictest_render,
};
