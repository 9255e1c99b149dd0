/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * What a duration can show: how rare an event may be and still be seen, and how long it takes to
 * see a rarer one. For events that come independently at a constant rate (a Poisson process); a
 * cluster of late samples is one event. In time and not in samples, because samples cluster.
 *
 *	chance of seeing one at least	1 - exp(-rate * duration)
 *	95 % bound on the rate when none was seen	3 / duration	("rule of three")
 */
#include <stdint.h>

/* 0..1. @rate_hz >= 0: events per second. */
double power_chance(double rate_hz, uint64_t duration_ns);
/* The duration in which an event of @rate_hz (> 0) is seen with chance @chance (0 < chance < 1). */
uint64_t power_duration_ns(double rate_hz, double chance);
/* Events per second that cannot be excluded (95 %) after none in @duration_ns (> 0). */
double power_rate_bound_hz(uint64_t duration_ns);

/*
 * In how many of @samples two things are expected at once that happen in one sample with chance
 * @a and with chance @b, each by itself, and do not depend on one another. @b 1: one thing.
 */
double power_expected(double a, double b, uint64_t samples);
