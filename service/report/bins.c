/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Latencies spread over decades, and what matters lies at both ends: equal steps would put a whole
 * idle machine into the first row as soon as one sample takes a second. Preferred numbers (the E
 * series of IEC 60063) give bounds that people can read at any fineness. The finest that fits is
 * taken; it stays coarser than the buckets behind it, so that rows do not alternate.
 */
#include "bins.h"

#define BINS_GAP 3

static const uint8_t bins_e24[] = { 10, 11, 12, 13, 15, 16, 18, 20, 22, 24, 27, 30,
				    33, 36, 39, 43, 47, 51, 56, 62, 68, 75, 82, 91 };
static const uint8_t bins_e12[] = { 10, 12, 15, 18, 22, 27, 33, 39, 47, 56, 68, 82 };
static const uint8_t bins_e6[] = { 10, 15, 22, 33, 47, 68 };
static const uint8_t bins_e3[] = { 10, 20, 50 };
static const uint8_t bins_e1[] = { 10 };

static const struct bins_series {
	const uint8_t *tenths; /* of a decade's begin */
	unsigned n;
} bins_serieses[] = {
	{ bins_e24, G_N_ELEMENTS(bins_e24) }, { bins_e12, G_N_ELEMENTS(bins_e12) },
	{ bins_e6, G_N_ELEMENTS(bins_e6) },   { bins_e3, G_N_ELEMENTS(bins_e3) },
	{ bins_e1, G_N_ELEMENTS(bins_e1) },
};

/* The first bound of @s above @ns: UINT64_MAX when there is none in 64 bits. */
static uint64_t bins_next(const struct bins_series *s, uint64_t ns)
{
	for (u128 decade = 1; decade <= UINT64_MAX; decade *= 10)
		for (unsigned i = 0; i < s->n; i++) {
			u128 bound = decade * s->tenths[i] / 10;

			if (bound > UINT64_MAX)
				return UINT64_MAX;
			if (bound > ns)
				return (uint64_t)bound;
		}
	return UINT64_MAX;
}

/* The last bound of @s at or below @ns, which is above 0. */
static uint64_t bins_begin(const struct bins_series *s, uint64_t ns)
{
	uint64_t begin = 1, next;

	while ((next = bins_next(s, begin)) <= ns && next != UINT64_MAX)
		begin = next;
	return begin;
}

static void bins_append(GArray *bins, uint64_t low, uint64_t high)
{
	struct bin b = { low, high, 0 };

	g_array_append_val(bins, b);
}

static GArray *bins_fill(const struct figures *f, const struct bins_series *s)
{
	GArray *bins = g_array_new(FALSE, TRUE, sizeof(struct bin));

	for (unsigned b = 0; b < HISTOGRAM_BUCKETS; b++) {
		uint64_t value = figures_sample_ns(f, b);
		struct bin *last =
			bins->len ? &g_array_index(bins, struct bin, bins->len - 1) : NULL;

		if (f->bucket[b] == 0)
			continue;
		if (value == 0 && !last)
			bins_append(bins, 0, 1);
		else if (value > 0 && (!last || last->low_ns == 0)) {
			uint64_t begin = bins_begin(s, value);

			bins_append(bins, begin, bins_next(s, begin));
		}
		last = &g_array_index(bins, struct bin, bins->len - 1);
		while (value >= last->high_ns && last->high_ns != UINT64_MAX) {
			bins_append(bins, last->high_ns, bins_next(s, last->high_ns));
			last = &g_array_index(bins, struct bin, bins->len - 1);
		}
		last->count += f->bucket[b];
	}
	return bins;
}

unsigned bins_gap(const GArray *bins, unsigned i)
{
	unsigned n = 0;

	while (i + n < bins->len && g_array_index(bins, struct bin, i + n).count == 0)
		n++;
	return n >= BINS_GAP ? n : 0;
}

static unsigned bins_lines(const GArray *bins)
{
	unsigned lines = 0;

	for (unsigned i = 0; i < bins->len; lines++)
		i += MAX(bins_gap(bins, i), 1);
	return lines;
}

GArray *bins_new(const struct figures *f, unsigned rows)
{
	for (size_t i = 0;; i++) {
		GArray *bins = bins_fill(f, &bins_serieses[i]);

		if (bins_lines(bins) <= rows || i + 1 == G_N_ELEMENTS(bins_serieses))
			return bins;
		g_array_unref(bins);
	}
}
