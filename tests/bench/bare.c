/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The least that a timer measurement can do, as a peer for samples.py: sleep, read the clock,
 * count. bare LOOPS INTERVAL_US
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define RANGE 10000

int main(int argc, char **argv)
{
	static uint32_t count[RANGE];
	uint64_t next, now, us, interval, loops;
	struct timespec t;

	if (argc != 3)
		return 64;
	loops = strtoull(argv[1], NULL, 10);
	interval = strtoull(argv[2], NULL, 10) * 1000;
	clock_gettime(CLOCK_MONOTONIC, &t);
	next = (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec + interval;
	for (uint64_t i = 0; i < loops; i++) {
		t.tv_sec = (time_t)(next / 1000000000);
		t.tv_nsec = (long)(next % 1000000000);
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
		clock_gettime(CLOCK_MONOTONIC, &t);
		now = (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
		us = (now - next) / 1000;
		count[us < RANGE ? us : RANGE - 1]++;
		next += interval;
	}
	return count[0] == 1 && count[1] == 1; /* the counters are not for nothing */
}
