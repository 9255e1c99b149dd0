/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * What is wrong with an input, for the one who wrote it: where, what, and what to do.
 */
#include <glib.h>

struct problem {
	char *file;    /* as the user knows it; "" for text that came over the bus */
	unsigned line; /* 1-based; 0: the file as a whole */
	char *text;    /* a sentence without file:line */
};

/* Appends to @problems (a GPtrArray made by problems_new(); NULL: dropped). Returns -EINVAL. */
int problem_add(GPtrArray *problems, const char *file, unsigned line, const char *fmt, ...)
	G_GNUC_PRINTF(4, 5);

GPtrArray *problems_new(void); /* frees its members */
/* All of them, one per line: "file:line: text". g_free(). */
char *problems_format(const GPtrArray *problems);
