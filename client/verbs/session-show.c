/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "args.h"
#include "client.h"
#include "session.h"
#include "text.h"

static void session_show_line(GString *out, const struct client *c, const char *key,
			      const char *value)
{
	g_autofree char *clean = text_clean(value, c->terminal.utf8);

	if (*clean)
		g_string_append_printf(out, "%12s: %s\n", key, clean);
}

static void session_show_time(GString *out, const struct client *c, const char *key, int64_t usec)
{
	g_autofree char *text = text_time(MAX(usec, 0));

	if (usec > 0)
		session_show_line(out, c, key, text);
}

static void session_show_figure(GString *out, const struct client *c, const json_t *figures,
				const char *key, const char *field)
{
	int64_t ns = field_number(figures, field, -1);
	g_autofree char *text = text_latency(MAX(ns, 0));

	if (ns >= 0)
		session_show_line(out, c, key, text);
}

static void session_show_figures(GString *out, const struct client *c, const json_t *figures)
{
	g_autofree char *count = NULL;

	if (!field_has(figures, "count"))
		return;
	count = g_strdup_printf("%" G_GINT64_FORMAT, field_number(figures, "count", 0));
	session_show_line(out, c, "Samples", count);
	session_show_figure(out, c, figures, "Minimum", "min_ns");
	session_show_figure(out, c, figures, "Average", "avg_ns");
	session_show_figure(out, c, figures, "Maximum", "max_ns");
}

static void session_show_progress(GString *out, const struct client *c, const json_t *s)
{
	g_autofree char *text = NULL;
	const char *state = field_text(s, "state"), *stage = field_text(s, "stage");

	if (g_str_equal(state, "queued"))
		text = g_strdup_printf("position %d in the queue",
				       (int)field_number(s, "queue_position", 0));
	else if (!field_has(s, "finished_usec"))
		text = g_strdup_printf("%d %%%s%s",
				       (int)(CLAMP(field_real(s, "progress", 0), 0, 1) * 100),
				       *stage ? ", stage " : "", stage);
	if (text)
		session_show_line(out, c, "Progress", text);
}

static void session_show_text(GString *out, const struct client *c, const json_t *s)
{
	g_autofree char *owner = g_strdup_printf("%d", (int)field_number(s, "owner", -1));
	const json_t *warning;
	size_t i;

	session_show_line(out, c, "Id", field_text(s, "id"));
	session_show_line(out, c, "Plan", field_text(s, "plan"));
	session_show_line(out, c, "Label", field_text(s, "label"));
	if (field_has(s, "owner"))
		session_show_line(out, c, "Owner", owner);
	session_show_line(out, c, "State", field_text(s, "state"));
	session_show_progress(out, c, s);
	session_show_line(out, c, "Verdict", field_text(s, "verdict"));
	session_show_line(out, c, "Reason", field_text(s, "reason"));
	session_show_time(out, c, "Queued", field_number(s, "created_usec", 0));
	session_show_time(out, c, "Started", field_number(s, "started_usec", 0));
	session_show_time(out, c, "Ended", field_number(s, "finished_usec", 0));
	if (field_true(s, "kept"))
		session_show_line(out, c, "Kept", "yes");
	if (*field_text(s, "baseline"))
		session_show_line(out, c, "Baseline", field_text(s, "baseline"));
	session_show_time(out, c, "Thinned", field_number(s, "thinned_usec", 0));
	session_show_figures(out, c, json_object_get(s, "figures"));
	json_array_foreach (json_object_get(s, "warnings"), i, warning)
		session_show_line(out, c, "Warning", json_string_value(warning) ?: "");
}

static int session_show_run(struct client *c, const struct args *a)
{
	g_autoptr(GString) out = g_string_new(NULL);
	g_autofree char *path = NULL;
	json_t *properties, *s;
	int r = session_resolve(c, args_operand(a, 0), SESSION_ACTIVE_OR_LAST, &path);

	if (!r)
		r = client_properties(c, path, CLIENT_SESSION, &properties);
	if (r)
		return r;
	s = session_properties_json(path, properties);
	json_decref(properties);
	if (c->json)
		return client_print_json(s);
	session_show_text(out, c, s);
	json_decref(s);
	client_print(c, out);
	return OUTCOME_DONE;
}

const struct verb verb_session_show = {
	.name = "session show",
	.operands = "[ID]",
	.help = "Show a session's state (default: the one that measures, else the last)",
	.max = 1,
	.run = session_show_run,
};
