/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "args.h"
#include "client.h"
#include "text.h"

static bool check_inconclusive(const json_t *findings)
{
	for (size_t i = 0; i < json_array_size(findings); i++)
		if (field_true(json_array_get(findings, i), "inconclusive"))
			return true;
	return false;
}

static void check_finding(GString *out, const struct client *c, const json_t *f)
{
	g_autofree char *id = text_clean(field_text(f, "id"), c->terminal.utf8);
	g_autofree char *text = text_clean(field_text(f, "text"), c->terminal.utf8);
	g_autofree char *mend = text_clean(field_text(f, "mend"), c->terminal.utf8);

	g_string_append_printf(out, "%s%s%s%s\n", c->terminal.colour ? "\033[1m" : "", id,
			       c->terminal.colour ? "\033[0m" : "",
			       field_true(f, "inconclusive") ? "  (makes results inconclusive)"
							     : "");
	text_wrap(out, text, 4, c->terminal.width);
	if (*mend)
		text_wrap(out, mend, 4, c->terminal.width);
}

static int check_run(struct client *c, const struct args *a)
{
	g_autoptr(GString) out = g_string_new(NULL);
	json_t *reply, *findings;
	int r = client_call(c, CLIENT_PATH, CLIENT_MANAGER, "CheckSystem", &reply, "a{sv}", 0);

	if (r)
		return r;
	findings = json_array_get(reply, 0);
	r = check_inconclusive(findings) ? OUTCOME_INCONCLUSIVE : OUTCOME_DONE;
	if (c->json) {
		client_print_json(json_incref(findings));
	} else {
		for (size_t i = 0; i < json_array_size(findings); i++)
			check_finding(out, c, json_array_get(findings, i));
		if (!out->len)
			g_string_append(out, "Nothing found that weakens results.\n");
		client_print(c, out);
	}
	json_decref(reply);
	return r;
}

const struct verb verb_check = {
	.name = "check",
	.operands = "",
	.help = "Show what weakens results from this machine, and what to do about it",
	.run = check_run,
};
