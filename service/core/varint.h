/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Numbers as bytes, seven bits in each, the lowest first: small ones take one. There is one form of
 * each number, so that bytes that were read are the bytes that would be written. Reading takes any
 * bytes: -EBADMSG.
 */
#include "histogram.h"
#include <glib.h>
#include <stdint.h>

struct varint_cursor {
	const uint8_t *at, *end;
};

void varint_put(GByteArray *out, unsigned __int128 v);
/* A number of at most @bits bits. */
int varint_get(struct varint_cursor *c, unsigned bits, unsigned __int128 *ret);
int varint_get64(struct varint_cursor *c, uint64_t *ret);

/*
 * HISTOGRAM_BUCKETS counters: pairs of (count, empty buckets before it), ended by a count of 0 that
 * no bucket in the list has. @bucket is all 0 before it is read into.
 */
void varint_put_buckets(GByteArray *out, const uint64_t *bucket);
int varint_get_buckets(struct varint_cursor *c, uint64_t *bucket);
