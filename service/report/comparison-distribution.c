/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Of 3776 buckets some hundred hold samples: only these are kept, or 64 sides of a dozen loads
 * would take a hundred MiB.
 */
#include "comparison-internal.h"

struct share {
	unsigned bucket;
	uint64_t n;
};

struct comparison_distribution {
	GArray *shares;		 /* of struct share, rising */
	uint64_t min_ns, max_ns; /* of samples in buckets, and beyond where that is known */
	uint64_t unplaced, unplaced_from_ns; /* as in figures */
	bool max_known;
};

void comparison_distribution_free(struct comparison_distribution *d)
{
	if (!d)
		return;
	g_array_unref(d->shares);
	g_free(d);
}

static void distribution_merge(GArray *shares, const uint64_t *bucket)
{
	g_autoptr(GArray) old = g_array_copy(shares);
	guint at = 0;

	g_array_set_size(shares, 0);
	for (unsigned b = 0; b < HISTOGRAM_BUCKETS; b++) {
		struct share s = { b, bucket[b] };

		if (at < old->len && g_array_index(old, struct share, at).bucket == b)
			s.n += g_array_index(old, struct share, at++).n;
		if (s.n)
			g_array_append_val(shares, s);
	}
}

struct comparison_distribution *comparison_distribution_add(struct comparison_distribution *d,
							    const struct figures *f)
{
	uint64_t max = 0;

	if (figures_placed(f) == 0)
		return d;
	if (!d) {
		d = g_new0(struct comparison_distribution, 1);
		d->shares = g_array_new(FALSE, FALSE, sizeof(struct share));
		d->min_ns = UINT64_MAX;
		d->max_known = true;
		d->unplaced_from_ns = UINT64_MAX;
	}
	distribution_merge(d->shares, f->bucket);
	d->min_ns = MIN(d->min_ns, f->min_ns);
	d->max_known = d->max_known && figures_max_ns(f, &max);
	d->max_ns = MAX(d->max_ns, max);
	d->unplaced += f->unplaced;
	if (f->unplaced)
		d->unplaced_from_ns = MIN(d->unplaced_from_ns, f->unplaced_from_ns);
	return d;
}

struct figures *comparison_distribution_figures(const struct comparison_distribution *d)
{
	struct figures *f = figures_new();

	for (guint i = 0; i < d->shares->len; i++) {
		const struct share *s = &g_array_index(d->shares, struct share, i);

		f->bucket[s->bucket] = s->n;
		f->max_ns = histogram_high_ns(s->bucket) - 1;
	}
	f->min_ns = d->min_ns;
	f->unplaced = d->unplaced;
	f->unplaced_from_ns = d->unplaced ? d->unplaced_from_ns : 0;
	if (d->max_known) {
		f->max_ns = d->max_ns;
		f->stated = FIGURES_STATED_MAX;
	}
	return f;
}
