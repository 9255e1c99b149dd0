/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * A table on a page. Columns are as wide as their widest cell; one too wide for the page is folded:
 * the first column again, then the columns that did not fit.
 */
#include "page.h"

struct table;

struct table *table_new(void);
/* Columns first. @right: numbers. */
void table_column(struct table *t, const char *title, bool right);
/* A row, then its cells from left to right; missing ones and NULL are shown as "-". */
void table_row(struct table *t, enum page_style style);
/* Takes @text (g_free). */
void table_cell(struct table *t, char *text);
void table_print(const struct table *t, struct page *p);
void table_free(struct table *t);
