/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why a second reader of the same text: libconfig 1.5 reads 3000000000 as a negative number, ends a
 * file silently at a comment without an end, opens the files that @include names (text comes from
 * callers on the bus too), and follows the locale in fractions. None of that can be seen any more
 * once it has parsed, so the tokens are looked at first, with libconfig's own lexical rules.
 *
 * Keys given twice are found here as well: libconfig finds them, but does not say which.
 */
#include "confscan.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct confscan {
	const char *s, *end;
	unsigned line;
	const char *name;
	GPtrArray *problems;
	unsigned n_problems, n_settings, depth;
	const char *word; /* the last name, with its length: a key if "=" or ":" follows */
	size_t word_len;
	unsigned word_line;
	GHashTable *keys[CONFSCAN_DEPTH_MAX + 1]; /* of each open group: key -> its line */
};

/* More of them tell nobody anything: the scan ends. */
#define PROBLEMS_MAX 20

#define confscan_problem(c, at, ...)                                            \
	do {                                                                    \
		(void)problem_add((c)->problems, (c)->name, (at), __VA_ARGS__); \
		if (++(c)->n_problems >= PROBLEMS_MAX)                          \
			(c)->end = (c)->s;                                      \
	} while (0)

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
	return problem_add(problems, name, line,
			   *bad ? "is not UTF-8 text here: save the file as UTF-8" :
				  "has a NUL byte here: this is no text file");
}

static void confscan_skip_line(struct confscan *c)
{
	while (c->s < c->end && *c->s != '\n')
		c->s++;
}

static void confscan_skip_comment(struct confscan *c)
{
	unsigned start = c->line;

	for (c->s += 2; c->s + 1 < c->end; c->s++) {
		if (c->s[0] == '*' && c->s[1] == '/') {
			c->s += 2;
			return;
		}
		c->line += *c->s == '\n';
	}
	c->s = c->end;
	confscan_problem(c, start, "a comment begins here and never ends; close it with */");
}

static void confscan_string(struct confscan *c)
{
	unsigned start = c->line;

	for (c->s++; c->s < c->end && *c->s != '"'; c->s++) {
		if (*c->s == '\n') {
			c->line++;
		} else if (*c->s == '\\') {
			if (++c->s >= c->end)
				break;
			c->line += *c->s == '\n';
			if (!strchr("\"\\nrtf", *c->s))
				confscan_problem(c, c->line,
						 "a backslash in a string stands before one of "
						 "\" \\ n r t f only; write two for a backslash");
		} else if ((unsigned char)*c->s < ' ' && *c->s != '\t') {
			confscan_problem(c, c->line, "a string has a control character in it");
		}
	}
	if (c->s >= c->end) {
		confscan_problem(c, start, "a string begins here and never ends; close it with \"");
		return;
	}
	c->s++;
}

/* libconfig reads these without looking at their size. 0 or what is wrong. */
static const char *confscan_integer(const char *digits, int base, bool negative, bool wide)
{
	uint64_t max = wide ? G_MAXINT64 : G_MAXINT32, value;
	char *end;

	errno = 0;
	value = g_ascii_strtoull(digits, &end, base);
	if (errno == 0 && value <= max + (negative ? 1 : 0))
		return NULL;
	return wide ? "does not fit in 64 bits" : "does not fit in 32 bits";
}

