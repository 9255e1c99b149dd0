/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers are read to their end: "7x" is none, and what is too large wraps to nothing. */
#include "proc-parport.h"

#include <errno.h>
#include <glib.h>
#include <string.h>

#define RESOURCE_LINES 64
#define IRQ_MAX	       65535

/* What stands before the first blank. False: no number of that base. */
static bool parport_number(const char *text, int base, uint64_t *ret)
{
	char *end;
	guint64 n;

	if (!g_ascii_isdigit(*text))
		return false;
	errno = 0;
	n = g_ascii_strtoull(text, &end, base);
	if (errno || end == text || (*end && !g_ascii_isspace(*end) && *end != '-'))
		return false;
	*ret = n;
	return true;
}

uint64_t proc_parport_base(const char *text)
{
	uint64_t n;

	return parport_number(text, 10, &n) ? n : 0;
}

int proc_parport_irq(const char *text)
{
	uint64_t n;

	return parport_number(text, 10, &n) && n <= IRQ_MAX ? (int)n : -1;
}

char *proc_parport_active(const char *text)
{
	g_autofree char *name = g_strchomp(g_strdup(text));

	return *name && strcmp(name, "none") != 0 ? g_utf8_make_valid(name, -1) : NULL;
}

bool resource_begins(const char *text, uint64_t base)
{
	g_auto(GStrv) lines = g_strsplit(text, "\n", RESOURCE_LINES);

	for (char **line = lines; *line; line++) {
		const char *number = g_str_has_prefix(*line, "io ") ? *line + 3 : *line;
		uint64_t n;

		if (g_str_has_prefix(number, "0x") && parport_number(number, 16, &n) && n == base)
			return true;
	}
	return false;
}
