/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * A comparison's numbers as text: the same digits in every format for people. NULL: there is none.
 * g_free().
 */
#include "comparison-internal.h"

/* @value of @column: us with one decimal, a count, or as many decimals as a benchmark printed. */
char *comparison_value_text(const struct comparison_column *column, double value);
/* What @p has in @column, with the range over its sessions when it has several. */
char *comparison_figure_text(const struct comparison_group *g, const struct comparison_place *p,
			     unsigned column);
/* "+4.5", "+4.5 (+1.2 to +7.9)", "~", "~ (-0.3 to +0.4)". */
char *comparison_difference_text(const struct comparison_group *g, const struct comparison_place *p,
				 unsigned column);
/* In the tables of @g, of @side: NULL, or what must stand in every row. Not to be freed. */
const char *comparison_row_warning(const struct comparison_group *g, unsigned side);
/* Any figure in @column on any side of @g? */
bool comparison_column_used(const struct comparison *c, const struct comparison_group *g,
			    unsigned column);
/* "Latency: timer, policy fifo" */
char *comparison_group_title(const struct comparison_group *g);
