/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * What a stage's limits come to: those against a baseline get their bounds from the sessions that
 * belong to it. Event loop's thread; reads the store.
 */
#include "plan.h"
#include "result.h"
#include "store.h"

#define BASELINE_SESSIONS     100 /* the newest so many of a baseline count */
#define BASELINE_SESSIONS_MAX 20  /* without so many there is no bound on a maximum */

/*
 * The limits of @p (maybe NULL) for stage @s of @r: g_array_unref(). A bound that is not to be had
 * is a finding of the stage, with the reason, and its limit stays unbound.
 */
GArray *baseline_limits(struct store *store, const struct result *r, const struct plan *p,
			struct result_stage *s);
