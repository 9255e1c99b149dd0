/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rule-shared.h"

#include "conftree.h"
#include "rule.h"

#include <string.h>

GPtrArray *parsed_with(const char *text, GPtrArray *problems)
{
	return rules_parse("10-net", text, strlen(text), "10-net.conf", problems);
}

GPtrArray *parsed(const char *text)
{
	g_autoptr(GPtrArray) problems = problems_new();
	GPtrArray *rules = parsed_with(text, problems);

	if (problems->len > 0) {
		g_autofree char *all = problems_format(problems);

		g_error("%s\n%s", text, all);
	}
	return rules;
}
