/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * The top of the text report: what weakens the result, what was measured, how it ended, and for
 * more than one stage the table that puts them side by side. And its foot: what to do about the
 * weaknesses.
 */
#include "page.h"

void text_head(struct page *p, const struct result *r, const GPtrArray *notes);
void text_summary(struct page *p, const struct result *r);
void text_mends(struct page *p, const GPtrArray *notes);
enum page_style text_verdict_style(enum verdict v);
