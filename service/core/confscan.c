/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why a second reader of the same text: libconfig 1.5 reads 3000000000 as a negative number, ends a
 * file silently at a comment without an end, opens the files that @include names (text comes from
 * callers on the bus too), and follows the locale in fractions. None of that can be seen any more
 * once it has parsed, so the tokens are looked at first.
 */
#include "confscan.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#define PROBLEMS_MAX 20 /* more of them tell nobody anything */
#define SHOWN_MAX    40 /* bytes of a word quoted back */

static void confscan_cut(struct confscan *c)
{
	c->cut = true;
	c->end = c->s;
}

void confscan_problem(struct confscan *c, unsigned line, const char *fmt, ...)
{
	g_autofree char *text = NULL;
	va_list ap;

	if (c->cut)
		return;
	va_start(ap, fmt);
	text = g_strdup_vprintf(fmt, ap);
	va_end(ap);
	(void)problem_add(c->problems, c->name, line, "%s", text);
	if (++c->n_problems >= PROBLEMS_MAX)
		confscan_cut(c);
}

static int confscan_bytes(const char *text, size_t size, const char *name, GPtrArray *problems)
{
	unsigned line = 1;
	const char *bad;

	if (size > CONFSCAN_SIZE_MAX)
		return problem_add(problems, name, 0, "is over 1 MiB: this is no configuration");
	bad = memchr(text, '\0', size);
	if (!bad && g_utf8_validate(text, size, &bad))
		return 0;
	for (const char *s = text; s < bad; s++)
		line += *s == '\n';
	return problem_add(problems, name, line, "%s",
			   *bad ? "is not UTF-8 text here: save the file as UTF-8"
				: "has a NUL byte here: this is no text file");
}

int confscan_init(struct confscan *c, const char *text, size_t size, const char *name,
		  GPtrArray *problems)
{
	int r;

	r = confscan_bytes(text, size, name, problems);
	if (r < 0)
		return r;
	*c = (struct confscan){ .name = name,
				.problems = problems,
				.at = text,
				.s = text,
				.end = text + size,
				.line = 1,
				.s_line = 1 };
	confscan_next(c);
	return 0;
}

static void confscan_skip_line(struct confscan *c)
{
	while (c->s < c->end && *c->s != '\n')
		c->s++;
}

static void confscan_skip_comment(struct confscan *c)
{
	unsigned start = c->s_line;

	for (c->s += 2; c->s + 1 < c->end; c->s++) {
		if (c->s[0] == '*' && c->s[1] == '/') {
			c->s += 2;
			return;
		}
		c->s_line += *c->s == '\n';
	}
	confscan_problem(c, start, "a comment begins here and never ends; close it with */");
	c->s = c->end;
	confscan_cut(c);
}

static void confscan_skip_blanks(struct confscan *c)
{
	while (c->s < c->end) {
		char next = c->s + 1 < c->end ? c->s[1] : '\0';

		if (strchr(" \t\r\n\f", *c->s)) {
			c->s_line += *c->s == '\n';
			c->s++;
		} else if (*c->s == '#' || (*c->s == '/' && next == '/')) {
			confscan_skip_line(c);
		} else if (*c->s == '/' && next == '*') {
			confscan_skip_comment(c);
		} else {
			return;
		}
	}
}

static enum conf_token confscan_string(struct confscan *c)
{
	const char *s;

	/* a cut moves the end to c->s, which ends this too */
	for (s = c->s + 1; s < c->end && *s != '"'; s++) {
		if (*s == '\\' && s + 1 < c->end) {
			s++;
			if (!strchr("\"\\nrtf", *s))
				confscan_problem(c, c->s_line,
						 "a backslash in a string stands before one of "
						 "\" \\ n r t f only; write two for a backslash");
		} else if (g_ascii_iscntrl(*s) && *s != '\t' && *s != '\n') {
			confscan_problem(c, c->s_line, "a string has a control character in it");
		}
		c->s_line += *s == '\n';
	}
	if (s < c->end) {
		c->s = s + 1;
		return CONF_STRING;
	}
	confscan_problem(c, c->line, "a string begins here and never ends; close it with \"");
	c->s = c->end;
	confscan_cut(c);
	return CONF_END;
}

