/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * A table of text: a line of headings, then rows; columns as wide as their widest cell. Rows are
 * never cut: who wants less takes --json, and the pager scrolls sideways.
 */
#include "terminal.h"
#include <glib.h>

struct table;

/* @headings: "ID", or ">MAX" for a column set to the right. */
struct table *table_new(const char *const *headings, unsigned n);
void table_free(struct table *t);

/* The next cell, left to right; a row is full after n of them. Copied; "" is shown as "-". */
void table_cell(struct table *t, const char *text);
/* The same, takes the string over. */
void table_take(struct table *t, char *text);
unsigned table_rows(const struct table *t);

void table_print(const struct table *t, GString *out, const struct terminal *term);
