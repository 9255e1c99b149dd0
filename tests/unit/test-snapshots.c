/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "snapshots.h"

#include <errno.h>
#include <string.h>

struct growing {
	uint64_t bucket[HISTOGRAM_BUCKETS];
	unsigned n;
};

/* The @n-th offer: one sample in bucket n, and n in bucket 0. */
static bool offer(struct snapshots *s, struct growing *g)
{
	g->n++;
	g->bucket[g->n]++;
	g->bucket[0] += g->n;
	return snapshots_offer(s, g->n * 1000, g->bucket);
}

static void test_batches(void)
{
	g_autofree struct growing *g = g_new0(struct growing, 1);
	struct snapshots *s = snapshots_new();
	uint64_t batch[HISTOGRAM_BUCKETS];

	for (unsigned i = 1; i <= 10; i++)
		g_assert_true(offer(s, g));
	g_assert_cmpuint(snapshots_count(s), ==, 10);
	for (unsigned i = 0; i < 10; i++) {
		snapshots_batch(s, i, batch);
		g_assert_cmpuint(snapshots_at_ns(s, i), ==, (i + 1) * 1000);
		g_assert_cmpuint(batch[0], ==, i + 1);
		g_assert_cmpuint(histogram_count(batch), ==, i + 2);
	}
	snapshots_free(s);
}

/* However long it takes: evenly spaced, never more than there may be, and nothing lost between. */
static void test_thinned(void)
{
	g_autofree struct growing *g = g_new0(struct growing, 1);
	struct snapshots *s = snapshots_new();
	uint64_t batch[HISTOGRAM_BUCKETS], samples, step;

	while (g->n < 3000) {
		(void)offer(s, g);
		g_assert_cmpuint(snapshots_count(s), <, SNAPSHOTS_MAX);
		g_assert_true(g->n < SNAPSHOTS_MAX || snapshots_count(s) >= SNAPSHOTS_MAX / 2);
	}
	step = snapshots_at_ns(s, 0);
	samples = 0;
	for (unsigned i = 0; i < snapshots_count(s); i++) {
		g_assert_cmpuint(snapshots_at_ns(s, i), ==, (i + 1) * step);
		snapshots_batch(s, i, batch);
		samples += histogram_count(batch);
	}
	g->n = (unsigned)(snapshots_at_ns(s, snapshots_count(s) - 1) / 1000);
	g_assert_cmpuint(samples, ==, (uint64_t)g->n * (g->n + 1) / 2 + g->n);
	snapshots_free(s);
}

static void test_not_taken(void)
{
	g_autofree struct growing *g = g_new0(struct growing, 1);
	struct snapshots *s = snapshots_new();

	g_assert_true(offer(s, g));
	g_assert_false(snapshots_offer(s, 1000, g->bucket)); /* not later */
	g->bucket[1] = 0;
	g_assert_false(snapshots_offer(s, 2000, g->bucket)); /* it shrank */
	g->bucket[1] = 1;
	g_assert_true(snapshots_offer(s, 2000, g->bucket)); /* nothing new is fine */
	g_assert_cmpuint(snapshots_count(s), ==, 2);
	snapshots_free(s);
	g_assert_null(snapshots_free(NULL));
}

static void assert_equal(const struct snapshots *a, const struct snapshots *b)
{
	g_autoptr(GByteArray) x = g_byte_array_new(), y = g_byte_array_new();

	snapshots_encode(a, x);
	snapshots_encode(b, y);
	g_assert_cmpmem(x->data, x->len, y->data, y->len);
}

static void test_codec(void)
{
	g_autofree struct growing *g = g_new0(struct growing, 1);
	struct snapshots *s = snapshots_new();

	for (unsigned i = 0; i < 200; i++) {
		g_autoptr(GByteArray) data = g_byte_array_new();
		struct snapshots *back, *copy = snapshots_copy(s);

		snapshots_encode(s, data);
		g_assert_cmpint(snapshots_decode(data->data, data->len, &back), ==, 0);
		/* they go on alike */
		(void)offer(s, g);
		(void)snapshots_offer(back, g->n * 1000, g->bucket);
		(void)snapshots_offer(copy, g->n * 1000, g->bucket);
		assert_equal(s, back);
		assert_equal(s, copy);
		snapshots_free(back);
		snapshots_free(copy);
	}
	snapshots_free(s);
}

static void test_codec_refused(void)
{
	g_autofree struct growing *g = g_new0(struct growing, 1);
	g_autoptr(GByteArray) data = g_byte_array_new();
	struct snapshots *s = snapshots_new(), *back = NULL;

	for (unsigned i = 0; i < 5; i++)
		(void)offer(s, g);
	snapshots_encode(s, data);
	for (guint n = 0; n < data->len; n++)
		g_assert_cmpint(snapshots_decode(data->data, n, &back), ==, -EBADMSG);
	g_assert_cmpint(snapshots_decode(NULL, 0, &back), ==, -EBADMSG);
	g_byte_array_append(data, (const uint8_t *)"", 1);
	g_assert_cmpint(snapshots_decode(data->data, data->len, &back), ==, -EBADMSG);
	data->data[0]++; /* another version */
	g_assert_cmpint(snapshots_decode(data->data, data->len - 1, &back), ==, -EBADMSG);
	g_assert_null(back);
	snapshots_free(s);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/snapshots/batches", test_batches);
	g_test_add_func("/snapshots/thinned", test_thinned);
	g_test_add_func("/snapshots/not-taken", test_not_taken);
	g_test_add_func("/snapshots/codec", test_codec);
	g_test_add_func("/snapshots/codec-refused", test_codec_refused);
	return g_test_run();
}
