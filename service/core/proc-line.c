/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Written by hand and not with strtoull(), which wants a NUL at the end, takes signs and follows
 * the locale.
 */
#include "proc-line.h"

#include <string.h>

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

bool proc_text_line(struct proc_text *t, struct proc_line *ret)
{
	const char *end;

	if (t->left == 0)
		return false;
	end = memchr(t->at, '\n', t->left);
	ret->at = t->at;
	ret->left = end ? (size_t)(end - t->at) : t->left;
	t->at += ret->left + (end ? 1 : 0);
	t->left -= ret->left + (end ? 1 : 0);
	return true;
}

static void line_advance(struct proc_line *l, size_t n)
{
	l->at += n;
	l->left -= n;
}

void proc_line_skip_blanks(struct proc_line *l)
{
	while (l->left > 0 && is_blank(*l->at))
		line_advance(l, 1);
}

bool proc_line_word(struct proc_line *l, const char *word)
{
	size_t length = strlen(word);

	if (l->left <= length || memcmp(l->at, word, length) != 0 || !is_blank(l->at[length]))
		return false;
	line_advance(l, length + 1);
	return true;
}

bool proc_line_number(struct proc_line *l, uint64_t *ret)
{
	struct proc_line rest = *l;
	uint64_t value = 0;
	size_t digits = 0;

	proc_line_skip_blanks(&rest);
	while (rest.left > 0 && *rest.at >= '0' && *rest.at <= '9') {
		if (__builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, *rest.at - '0', &value))
			return false;
		line_advance(&rest, 1);
		digits++;
	}
	if (digits == 0 || (rest.left > 0 && !is_blank(*rest.at)))
		return false;
	*l = rest;
	*ret = value;
	return true;
}
