/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Figures as bytes for the store.
 *
 * Why varints: of 3776 buckets some hundred hold anything, and most counters are small: a stage of
 * a CPU takes one or two KiB instead of 160. Why one table for both directions: a field that is
 * written and not read back cannot happen. Numbers are in their shortest form only, so that there
 * is one encoding of a value and decode(encode(f)) = f both ways.
 */
#include "figures.h"

#include "varint.h"

#include <errno.h>
#include <string.h>

#define CODEC_VERSION	      1
#define CODEC_VERSION_FOREIGN 2 /* after all that: what is known in part */

static const size_t scalars64[] = {
	offsetof(struct figures, min_ns),
	offsetof(struct figures, max_ns),
	offsetof(struct figures, missed),
	offsetof(struct figures, lost),
	offsetof(struct figures, late),
	offsetof(struct figures, migrated),
	offsetof(struct figures, early),
	offsetof(struct figures, overrun),
	offsetof(struct figures, warmup),
	offsetof(struct figures, warmup_max_ns),
	offsetof(struct figures, within),
	offsetof(struct figures, within_bound_ns),
	offsetof(struct figures, nominal_ns),
	offsetof(struct figures, pending_ns),
	offsetof(struct figures, block_length_ns),
};

static const size_t scalars32[] = {
	offsetof(struct figures, has_grid),
	offsetof(struct figures, torn),
	offsetof(struct figures, n_worst),
	offsetof(struct figures, n_blocks),
};

static const size_t scalars128[] = {
	offsetof(struct figures, sum_ns),
	offsetof(struct figures, sum_sq_ns2),
	offsetof(struct figures, missed_sum_ns),
};

#define FIELD(type, f, offset) (*(type *)((char *)(f) + (offset)))

static void put_double(GByteArray *out, double d)
{
	uint64_t bits;

	memcpy(&bits, &d, sizeof(bits));
	varint_put(out, bits);
}

static int get_double(struct varint_cursor *c, double *ret)
{
	uint64_t bits;
	int r = varint_get64(c, &bits);

	if (r == 0)
		memcpy(ret, &bits, sizeof(bits));
	return r;
}

static void put_foreign(GByteArray *out, const struct figures *f)
{
	varint_put(out, f->unplaced);
	varint_put(out, f->unplaced_from_ns);
	varint_put(out, f->stated);
	put_double(out, f->stated_mean_ns);
	put_double(out, f->stated_stddev_ns);
}

static int get_foreign(struct varint_cursor *c, struct figures *f)
{
	u128 stated = 0;

	if (varint_get64(c, &f->unplaced) < 0 || varint_get64(c, &f->unplaced_from_ns) < 0 ||
	    varint_get(c, 32, &stated) < 0 || get_double(c, &f->stated_mean_ns) < 0 ||
	    get_double(c, &f->stated_stddev_ns) < 0)
		return -EBADMSG;
	f->stated = (uint32_t)stated;
	return figures_foreign(f) ? 0 : -EBADMSG;
}

void figures_encode(const struct figures *f, GByteArray *ret)
{
	varint_put(ret, figures_foreign(f) ? CODEC_VERSION_FOREIGN : CODEC_VERSION);
	for (size_t i = 0; i < G_N_ELEMENTS(scalars32); i++)
		varint_put(ret, FIELD(const uint32_t, f, scalars32[i]));
	for (size_t i = 0; i < G_N_ELEMENTS(scalars64); i++)
		varint_put(ret, FIELD(const uint64_t, f, scalars64[i]));
	for (size_t i = 0; i < G_N_ELEMENTS(scalars128); i++)
		varint_put(ret, FIELD(const u128, f, scalars128[i]));
	varint_put_buckets(ret, f->bucket);
	varint_put_buckets(ret, f->missed_bucket);
	for (uint32_t i = 0; i < f->n_worst; i++) {
		varint_put(ret, f->worst[i].latency_ns);
		varint_put(ret, f->worst[i].at_ns);
		varint_put(ret, f->worst[i].self);
	}
	for (uint32_t i = 0; i < f->n_blocks; i++) {
		varint_put(ret, f->blocks[i].count);
		if (f->blocks[i].count == 0)
			continue;
		varint_put(ret, f->blocks[i].max_ns);
		varint_put(ret, f->blocks[i].sum_ns);
	}
	if (figures_foreign(f))
		put_foreign(ret, f);
}

static int get_scalars(struct varint_cursor *c, struct figures *f)
{
	u128 v;

	for (size_t i = 0; i < G_N_ELEMENTS(scalars32); i++) {
		if (varint_get(c, 32, &v) < 0)
			return -EBADMSG;
		FIELD(uint32_t, f, scalars32[i]) = v;
	}
	for (size_t i = 0; i < G_N_ELEMENTS(scalars64); i++)
		if (varint_get64(c, &FIELD(uint64_t, f, scalars64[i])) < 0)
			return -EBADMSG;
	for (size_t i = 0; i < G_N_ELEMENTS(scalars128); i++) {
		if (varint_get(c, 128, &v) < 0)
			return -EBADMSG;
		FIELD(u128, f, scalars128[i]) = v;
	}
	return f->n_worst > FIGURES_WORST || f->n_blocks > FIGURES_BLOCKS ? -EBADMSG : 0;
}

static int get_lists(struct varint_cursor *c, struct figures *f)
{
	uint64_t self = 0;

	for (uint32_t i = 0; i < f->n_worst; i++) {
		if (varint_get64(c, &f->worst[i].latency_ns) < 0 ||
		    varint_get64(c, &f->worst[i].at_ns) < 0 || varint_get64(c, &self) < 0 ||
		    self > 1)
			return -EBADMSG;
		f->worst[i].self = self;
	}
	for (uint32_t i = 0; i < f->n_blocks; i++) {
		if (varint_get64(c, &f->blocks[i].count) < 0)
			return -EBADMSG;
		if (f->blocks[i].count > 0 && (varint_get64(c, &f->blocks[i].max_ns) < 0 ||
					       varint_get64(c, &f->blocks[i].sum_ns) < 0))
			return -EBADMSG;
	}
	return 0;
}

int figures_decode(const void *data, size_t size, struct figures **ret)
{
	g_autofree struct figures *f = figures_new();
	struct varint_cursor c;
	uint64_t version;

	if (size == 0) /* and @data perhaps NULL, to which nothing may be added */
		return -EBADMSG;
	c = (struct varint_cursor){ .at = data, .end = (const uint8_t *)data + size };
	if (varint_get64(&c, &version) < 0 || version < CODEC_VERSION ||
	    version > CODEC_VERSION_FOREIGN || get_scalars(&c, f) < 0 ||
	    varint_get_buckets(&c, f->bucket) < 0 || varint_get_buckets(&c, f->missed_bucket) < 0 ||
	    get_lists(&c, f) < 0 || (version == CODEC_VERSION_FOREIGN && get_foreign(&c, f) < 0) ||
	    c.at != c.end)
		return -EBADMSG;
	if (figures_check(f) < 0)
		return -EBADMSG;
	*ret = g_steal_pointer(&f);
	return 0;
}