static void confscan_number(struct confscan *c)
{
	size_t len = strspn(c->s, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ+-._");
	g_autofree char *word = g_strndup(c->s, len);
	const char *digits = word + (*word == '-' || *word == '+');
	bool hex = digits == word && digits[0] == '0' && g_ascii_tolower(digits[1]) == 'x';
	size_t n, suffix;
	const char *wrong;

	c->s += len;
	if (strlen(word) > 40)
		word[40] = '\0';
	digits += hex ? 2 : 0;
	n = strspn(digits, hex ? "0123456789abcdefABCDEF" : "0123456789");
	suffix = strspn(digits + n, "L");
	if (n == 0 || suffix > 2 || digits[n + suffix]) {
		if (!hex && strspn(digits, "0123456789.eE+-") == strlen(digits))
			confscan_problem(c, c->line,
					 "%s is a fraction, which no key takes; times and shares are "
					 "strings with a unit, such as \"1.5s\"", word);
		else
			confscan_problem(c, c->line,
					 "%s is not a number; put it in double quotes: \"%s\"", word, word);
		return;
	}
	wrong = confscan_integer(digits, hex ? 16 : 10, *word == '-', suffix > 0);
	if (wrong && suffix > 0)
		confscan_problem(c, c->line, "%s %s", word, wrong);
	else if (wrong)
		confscan_problem(c, c->line,
				 "%s %s and would be read as another number; times and sizes are "
				 "strings with a unit (\"3s\", \"512M\"), a count is written %sL",
				 word, wrong, word);
}

static void confscan_word(struct confscan *c)
{
	c->word = c->s;
	c->word_line = c->line;
	while (c->s < c->end && (g_ascii_isalnum(*c->s) || strchr("-_*", *c->s)))
		c->s++;
	c->word_len = c->s - c->word;
}

static void confscan_assign(struct confscan *c)
{
	GHashTable **keys = &c->keys[c->depth];
	char *key;
	unsigned first;

	c->s++;
	if (++c->n_settings > CONFSCAN_SETTINGS_MAX) {
		confscan_problem(c, c->line, "has over %d settings: this is no configuration",
				 CONFSCAN_SETTINGS_MAX);
		c->s = c->end;
		return;
	}
	if (!c->word)
		return; /* libconfig's syntax error */
	if (!*keys)
		*keys = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	key = g_strndup(c->word, c->word_len);
	first = GPOINTER_TO_UINT(g_hash_table_lookup(*keys, key));
	if (first > 0)
		confscan_problem(c, c->word_line,
				 "the key \"%s\" is given twice, first in line %u; keep one of them",
				 key, first);
	g_hash_table_replace(*keys, key, GUINT_TO_POINTER(c->word_line));
}

static void confscan_open(struct confscan *c)
{
	c->s++;
	if (++c->depth <= CONFSCAN_DEPTH_MAX)
		return;
	c->depth--;
	confscan_problem(c, c->line, "groups and lists are nested over %d deep", CONFSCAN_DEPTH_MAX);
	c->s = c->end;
}

static void confscan_close(struct confscan *c)
{
	c->s++;
	g_clear_pointer(&c->keys[c->depth], g_hash_table_unref);
	if (c->depth > 0) /* else libconfig's syntax error */
		c->depth--;
}

static void confscan_token(struct confscan *c)
{
	char ch = *c->s, next = c->s + 1 < c->end ? c->s[1] : '\0';

	if (ch == '#' || (ch == '/' && next == '/')) {
		confscan_skip_line(c);
	} else if (ch == '/' && next == '*') {
		confscan_skip_comment(c);
	} else if (ch == '"') {
		confscan_string(c);
	} else if (ch == '@') {
		confscan_problem(c, c->line,
				 "\"@\" has no meaning here and other files are not included; put "
				 "everything into this file or a drop-in");
		confscan_skip_line(c);
	} else if (g_ascii_isalpha(ch) || ch == '*') {
		confscan_word(c);
		return;
	} else if (g_ascii_isdigit(ch) || strchr("+-.", ch)) {
		confscan_number(c);
	} else if (ch == '=' || ch == ':') {
		confscan_assign(c);
	} else if (strchr("{([", ch)) {
		confscan_open(c);
	} else if (strchr("})]", ch)) {
		confscan_close(c);
	} else {
		c->line += ch == '\n';
		c->s++;
		if (g_ascii_isspace(ch))
			return; /* a key may have blanks before its "=" */
	}
	c->word = NULL;
}

int confscan_check(const char *text, size_t size, const char *name, GPtrArray *problems)
{
	g_autofree char *copy = NULL;
	struct confscan c = { .line = 1, .name = name, .problems = problems };
	int r;

	r = confscan_bytes(text, size, name, problems);
	if (r < 0)
		return r;
	copy = g_strndup(text, size);
	c.s = copy;
	c.end = copy + size;
	while (c.s < c.end)
		confscan_token(&c);
	for (size_t i = 0; i < G_N_ELEMENTS(c.keys); i++)
		g_clear_pointer(&c.keys[i], g_hash_table_unref);
	return c.n_problems > 0 ? -EINVAL : 0;
}
