/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "varint.h"

#include <errno.h>

void varint_put(GByteArray *out, unsigned __int128 v)
{
	uint8_t byte;

	do {
		byte = (v & 0x7f) | (v > 0x7f ? 0x80 : 0);
		g_byte_array_append(out, &byte, 1);
		v >>= 7;
	} while (v > 0);
}

int varint_get(struct varint_cursor *c, unsigned bits, unsigned __int128 *ret)
{
	unsigned __int128 v = 0;

	for (unsigned shift = 0; shift < bits && c->at < c->end; shift += 7) {
		uint8_t byte = *c->at++;

		if (bits - shift < 7 && (byte & 0x7f) >> (bits - shift))
			return -EBADMSG;
		v |= (unsigned __int128)(byte & 0x7f) << shift;
		if (byte & 0x80)
			continue;
		if (byte == 0 && shift > 0)
			return -EBADMSG;
		*ret = v;
		return 0;
	}
	return -EBADMSG;
}

int varint_get64(struct varint_cursor *c, uint64_t *ret)
{
	unsigned __int128 v;
	int r = varint_get(c, 64, &v);

	if (r == 0)
		*ret = v;
	return r;
}

void varint_put_buckets(GByteArray *out, const uint64_t *bucket)
{
	unsigned next = 0;

	for (unsigned b = 0; b < HISTOGRAM_BUCKETS; b++) {
		if (bucket[b] == 0)
			continue;
		varint_put(out, bucket[b]);
		varint_put(out, b - next);
		next = b + 1;
	}
	varint_put(out, 0);
}

int varint_get_buckets(struct varint_cursor *c, uint64_t *bucket)
{
	uint64_t count, skip = 0, next = 0;
	int r;

	while ((r = varint_get64(c, &count)) == 0 && count > 0) {
		r = varint_get64(c, &skip);
		if (r < 0)
			return r;
		if (skip >= HISTOGRAM_BUCKETS - next)
			return -EBADMSG;
		bucket[next + skip] = count;
		next += skip + 1;
	}
	return r;
}
