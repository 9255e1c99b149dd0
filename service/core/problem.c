/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "problem.h"

#include <errno.h>

static void problem_free(gpointer data)
{
	struct problem *p = data;

	g_free(p->file);
	g_free(p->text);
	g_free(p);
}

GPtrArray *problems_new(void)
{
	return g_ptr_array_new_with_free_func(problem_free);
}

int problem_add(GPtrArray *problems, const char *file, unsigned line, const char *fmt, ...)
{
	g_autofree char *text = NULL;
	struct problem *p;
	va_list ap;

	if (!problems)
		return -EINVAL;
	p = g_new0(struct problem, 1);
	/* both may hold any bytes (a file's name, a text quoted in part) and go onto the bus */
	p->file = g_utf8_make_valid(file ?: "", -1);
	p->line = line;
	va_start(ap, fmt);
	text = g_strdup_vprintf(fmt, ap);
	va_end(ap);
	p->text = g_utf8_make_valid(text, -1);
	g_ptr_array_add(problems, p);
	return -EINVAL;
}

char *problems_format(const GPtrArray *problems)
{
	GString *s = g_string_new(NULL);

	for (guint i = 0; i < problems->len; i++) {
		const struct problem *p = problems->pdata[i];

		if (i > 0)
			g_string_append_c(s, '\n');
		if (*p->file)
			g_string_append_printf(s, "%s:", p->file);
		if (p->line)
			g_string_append_printf(s, "%u:", p->line);
		if (*p->file || p->line)
			g_string_append_c(s, ' ');
		g_string_append(s, p->text);
	}
	return g_string_free(s, FALSE);
}
