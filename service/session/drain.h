/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * A region read into a stage's result: the figures of each CPU, the live lines, the largest sample
 * so far. Also for a region that a dead daemon left. Owned by measuring.c (or by recovery).
 */
#include "region.h"
#include "result.h"
#include "sessions.h"

struct drain;

/*
 * Maps @fd read-only; -EBADMSG when it holds no region. @fd is not kept.
 */
int drain_new(int fd, struct drain **ret);
struct drain *drain_free(struct drain *d);

/*
 * Read all CPUs into @s->cpus (made the first time), started_usec, duration_ns. -EBADMSG when the
 * region is damaged (what had been read before stays).
 */
int drain_read(struct drain *d, struct result_stage *s);
/*
 * The same for a region whose writer was killed by us at @mono_ns: grid points that nothing came
 * for until then are missed, the wait that was still on is pending_ns.
 */
int drain_close(struct drain *d, struct result_stage *s, uint64_t mono_ns);

/* As the last drain_read() saw it. */
const struct region_header *drain_header(const struct drain *d);
size_t drain_live(const struct drain *d, struct session_live *ret, size_t max);
uint64_t drain_maximum_ns(const struct drain *d, int *ret_cpu);

/*
 * Our own commit to the disk began at @start and ended at @end (CLOCK_MONOTONIC): worst samples
 * within 10 ms of one are marked `self`, now and in every reading to come. In order of time.
 */
void drain_commit(struct drain *d, struct result_stage *s, uint64_t start_mono_ns,
		  uint64_t end_mono_ns);
