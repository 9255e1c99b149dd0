/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "figures-json.h"
#include "trend.h"
/* after jansson.h, which it looks for */
#include "cleanup.h"

static int json_render(const struct trend *t, const struct report_options *o, GString *out,
		       char **ret_message)
{
	g_autoptr(json_t) whole = trend_json(t);
	g_autofree char *text = json_text(whole, true);

	g_string_append(out, text);
	g_string_append_c(out, '\n');
	return 0;
}

const struct trend_format trend_format_json = {
	.name = "json",
	.media_type = "application/json",
	.description = "for programs: all of it",
	.render = json_render,
};
