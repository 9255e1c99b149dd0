/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Configuration text as tokens, by libconfig's lexical rules, with what libconfig would let pass in
 * silence refused. Embedded in confsyntax.c, its only user.
 */
#include "problem.h"
#include <stdbool.h>
#include <stddef.h>

#define CONFSCAN_SIZE_MAX (1024 * 1024)

enum conf_token {
	CONF_END,
	CONF_NAME,
	CONF_ASSIGN,	/* = : */
	CONF_SEPARATOR, /* ; */
	CONF_COMMA,
	CONF_STRING,
	CONF_BOOL,
	CONF_INT,
	CONF_INT64,
	CONF_OPEN_GROUP,
	CONF_CLOSE_GROUP,
	CONF_OPEN_ARRAY,
	CONF_CLOSE_ARRAY,
	CONF_OPEN_LIST,
	CONF_CLOSE_LIST,
	CONF_OTHER, /* nothing that configuration is made of */
};

struct confscan {
	const char *name; /* of the text, for problems */
	GPtrArray *problems;
	unsigned n_problems; /* noted here */
	bool cut;	     /* the text was cut short by a problem: no further ones are noted */
	/* the token that is looked at */
	enum conf_token token;
	const char *at;
	size_t len;
	unsigned line;
	/* where the next one is looked for */
	const char *s, *end;
	unsigned s_line;
};

/*
 * Begin with the first token of @text, which must have a NUL at @size and stay. -EINVAL with a
 * problem: over 1 MiB, NUL bytes, not UTF-8.
 */
int confscan_init(struct confscan *c, const char *text, size_t size, const char *name,
		  GPtrArray *problems);
/*
 * Look at the next token. Noted as problems on the way, the token standing all the same: integers
 * that do not fit their type, fractions, @include, escapes other than \" \\ \n \r \t \f, control
 * characters. Strings and comments without an end, and the 20th problem, cut the text short.
 */
void confscan_next(struct confscan *c);
void confscan_problem(struct confscan *c, unsigned line, const char *fmt, ...) G_GNUC_PRINTF(3, 4);
