/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why differences and not the histograms themselves: that is what is asked for, what takes least
 * room (between two checkpoints few buckets change), and what makes dropping every second snapshot
 * an addition of two batches.
 */
#include "snapshots.h"

#include "varint.h"

#include <errno.h>
#include <string.h>

#define SNAPSHOTS_VERSION 1

struct snapshot {
	uint64_t at_ns;
	uint64_t batch[HISTOGRAM_BUCKETS]; /* what came since the one before */
};

struct snapshots {
	GPtrArray *list;		   /* of struct snapshot */
	uint64_t total[HISTOGRAM_BUCKETS]; /* as of the last one */
	uint32_t stride;		   /* one of so many offers is taken */
	uint32_t offered;		   /* since the last one that was taken */
};

struct snapshots *snapshots_new(void)
{
	struct snapshots *s = g_new0(struct snapshots, 1);

	s->list = g_ptr_array_new_with_free_func(g_free);
	s->stride = 1;
	return s;
}

struct snapshots *snapshots_free(struct snapshots *s)
{
	if (!s)
		return NULL;
	g_ptr_array_unref(s->list);
	g_free(s);
	return NULL;
}

static void *snapshot_copy(const void *data, void *unused)
{
	return g_memdup2(data, sizeof(struct snapshot));
}

struct snapshots *snapshots_copy(const struct snapshots *src)
{
	struct snapshots *s = g_memdup2(src, sizeof(*src));

	s->list = g_ptr_array_copy(src->list, (GCopyFunc)snapshot_copy, NULL);
	return s;
}

/* Each second one goes: its batch is the beginning of the next one's. */
static void snapshots_halve(struct snapshots *s)
{
	GPtrArray *kept = g_ptr_array_new_with_free_func(g_free);

	for (guint i = 0; i < s->list->len; i += 2) {
		struct snapshot *first = s->list->pdata[i], *second = s->list->pdata[i + 1];

		for (unsigned b = 0; b < HISTOGRAM_BUCKETS; b++)
			second->batch[b] += first->batch[b];
		g_ptr_array_add(kept, second);
		s->list->pdata[i + 1] = NULL;
	}
	g_ptr_array_unref(s->list);
	s->list = kept;
	s->stride *= 2;
}

static bool snapshots_grew(const struct snapshots *s, uint64_t at_ns, const uint64_t *bucket)
{
	if (s->list->len > 0 && at_ns <= snapshots_at_ns(s, s->list->len - 1))
		return false;
	for (unsigned b = 0; b < HISTOGRAM_BUCKETS; b++)
		if (bucket[b] < s->total[b])
			return false;
	return true;
}

bool snapshots_offer(struct snapshots *s, uint64_t at_ns, const uint64_t *bucket)
{
	struct snapshot *new;

	if (!snapshots_grew(s, at_ns, bucket) || ++s->offered < s->stride)
		return false;
	s->offered = 0;
	new = g_new(struct snapshot, 1);
	new->at_ns = at_ns;
	for (unsigned b = 0; b < HISTOGRAM_BUCKETS; b++)
		new->batch[b] = bucket[b] - s->total[b];
	memcpy(s->total, bucket, sizeof(s->total));
	g_ptr_array_add(s->list, new);
	if (s->list->len == SNAPSHOTS_MAX)
		snapshots_halve(s);
	return true;
}

unsigned snapshots_count(const struct snapshots *s)
{
	return s->list->len;
}

uint64_t snapshots_at_ns(const struct snapshots *s, unsigned i)
{
	return ((const struct snapshot *)s->list->pdata[i])->at_ns;
}

void snapshots_batch(const struct snapshots *s, unsigned i, uint64_t *ret)
{
	const struct snapshot *one = s->list->pdata[i];

	memcpy(ret, one->batch, sizeof(one->batch));
}

void snapshots_encode(const struct snapshots *s, GByteArray *ret)
{
	varint_put(ret, SNAPSHOTS_VERSION);
	varint_put(ret, s->stride);
	varint_put(ret, s->offered);
	varint_put(ret, s->list->len);
	for (guint i = 0; i < s->list->len; i++) {
		const struct snapshot *one = s->list->pdata[i];

		varint_put(ret, one->at_ns);
		varint_put_buckets(ret, one->batch);
	}
}

/* One more, later than those before; no counter may wrap. */
static int snapshots_get(struct varint_cursor *c, struct snapshots *s)
{
	struct snapshot *one = g_new0(struct snapshot, 1);
	guint n = s->list->len;

	g_ptr_array_add(s->list, one);
	if (varint_get64(c, &one->at_ns) < 0 || varint_get_buckets(c, one->batch) < 0 ||
	    (n > 0 && one->at_ns <= snapshots_at_ns(s, n - 1)))
		return -EBADMSG;
	for (unsigned b = 0; b < HISTOGRAM_BUCKETS; b++)
		if (__builtin_add_overflow(s->total[b], one->batch[b], &s->total[b]))
			return -EBADMSG;
	return 0;
}

static int snapshots_get_all(struct varint_cursor *c, struct snapshots *s)
{
	uint64_t version, stride, offered, n;

	if (varint_get64(c, &version) < 0 || version != SNAPSHOTS_VERSION ||
	    varint_get64(c, &stride) < 0 || varint_get64(c, &offered) < 0 ||
	    varint_get64(c, &n) < 0 || stride == 0 || stride > UINT32_MAX || offered >= stride ||
	    n >= SNAPSHOTS_MAX)
		return -EBADMSG;
	s->stride = (uint32_t)stride;
	s->offered = (uint32_t)offered;
	while (s->list->len < n)
		if (snapshots_get(c, s) < 0)
			return -EBADMSG;
	return c->at == c->end ? 0 : -EBADMSG;
}

int snapshots_decode(const void *data, size_t size, struct snapshots **ret)
{
	struct snapshots *s = snapshots_new();
	struct varint_cursor c = { 0 };

	if (size > 0) /* else @data is perhaps NULL, to which nothing may be added */
		c = (struct varint_cursor){ .at = data, .end = (const uint8_t *)data + size };
	if (snapshots_get_all(&c, s) < 0) {
		snapshots_free(s);
		return -EBADMSG;
	}
	*ret = s;
	return 0;
}
