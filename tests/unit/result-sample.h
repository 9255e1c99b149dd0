/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Made-up results for tests: the same bytes in every run and on every machine.
 */
#include "result.h"

struct result_sample {
	const char *name;
	struct result *(*make)(void); /* result_free() */
};

/* All of them, to run a test over; ends with .name NULL. */
extern const struct result_sample result_samples[];

/* 2 CPUs, one stage, a kept limit: the ordinary result. */
struct result *sample_idle(void);
/* 4 stages, the policy fell back, a broken limit, migrated samples, an absent load, a stall with
 * missed periods. */
struct result *sample_hell(void);
/* Failed before its first stage. */
struct result *sample_failed(void);
struct result *sample_queued(void);
/* cpuloop: no grid, samples of 0, a CPU without samples, a bound, early passes. */
struct result *sample_gaps(void);
/* 70 CPUs, a maximum of an hour. */
struct result *sample_many(void);
/* A logger that receives by interrupt: losses, and what the kernel module said. */
struct result *sample_port(void);
/* The same kind on two machines: one stage with the peer's part, one whose peer was lost. */
struct result *sample_peer(void);
/* Two stages three times, in the order A B B A A B, with limits against a baseline. */
struct result *sample_repeats(void);
/* Quotes, control characters, bytes that are not UTF-8 wherever text can be. */
struct result *sample_hostile(void);
