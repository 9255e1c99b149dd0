/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Stages that were measured several times, in the text report and the page. */
#include "page.h"
#include "result.h"

/*
 * Every stage in a line, below those of one name their median and range. @repeats: repeats_of() @r.
 * @all: all of them are shown in full, too.
 */
void text_repeats(struct page *p, const struct result *r, const GPtrArray *repeats, bool all);
/* Is @stage shown in full where not all are? Of repeats only the one with the largest maximum. */
bool text_repeats_shown(const GPtrArray *repeats, const struct result_stage *stage);
