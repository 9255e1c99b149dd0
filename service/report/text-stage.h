/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * One stage of the text report.
 */
#include "page.h"

/* @number of @total, from 1. */
void text_stage(struct page *p, const struct result_stage *s, guint number, guint total);
