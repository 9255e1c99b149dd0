/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * What may still come, of a stage's analysis (stageanalysis.h, tail.h): levels in time with their
 * intervals, or why nobody can tell.
 */
#include "page.h"

/* Nothing when the stage has no analysis, or no blocks of its own. */
void text_tail(struct page *p, const struct result_stage *s, int decimals);
