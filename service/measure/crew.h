/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * All measuring threads of one measurement, one per block of the region. Owned by measurement.c and
 * called by its control thread alone, which waits for their news (SIGUSR1) itself.
 */
#include "worker.h"

struct crew {
	struct worker *workers;
	unsigned n;	   /* threads made */
	sem_t go;	   /* what they wait for when ready */
	uint64_t start_ns; /* stage start; set before crew_release() */
};

void crew_init(struct crew *c);
/* No thread may be left. */
void crew_done(struct crew *c);

/*
 * Make the threads; they come to WORKER_READY or WORKER_FAILED by themselves. @spare: a CPU is left
 * to the system. -errno with a sentence (g_free): those made before wait for crew_release().
 */
int crew_start(struct crew *c, const struct order *o, const struct instrument *instrument,
	       struct region_header *h, bool spare, char **ret_message);

/* The first in @state; NULL: none. */
struct worker *crew_find(struct crew *c, enum worker_state state);
bool crew_all_done(const struct crew *c);
/* One has met the break value. */
bool crew_broke(const struct crew *c);
/* One has ended because it could not go on; NULL: none. */
struct worker *crew_find_broken(struct crew *c);
/* When the last one should have ended; WORKER_END_OPEN while one does not know yet. */
uint64_t crew_end_ns(const struct crew *c);

/* Let those go that are ready. */
void crew_release(struct crew *c);
/* End them; again until all are done. */
void crew_stop(struct crew *c);
/* Take back those that are done, once; returns how many are not. */
int crew_join(struct crew *c);

/* When the first of them had its warm-up behind it (CLOCK_MONOTONIC); 0: none yet. */
uint64_t crew_begin_ns(const struct crew *c);

/* Call @found for what weakens their samples, once for each id. */
void crew_findings(const struct crew *c, void (*found)(const char *id, void *userdata),
		   void *userdata);

/* Write what they say together into @h; *ret_rests: how often they rested. */
void crew_sum_up(const struct crew *c, struct region_header *h, uint32_t *ret_rests);
