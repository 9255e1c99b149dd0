/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Lines, words and numbers in bytes that need not end with a NUL: what all parsers of /proc files
 * are made of. Pure.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct proc_text { /* what is left of a text */
	const char *at;
	size_t left;
};

struct proc_line { /* what is left of a line, without its newline */
	const char *at;
	size_t left;
};

/* The next line; false at the end. */
bool proc_text_line(struct proc_text *t, struct proc_line *ret);
void proc_line_skip_blanks(struct proc_line *l);
/* The line begins with @word and a blank, which are skipped; else it stays as it is. */
bool proc_line_word(struct proc_line *l, const char *word);
/* Blanks and a decimal number of 64 bits, then a blank or the end; else the line stays as it is. */
bool proc_line_number(struct proc_line *l, uint64_t *ret);
