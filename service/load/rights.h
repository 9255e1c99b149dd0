/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * What a load may do: who it runs as and within which bounds. Called by lrtbf-load's processes on
 * themselves; inherited by everything a load starts.
 */
#include "errand.h"

/* Ordinary scheduling, the errand's CPUs, no core files, bounded files, first to go when memory is
 * short. */
int rights_bound(const struct errand *e);

/* Become nobody when the errand says so; without capabilities, and none to gain, unless it keeps
 * them. */
int rights_drop(const struct errand *e);
