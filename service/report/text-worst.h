/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * The worst samples of a stage with their times.
 */
#include "page.h"

/* The largest ten over all CPUs of @s; nothing when there is none. */
void text_worst(struct page *p, const struct result_stage *s, int decimals);
