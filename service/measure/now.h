/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * What a measuring loop asks the machine: the time, and which CPU it is on.
 */
#include <glib.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/rseq.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define NSEC_PER_SEC 1000000000ULL

static inline uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * NSEC_PER_SEC + (uint64_t)t.tv_nsec;
}

/*
 * A bare system call. The C library's clock_nanosleep() is a point where a thread can be cancelled
 * and does bookkeeping for that after every wake-up; nothing is cancelled here. Between the wake-up
 * and the reading of the clock there is then nothing but the way out of the kernel.
 */
static inline long now_call(long number, long a, long b, const void *c, const void *d)
{
#if defined(__x86_64__)
	register const void *r10 __asm__("r10") = d;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10)
			 : "rcx", "r11", "memory");
	return result;
#else
	return syscall(number, a, b, c, d);
#endif
}

static inline void now_sleep_until(const struct timespec *t)
{
	(void)now_call(SYS_clock_nanosleep, CLOCK_MONOTONIC, TIMER_ABSTIME, t, NULL);
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
	unsigned cpu = 0;

	if (G_LIKELY(word))
		return (int)*(const volatile uint32_t *)word;
	(void)now_call(SYS_getcpu, (long)&cpu, 0, NULL, NULL); /* cannot fail for a good address */
	return (int)cpu;
}
