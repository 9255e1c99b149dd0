/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why not fnmatch(3): it follows the locale, and with many stars its time grows without bound; a
 * pattern may come from any caller. Here only the last star is ever gone back to: what the stars
 * before it took can stay as it is, since a later star can take whatever they left.
 */
#include "glob.h"

#include "message.h"

#include <errno.h>
#include <string.h>

/* One character of a set, a backslash before it taken; the first may be ']'. */
static unsigned char set_character(const char **s)
{
	if (**s == '\\' && (*s)[1])
		(*s)++;
	return *(*s)++;
}

/* The characters of the set at @s ("[...]") into @ret; what stands behind it; NULL: no set. */
static const char *set_scan(const char *s, bool ret[256], bool *ret_twice)
{
	bool negated = s[1] == '!' || s[1] == '^';
	const char *begin = s + 1 + negated;

	memset(ret, 0, 256 * sizeof(*ret));
	*ret_twice = false;
	for (s = begin; *s && (*s != ']' || s == begin);) {
		unsigned char first = set_character(&s), last = first;

		if (*s == '-' && s[1] && s[1] != ']') {
			s++;
			last = set_character(&s);
		}
		for (unsigned c = first; c <= last; c++) {
			*ret_twice |= ret[c];
			ret[c] = true;
		}
	}
	if (!*s)
		return NULL;
	for (size_t c = 0; c < 256 && negated; c++)
		ret[c] = !ret[c];
	return s + 1;
}

/* Whether what stands at @p takes @c; what stands behind it in @ret_next. */
static bool glob_take(const char *p, unsigned char c, const char **ret_next)
{
	bool set[256], twice;

	*ret_next = p + 1;
	if (*p == '?')
		return true;
	if (*p == '[') {
		const char *behind = set_scan(p, set, &twice);

		if (behind) {
			*ret_next = behind;
			return set[c];
		}
	}
	if (*p == '\\' && p[1]) {
		*ret_next = p + 2;
		return (unsigned char)p[1] == c;
	}
	return (unsigned char)*p == c;
}

bool glob_match(const char *pattern, const char *text)
{
	const char *p = pattern, *star = NULL, *resume = NULL, *next;

	while (*text) {
		if (*p == '*') {
			star = ++p;
			resume = text;
		} else if (*p && glob_take(p, *text, &next)) {
			p = next;
			text++;
		} else if (star) {
			p = star;
			text = ++resume;
		} else {
			return false;
		}
	}
	while (*p == '*')
		p++;
	return !*p;
}

int glob_check(const char *pattern, char **ret_message)
{
	bool set[256], twice, wild = false;
	const char *odd = NULL, *odd_end = NULL;

	for (const char *p = pattern; *p;) {
		const char *behind = *p == '[' ? set_scan(p, set, &twice) : NULL;

		if (*p == '\\' && !p[1])
			return message_fail(ret_message, -EINVAL,
					    "it ends in a backslash; in a file a backslash is "
					    "written \"\\\\\", and what it stands before follows");
		if (behind && p[1] == '[' && p[2] == ':')
			return message_fail(ret_message, -EINVAL,
					    "\"[:\" begins no class of characters here; write the "
					    "characters, such as [0-9]");
		if (behind && twice && !odd) {
			odd = p;
			odd_end = behind;
		}
		wild |= *p == '*' || *p == '?';
		p = behind ?: p + (*p == '\\' ? 2 : 1);
	}
	if (odd && wild)
		return message_fail(ret_message, -EINVAL,
				    "\"%.*s\" in it stands for one character of those between the "
				    "brackets; if the bracket itself is meant, write \"\\\\[\" "
				    "in a file and \"\\[\" elsewhere",
				    (int)MIN(odd_end - odd, 40), odd);
	return 0;
}