/* libconfig reads these without looking at their size. */
static bool confscan_fits(const char *digits, int base, bool negative, uint64_t max)
{
	uint64_t value;
	char *end;

	errno = 0;
	value = g_ascii_strtoull(digits, &end, base);
	return errno == 0 && value <= max + (negative ? 1 : 0);
}

static enum conf_token confscan_no_integer(struct confscan *c, const char *word, bool hex)
{
	if (!hex && strspn(word, "0123456789.eE+-") == strlen(word))
		confscan_problem(
			c, c->line,
			"%.*s is a fraction, which no key takes; times and shares are strings "
			"with a unit, such as \"1.5s\"",
			SHOWN_MAX, word);
	else
		confscan_problem(c, c->line,
				 "%.*s is not a number; put it in double quotes: \"%.*s\"",
				 SHOWN_MAX, word, SHOWN_MAX, word);
	return CONF_INT;
}

static enum conf_token confscan_number(struct confscan *c)
{
	size_t len =
		strspn(c->s, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ+-._");
	g_autofree char *word = g_strndup(c->s, len);
	const char *digits = word + (*word == '-' || *word == '+');
	bool hex = digits == word && digits[0] == '0' && g_ascii_tolower(digits[1]) == 'x';
	size_t n, suffix;
	bool negative = *word == '-';
	int base = hex ? 16 : 10;

	c->s += len;
	digits += hex ? 2 : 0;
	n = strspn(digits, hex ? "0123456789abcdefABCDEF" : "0123456789");
	suffix = strspn(digits + n, "L");
	if (n == 0 || suffix > 2 || digits[n + suffix])
		return confscan_no_integer(c, word, hex);
	if (!confscan_fits(digits, base, negative, G_MAXINT64))
		confscan_problem(
			c, c->line,
			"%.*s does not fit in 64 bits and would be read as another number; "
			"times and sizes are strings with a unit (\"3s\", \"512M\")",
			SHOWN_MAX, word);
	else if (suffix == 0 && !confscan_fits(digits, base, negative, G_MAXINT32))
		confscan_problem(
			c, c->line,
			"%.*s does not fit in 32 bits and would be read as another number; "
			"times and sizes are strings with a unit (\"3s\", \"512M\"), a count "
			"is written %.*sL",
			SHOWN_MAX, word, SHOWN_MAX, word);
	return suffix > 0 ? CONF_INT64 : CONF_INT;
}

static enum conf_token confscan_word(struct confscan *c)
{
	size_t len = 0;

	while (g_ascii_isalnum(c->s[len]) || (c->s[len] && strchr("-_*", c->s[len])))
		len++;
	c->s += len;
	if ((len == 4 && g_ascii_strncasecmp(c->at, "true", 4) == 0) ||
	    (len == 5 && g_ascii_strncasecmp(c->at, "false", 5) == 0))
		return CONF_BOOL;
	return CONF_NAME;
}

static enum conf_token confscan_sign(struct confscan *c)
{
	static const char signs[] = "=:;,{}[]()";
	static const enum conf_token tokens[] = {
		CONF_ASSIGN,	 CONF_ASSIGN,	   CONF_SEPARATOR,  CONF_COMMA,
		CONF_OPEN_GROUP, CONF_CLOSE_GROUP, CONF_OPEN_ARRAY, CONF_CLOSE_ARRAY,
		CONF_OPEN_LIST,	 CONF_CLOSE_LIST,
	};
	const char *sign = strchr(signs, *c->s);

	if (sign) {
		c->s++;
		return tokens[sign - signs];
	}
	if (*c->s == '@')
		confscan_problem(c, c->line,
				 "\"@\" has no meaning here and other files are not included; put "
				 "everything into this file or a drop-in");
	c->s = g_utf8_next_char(c->s);
	return CONF_OTHER;
}

void confscan_next(struct confscan *c)
{
	confscan_skip_blanks(c);
	c->at = c->s;
	c->line = c->s_line;
	if (c->s >= c->end)
		c->token = CONF_END;
	else if (*c->s == '"')
		c->token = confscan_string(c);
	else if (g_ascii_isalpha(*c->s) || *c->s == '*')
		c->token = confscan_word(c);
	else if (g_ascii_isdigit(*c->s) || strchr("+-.", *c->s))
		c->token = confscan_number(c);
	else
		c->token = confscan_sign(c);
	c->len = c->s - c->at;
}
