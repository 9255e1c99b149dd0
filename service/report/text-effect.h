/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * What a machine did during a stage, as a table of rates.
 */
#include "page.h"

/* @metrics: of struct result_metric; nothing is printed when there is none. */
void text_effect(struct page *p, const GPtrArray *metrics, const char *title);
