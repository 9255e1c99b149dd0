/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * A stage's distribution as it grew: cumulative histograms over all its CPUs, taken at checkpoints.
 * The difference of two neighbours is a batch: what was measured between them. From how much
 * batches differ comes an interval for a percentile, as batch means do for an average (samples that
 * follow one another are alike; batches of some length are not).
 *
 * At most SNAPSHOTS_MAX: when there are so many, every second one is dropped, and from then on only
 * every second one of what is offered is taken. So they stay evenly spaced. Plain data, one owner.
 */
#include "histogram.h"
#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#define SNAPSHOTS_MAX 32

struct snapshots;

struct snapshots *snapshots_new(void);
struct snapshots *snapshots_free(struct snapshots *s); /* NULL is fine; returns NULL */
struct snapshots *snapshots_copy(const struct snapshots *s);

/*
 * Offer the distribution as it was @at_ns after the stage's start (later than those before; else it
 * is not taken). @bucket: HISTOGRAM_BUCKETS counters, none smaller than before (else it is not
 * taken: a block was torn). true: it was taken.
 */
bool snapshots_offer(struct snapshots *s, uint64_t at_ns, const uint64_t *bucket);

unsigned snapshots_count(const struct snapshots *s);
uint64_t snapshots_at_ns(const struct snapshots *s, unsigned i);
/* What came between snapshot @i - 1 (0: the start) and @i: into @ret, HISTOGRAM_BUCKETS counters.
 */
void snapshots_batch(const struct snapshots *s, unsigned i, uint64_t *ret);

/* Bytes for the store; decode takes any bytes: -EBADMSG for what encode cannot have written. */
void snapshots_encode(const struct snapshots *s, GByteArray *ret);
int snapshots_decode(const void *data, size_t size, struct snapshots **ret);
