/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * One measuring thread: pinned to its CPU, its policy set and read back, its block of the region
 * touched, then the instrument's loop. Owned by crew.c; the control thread starts it and ends it.
 */
#include "instrument.h"
#include "order.h"
#include "region.h"
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>

enum worker_state {
	WORKER_PREPARING,
	WORKER_READY,	/* waits for the start */
	WORKER_RUNNING, /* warm-up or measuring */
	WORKER_DONE,	/* the loop has ended; results below are final */
	WORKER_FAILED,	/* error and text say why; the thread has ended */
};

#define WORKER_FINDINGS 4 /* one thread may have so many */

struct worker {
	/* configuration: set before the thread is made */
	const struct order *order;
	const struct instrument *instrument;
	struct region_cpu *block;
	int cpu;
	unsigned index, n_workers;
	bool realtime, spare;	  /* rest.h: keeps others from its CPU; one is left to them */
	sem_t *go;		  /* the start, or the order to give up */
	const uint64_t *start_ns; /* stage start; set before go */
	pthread_t control;	  /* gets SIGUSR1 at every change of state */
	/* changed by the thread */
	pthread_t thread;
	uint64_t end_ns; /* atomic: measuring ends at the first wake-up for a later time; 0: now */
	uint32_t state;	 /* atomic, enum worker_state */
	int error;	 /* also of WORKER_DONE: it could not go on, and keeps its samples */
	char text[REGION_TEXT];
	uint64_t begin_ns;	  /* atomic: when its warm-up was over; 0: never */
	uint64_t broke_ns;	  /* the sample that met the break value; 0: none */
	uint64_t warmup_broke_ns; /* largest such one in the warm-up */
	uint32_t rests;
	const char *findings[WORKER_FINDINGS]; /* static ids; NULL: none */
	void *data;			       /* the instrument's, from prepare() to finish() */
	long faults_minor, faults_major;
};

#define WORKER_END_OPEN UINT64_MAX /* end_ns: not known yet */

/* Make the thread. -errno of pthread_create(3). @w must outlive it. */
int worker_start(struct worker *w);

enum worker_state worker_state(const struct worker *w);

/* From the control thread: end at the next wake-up, and wake up. Repeat until it is done. */
void worker_stop(struct worker *w);

/* For instruments. The warm-up is over: measuring ends at @end_ns. Nothing after a stop in it. */
void worker_begin(struct worker *w, uint64_t end_ns);

/* For instruments. Something that weakens the samples: a finding's id (static). Once each. */
void worker_find(struct worker *w, const char *id);
/* For instruments, whose loop then ends. It cannot go on: -errno and a sentence, which is freed. */
void worker_give_up(struct worker *w, int error, char *text);

static inline uint64_t worker_end_ns(const struct worker *w)
{
	return __atomic_load_n(&w->end_ns, __ATOMIC_RELAXED);
}

static inline bool worker_stopped(const struct worker *w)
{
	return worker_end_ns(w) == 0;
}
