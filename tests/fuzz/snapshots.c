/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The store's encoding of a distribution as it grew: what decodes encodes to the same bytes, and
 * can be gone on with.
 */
#include "snapshots.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autoptr(GByteArray) again = g_byte_array_new();
	g_autofree uint64_t *bucket = g_new0(uint64_t, HISTOGRAM_BUCKETS);
	struct snapshots *s = NULL;

	if (snapshots_decode(data, size, &s) < 0)
		return 0;
	snapshots_encode(s, again);
	g_assert_cmpmem(data, size, again->data, again->len);
	for (unsigned i = 0; i < snapshots_count(s); i++)
		snapshots_batch(s, i, bucket);
	for (unsigned i = 0; i < 2 * SNAPSHOTS_MAX; i++)
		(void)snapshots_offer(s, UINT64_MAX - 100 + i, bucket);
	snapshots_free(s);
	return 0;
}
