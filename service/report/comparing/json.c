/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "comparison.h"
#include "figures-json.h"
/* after jansson.h, which it looks for */
#include "cleanup.h"

static int json_render(const struct comparison *c, const struct report_options *o, GString *out,
		       char **ret_message)
{
	g_autoptr(json_t) whole = comparison_json(c);
	g_autofree char *text = json_text(whole, true);

	g_string_append(out, text);
	if (out->len && out->str[out->len - 1] != '\n')
		g_string_append_c(out, '\n');
	return 0;
}

const struct comparison_format comparison_format_json = {
	.name = "json",
	.media_type = "application/json",
	.description = "for programs: all of it",
	.render = json_render,
};
