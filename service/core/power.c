/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "power.h"

#include <math.h>

#define POWER_NS_PER_SEC 1e9
/* -ln(0.05), which is what "three" in the rule of three is rounded from */
#define POWER_RULE_OF_THREE 3.0

double power_chance(double rate_hz, uint64_t duration_ns)
{
	return -expm1(-rate_hz * ((double)duration_ns / POWER_NS_PER_SEC));
}

uint64_t power_duration_ns(double rate_hz, double chance)
{
	double ns = -log1p(-chance) / rate_hz * POWER_NS_PER_SEC;

	return ns < (double)UINT64_MAX ? (uint64_t)ceil(ns) : UINT64_MAX;
}

double power_rate_bound_hz(uint64_t duration_ns)
{
	return POWER_RULE_OF_THREE / ((double)duration_ns / POWER_NS_PER_SEC);
}

double power_expected(double a, double b, uint64_t samples)
{
	return a * b * (double)samples;
}
