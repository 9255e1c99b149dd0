/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Made-up trends for tests: the same in every run. */
#include "trend.h"

/*
 * @n sessions of a plan, a day apart, about 20 us; in the second half 30 us and another kernel;
 * each 17th without a value, each 23rd inconclusive, each 29th failed. Finished; of its first shift
 * the conditions are known.
 */
struct trend *trend_sample(unsigned n, const char *figure, bool by_kernel);
