/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * A histogram drawn in characters.
 */
#include "figures.h"
#include "page.h"

/* The distribution of @f on @p, with a line that says what the bars' length means. Nothing without
 * samples. */
void bars_print(const struct figures *f, struct page *p);
