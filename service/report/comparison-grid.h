/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * A table whose rows are named by several columns (kernel and load). As text too wide a one is
 * folded and these columns are repeated, so that every line tells what it is of; as HTML and
 * Markdown it is whole.
 */
#include "page.h"

struct comparison_grid;

/* @names: how many of the columns, from the left, name the row. */
struct comparison_grid *comparison_grid_new(unsigned names);
struct comparison_grid *comparison_grid_free(struct comparison_grid *g); /* returns NULL */
/* Columns first; numbers but for those that name the row. Takes @title (g_free). */
void comparison_grid_column(struct comparison_grid *g, char *title);
void comparison_grid_row(struct comparison_grid *g, enum page_style style);
/* Takes @text; NULL: "-". */
void comparison_grid_cell(struct comparison_grid *g, char *text);

void comparison_grid_print(const struct comparison_grid *g, struct page *p);
void comparison_grid_markdown(const struct comparison_grid *g, GString *out);
