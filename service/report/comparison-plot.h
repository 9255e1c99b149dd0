/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * The plots of a comparison: every side has its colour in all of them.
 */
#include "comparison-internal.h"
#include "svg.h"

/* How many there may be of @g. */
unsigned comparison_plots(const struct comparison_group *g);
/*
 * Draw number @n at the cursor of @s, and say in @desc, for who cannot see it, what it shows.
 * false: there is nothing to draw, and nothing was.
 */
bool comparison_plot(struct svg *s, const struct comparison *c, const struct comparison_group *g,
		     unsigned n, GString *desc);
