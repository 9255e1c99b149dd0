/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * From figures and findings to a verdict. fail > inconclusive > pass; a limit that was exceeded
 * fails even on a doubtful stage. Pure.
 */
#include "plan.h"
#include "result.h"

/*
 * Adds to s->findings what the figures show (migrated, early, pending, no samples, count too
 * small). @limits: of struct limit, as they are for this stage (baseline.h); NULL: none.
 */
void verdict_findings(struct result_stage *s, const struct plan *p, const GArray *limits);
/* Fills s->limits (the sum of all CPUs; max per CPU names the CPU) and s->verdict. */
void verdict_stage(struct result_stage *s, const GArray *limits);
/* r->verdict and r->summary from its stages. */
void verdict_session(struct result *r, const struct plan *p);
