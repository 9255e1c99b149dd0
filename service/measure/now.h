/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * What a measuring loop asks the machine: the time, and which CPU it is on.
 */
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/rseq.h>
#include <time.h>

#define NSEC_PER_SEC 1000000000ULL

static inline uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * NSEC_PER_SEC + (uint64_t)t.tv_nsec;
}

static inline struct timespec now_timespec(uint64_t ns)
{
	return (struct timespec){
		.tv_sec = (time_t)(ns / NSEC_PER_SEC),
		.tv_nsec = (long)(ns % NSEC_PER_SEC),
	};
}

/*
 * The kernel keeps the number of the CPU in memory that libc registers for every thread (rseq(2)):
 * reading it costs one load. NULL where that is not so (valgrind, old kernels).
 */
static inline const uint32_t *now_cpu_word(void)
{
	struct rseq *area = (struct rseq *)((char *)__builtin_thread_pointer() + __rseq_offset);

	if (__rseq_size == 0 || (int32_t)area->cpu_id < 0)
		return NULL;
	return &area->cpu_id;
}

static inline int now_cpu(const uint32_t *word)
{
	return word ? (int)*(const volatile uint32_t *)word : sched_getcpu();
}
