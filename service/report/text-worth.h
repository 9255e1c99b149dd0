/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * What a stage's figures are worth: how sure they are, what the maximum says of what is still to
 * come, and what a figure hides. The numbers are those of the stage's analysis (stageanalysis.h),
 * and none where it has none; but the bound on a worse maximum, which the figures themselves give.
 */
#include "page.h"

/* The average's interval, and the maximum's bound. @all: of all CPUs. */
void text_worth(struct page *p, const struct result_stage *s, const struct figures *all);
/* "from" and "to" of percentile @name in us; NULL: not known. g_free(). */
char *text_worth_percentile(const struct result_stage *s, const char *name, bool to, int decimals);
/* Of a logger that receives by interrupt: what two latencies in one figure hide. */
void text_worth_both(struct page *p, const struct result_stage *s);
