/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A sample that came once in a hundred thousand is what people look for, so it must have a bar:
 * every bin with a sample draws at least the smallest one, and when counts lie far apart the bars'
 * length is their logarithm (and the caption says so). The count stands beside it anyway.
 */
#include "bars.h"

#include "bins.h"
#include "cell.h"
#include "columns.h"

#include <math.h>

#define BARS_ROWS      20
#define BARS_LOG_RATIO 50 /* of the largest count to the smallest: from here on logarithmic */

struct bars {
	struct page *page;
	unsigned label, count, room; /* columns */
	uint64_t largest;
	bool logarithmic;
};

static char *bars_label(const struct bin *b)
{
	return b->low_ns == 0 ? g_strdup("0") : cell_duration(b->low_ns);
}

static void bars_measure(struct bars *v, const GArray *bins)
{
	uint64_t smallest = UINT64_MAX;

	for (guint i = 0; i < bins->len; i++) {
		const struct bin *b = &g_array_index(bins, struct bin, i);
		g_autofree char *label = bars_label(b), *count = cell_count(b->count);

		if (b->count == 0)
			continue;
		v->label = MAX(v->label, columns_of(label));
		v->count = MAX(v->count, columns_of(count));
		v->largest = MAX(v->largest, b->count);
		smallest = MIN(smallest, b->count);
	}
	for (guint i = 0; i < bins->len; i++) { /* labels of empty bins that are shown */
		g_autofree char *label = bars_label(&g_array_index(bins, struct bin, i));
		unsigned gap = bins_gap(bins, i);

		if (gap)
			i += gap - 1;
		else
			v->label = MAX(v->label, columns_of(label));
	}
	v->logarithmic = v->largest / BARS_LOG_RATIO >= smallest;
	v->room = v->page->width - v->label - v->count - 7;
}

/* Length in eighths of a column; at least one for a sample. */
static unsigned bars_eighths(const struct bars *v, uint64_t count)
{
	double share = v->logarithmic ? log1p((double)count) / log1p((double)v->largest)
				      : (double)count / (double)v->largest;

	return count ? MAX(1u, (unsigned)lround(share * v->room * 8)) : 0;
}

static void bars_bar(const struct bars *v, GString *bar, unsigned eighths)
{
	static const char *const parts[] = { "",       "\u258f", "\u258e", "\u258d",
					     "\u258c", "\u258b", "\u258a", "\u2589" };
	unsigned full = v->page->unicode ? eighths / 8 : (eighths + 7) / 8;

	for (unsigned i = 0; i < full; i++)
		g_string_append(bar, v->page->unicode ? "\u2588" : "#");
	if (v->page->unicode)
		g_string_append(bar, parts[eighths % 8]);
}

static void bars_row(const struct bars *v, const struct bin *b)
{
	g_autofree char *label = bars_label(b), *count = cell_count(b->count);
	g_autoptr(GString) bar = g_string_new(NULL);
	struct page *p = v->page;

	page_put(p, PAGE_PLAIN, "  ");
	page_pad(p, PAGE_PLAIN, label, v->label, true);
	page_put(p, PAGE_PLAIN, "  ");
	page_pad(p, PAGE_PLAIN, b->count ? count : "-", v->count, true);
	bars_bar(v, bar, bars_eighths(v, b->count));
	if (bar->len) {
		page_put(p, PAGE_PLAIN, " ");
		page_put(p, PAGE_PLAIN, bar->str);
	}
	page_blank(p);
}

void bars_print(const struct figures *f, struct page *p)
{
	g_autoptr(GArray) bins = bins_new(f, BARS_ROWS);
	struct bars v = { .page = p };

	if (bins->len == 0)
		return;
	bars_measure(&v, bins);
	page_text(p, 0, "Distribution, each row by its lower bound%s:",
		  v.logarithmic ? "; bars on a logarithmic scale" : "");
	for (guint i = 0; i < bins->len; i++) {
		unsigned gap = bins_gap(bins, i);

		if (gap) {
			page_put(p, PAGE_PLAIN, "  ");
			page_pad(p, PAGE_FAINT, ":", v.label, true);
			page_blank(p);
			i += gap - 1;
		} else {
			bars_row(&v, &g_array_index(bins, struct bin, i));
		}
	}
}
