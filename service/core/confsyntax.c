/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why libconfig's grammar again: on a syntax error libconfig 1.5 says two words and loses the
 * strings it had read (found by fuzzing: a caller that sends bad plans in a loop would eat the
 * service's memory). So it is given only what it will take, and the errors can say what was
 * expected.
 *
 *	settings	{ NAME ("=" | ":") value [ ";" | "," ] }
 *	value		scalar | "[" [ scalar { "," scalar } ] "]" | "(" [ value { "," value } ] ")"
 *			| "{" settings "}"
 *	scalar		INTEGER | BOOLEAN | STRING { STRING }
 *
 * It descends by recursion, as deep as CONFSYNTAX_DEPTH_MAX. The first error of syntax ends it:
 * what follows one is guesswork.
 */
#include "confsyntax.h"

#include "confscan.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

struct confsyntax {
	struct confscan scan;
	unsigned n_settings, depth;
};

static bool syntax_fail(struct confsyntax *x, const char *expected)
{
	struct confscan *c = &x->scan;

	if (c->token == CONF_END)
		confscan_problem(c, c->line, "the text ends where %s is expected", expected);
	else if (c->token == CONF_OTHER && *c->at == '@')
		; /* has been said */
	else
		confscan_problem(c, c->line,
				 "\"%.*s\" is not understood here, where %s is expected",
				 (int)MIN(c->len, 40), c->at, expected);
	return false;
}

static bool syntax_scalar(struct confsyntax *x, enum conf_token *ret)
{
	*ret = x->scan.token;
	switch (x->scan.token) {
	case CONF_STRING:
		while (x->scan.token == CONF_STRING)
			confscan_next(&x->scan);
		return true;
	case CONF_BOOL:
	case CONF_INT:
	case CONF_INT64:
		confscan_next(&x->scan);
		return true;
	case CONF_NAME:
		confscan_problem(&x->scan, x->scan.line, "text is in double quotes: \"%.*s\"",
				 (int)MIN(x->scan.len, 40), x->scan.at);
		return false;
	default:
		return syntax_fail(x, "a value");
	}
}

static bool syntax_value(struct confsyntax *x);

/* "[" and "(": what is between, up to and with @close. */
static bool syntax_elements(struct confsyntax *x, enum conf_token close)
{
	enum conf_token first = CONF_END, type;
	unsigned start = x->scan.line;

	confscan_next(&x->scan);
	if (x->scan.token == close) {
		confscan_next(&x->scan);
		return true;
	}
	for (;;) {
		unsigned line = x->scan.line;

		if (close == CONF_CLOSE_LIST ? !syntax_value(x) : !syntax_scalar(x, &type))
			return false;
		if (close == CONF_CLOSE_ARRAY && first == CONF_END)
			first = type;
		if (close == CONF_CLOSE_ARRAY && first != type) {
			confscan_problem(&x->scan, line,
					 "an array in [ ] holds values of one type only; "
					 "use ( ) for a list of several");
			return false;
		}
		if (x->scan.token == close) {
			confscan_next(&x->scan);
			return true;
		}
		if (x->scan.token == CONF_END) {
			confscan_problem(&x->scan, start,
					 "a \"%s\" begins here and is never closed",
					 close == CONF_CLOSE_LIST ? "(" : "[");
			return false;
		}
		if (x->scan.token != CONF_COMMA)
			return syntax_fail(x, close == CONF_CLOSE_LIST ? "\",\" or \")\""
								       : "\",\" or \"]\"");
		confscan_next(&x->scan);
		if (x->scan.token == close) {
			confscan_problem(&x->scan, x->scan.line,
					 "no comma stands after the last value; "
					 "leave it out");
			return false;
		}
	}
}

/* Note the key that is looked at in @keys, its group's. */
static void syntax_key(struct confsyntax *x, GHashTable *keys)
{
	struct confscan *c = &x->scan;
	char *key = g_strndup(c->at, c->len);
	unsigned first = GPOINTER_TO_UINT(g_hash_table_lookup(keys, key));

	if (first > 0)
		confscan_problem(
			c, c->line,
			"the key \"%.40s\" is given twice, first in line %u; keep one of them", key,
			first);
	g_hash_table_replace(keys, key, GUINT_TO_POINTER(c->line));
}

static bool syntax_setting(struct confsyntax *x, GHashTable *keys)
{
	struct confscan *c = &x->scan;

	if (c->token != CONF_NAME)
		return syntax_fail(x, "a key");
	if (++x->n_settings > CONFSYNTAX_SETTINGS_MAX) {
		confscan_problem(c, c->line, "has over %d settings: this is no configuration",
				 CONFSYNTAX_SETTINGS_MAX);
		return false;
	}
	syntax_key(x, keys);
	confscan_next(c);
	if (c->token != CONF_ASSIGN)
		return syntax_fail(x, "\"=\"");
	confscan_next(c);
	if (!syntax_value(x))
		return false;
	if (c->token == CONF_SEPARATOR || c->token == CONF_COMMA)
		confscan_next(c);
	return true;
}

/* Settings up to and with @close: "}", or the end of the text. */
static bool syntax_settings(struct confsyntax *x, enum conf_token close)
{
	g_autoptr(GHashTable) keys = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	unsigned start = x->scan.line;

	if (close == CONF_CLOSE_GROUP)
		confscan_next(&x->scan);
	while (x->scan.token != close) {
		if (x->scan.token == CONF_END) {
			confscan_problem(&x->scan, start,
					 "a \"{\" begins here and is never closed");
			return false;
		}
		if (!syntax_setting(x, keys))
			return false;
	}
	if (close == CONF_CLOSE_GROUP)
		confscan_next(&x->scan);
	return true;
}

static bool syntax_value(struct confsyntax *x)
{
	enum conf_token type;
	bool good;

	if (x->depth >= CONFSYNTAX_DEPTH_MAX) {
		confscan_problem(&x->scan, x->scan.line, "groups and lists are nested over %d deep",
				 CONFSYNTAX_DEPTH_MAX);
		return false;
	}
	x->depth++;
	if (x->scan.token == CONF_OPEN_ARRAY)
		good = syntax_elements(x, CONF_CLOSE_ARRAY);
	else if (x->scan.token == CONF_OPEN_LIST)
		good = syntax_elements(x, CONF_CLOSE_LIST);
	else if (x->scan.token == CONF_OPEN_GROUP)
		good = syntax_settings(x, CONF_CLOSE_GROUP);
	else
		good = syntax_scalar(x, &type);
	x->depth--;
	return good;
}

int confsyntax_check(const char *text, size_t size, const char *name, GPtrArray *problems)
{
	g_autofree char *copy = NULL;
	struct confsyntax x = { 0 };
	int r;

	/* the scanner may look one byte ahead; @text may end at a page's edge */
	copy = size <= CONFSCAN_SIZE_MAX ? g_malloc(size + 1) : NULL;
	if (copy) {
		memcpy(copy, text, size);
		copy[size] = '\0';
	}
	r = confscan_init(&x.scan, copy ?: text, size, name, problems);
	if (r < 0)
		return r;
	(void)syntax_settings(&x, CONF_END);
	return x.scan.n_problems > 0 ? -EINVAL : 0;
}
