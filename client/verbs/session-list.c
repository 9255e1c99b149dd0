/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pages are turned into rows (or printed, with --json) as they come: a service may keep a hundred
 * thousand sessions, and their dictionaries are not held all at once.
 */
#include "args.h"
#include "client.h"
#include "duration.h"
#include "figures-json.h"
#include "session.h"
#include "table.h"
#include "text.h"
#include "when.h"
#include <stdio.h>
#include <string.h>

#define SESSION_LIST_DEFAULT 100
#define SESSION_LIST_PAGE    500

struct session_list {
	struct client *c;
	json_t *filter;
	uint64_t limit;	     /* UINT64_MAX: all */
	uint64_t n;	     /* shown so far */
	struct table *table; /* NULL: JSON */
};

static int session_list_limit(const struct args *a, uint64_t *ret)
{
	const char *text = args_value(a, "limit");
	g_autofree char *message = NULL;
	int64_t n = SESSION_LIST_DEFAULT;

	if (text && strcmp(text, "all") == 0) {
		*ret = UINT64_MAX;
		return OUTCOME_DONE;
	}
	if (text && integer_parse(text, 1, INT64_MAX, &n, &message) < 0)
		return say_usage("--limit takes a number of sessions from 1, or 'all'.");
	*ret = n;
	return OUTCOME_DONE;
}

static int session_list_filter(const struct args *a, json_t *filter)
{
	static const char *const plain[] = { "plan", "state", "label", "baseline" };
	const char *since = args_value(a, "since");
	g_autofree char *message = NULL;
	uint64_t usec;

	for (size_t i = 0; i < G_N_ELEMENTS(plain); i++) {
		const char *value = args_value(a, plain[i]);
		int r = value ? client_check_text(value) : OUTCOME_DONE;

		if (r)
			return r;
		if (value)
			json_object_set_new(filter, plain[i], json_string(value));
	}
	if (!since)
		return OUTCOME_DONE;
	if (when_parse(since, g_get_real_time(), &usec, &message) < 0)
		return say_usage("--since: %s", message);
	json_object_set_new(filter, "since_usec", json_integer((json_int_t)usec));
	return OUTCOME_DONE;
}

/* How much there is of it, and whether that stays. */
static char *session_data(const json_t *s)
{
	bool summary = field_number(s, "thinned_usec", 0) > 0, kept = field_true(s, "kept");
	const char *baseline = field_text(s, "baseline");
	const char *stays = *baseline ? "baseline " : kept ? "kept" : "";

	if (!summary && !*stays)
		return g_strdup("whole");
	return g_strconcat(summary ? "summary" : "", summary && *stays ? ", " : "", stays, baseline,
			   NULL);
}

static void session_list_row(struct table *t, const json_t *s)
{
	const json_t *summary = json_object_get(s, "summary");
	int64_t duration = field_number(s, "duration_ns", -1);
	int64_t max = field_number(summary, "max_ns", -1);
	int64_t when = field_number(s, "started_usec", field_number(s, "created_usec", 0));

	table_cell(t, field_text(s, "id"));
	table_cell(t, field_text(s, "plan"));
	table_cell(t, field_text(s, "label"));
	table_cell(t, field_text(s, "state"));
	table_cell(t, field_text(s, "verdict"));
	table_take(t, text_time(MAX(when, 0)));
	table_take(t, duration < 0 ? g_strdup("-") : text_span(duration));
	table_take(t, max < 0 ? g_strdup("-") : text_latency(max));
	table_take(t, session_data(s));
}

static void session_list_json(struct session_list *l, json_t *s)
{
	g_autofree char *text = NULL;

	text = json_text(s, true);
	printf("%s%s", l->n ? ",\n" : "[\n", text);
}

static void session_list_page_rows(struct session_list *l, json_t *page)
{
	for (size_t i = 0; i < json_array_size(page) && l->n < l->limit; i++, l->n++) {
		if (l->table)
			session_list_row(l->table, json_array_get(page, i));
		else
			session_list_json(l, json_array_get(page, i));
	}
}

static int session_list_pages(struct session_list *l, bool *ret_more)
{
	g_autofree char *cursor = g_strdup("");

	for (;;) {
		g_autofree char *next = NULL;
		uint64_t before = l->n;
		unsigned page_size = MIN(l->limit - l->n, SESSION_LIST_PAGE);
		json_t *page;
		int r = session_list_page(l->c, l->filter, cursor, page_size, &page, &next);

		if (r)
			return r;
		session_list_page_rows(l, page);
		json_decref(page);
		*ret_more = *next && l->n >= l->limit;
		/* An empty page with a cursor after it would go round for ever. */
		if (!*next || l->n >= l->limit || l->n == before)
			return OUTCOME_DONE;
		g_free(cursor);
		cursor = g_steal_pointer(&next);
	}
}

static int session_list_print(struct session_list *l)
{
	static const char *const headings[] = { "ID",	   "PLAN",	"LABEL", "STATE", "VERDICT",
						"STARTED", ">DURATION", ">MAX",	 "DATA" };
	g_autoptr(GString) out = g_string_new(NULL);
	bool more = false;
	int r;

	if (!l->c->json)
		l->table = table_new(headings, G_N_ELEMENTS(headings));
	r = session_list_pages(l, &more);
	if (l->c->json) {
		if (!r)
			printf("%s]\n", l->n ? "\n" : "[");
		return r;
	}
	if (table_rows(l->table)) {
		table_print(l->table, out, &l->c->terminal);
		client_print(l->c, out);
	} else if (!r) {
		say("There are no such sessions.");
	}
	table_free(l->table);
	if (!r && more && l->c->terminal.tty)
		say("These are the newest; '--limit=all' shows all.");
	return r;
}

static int session_list_run(struct client *c, const struct args *a)
{
	struct session_list l = { .c = c, .filter = json_object() };
	int r = session_list_limit(a, &l.limit);

	if (!r)
		r = session_list_filter(a, l.filter);
	if (!r)
		r = session_list_print(&l);
	json_decref(l.filter);
	return r;
}

static const struct option_spec session_list_options[] = {
	{ "since", 0, "WHEN", "Not older: 2h, yesterday, 2026-11-30, @SECONDS" },
	{ "plan", 0, "PLAN", "Only of this plan" },
	{ "state", 0, "STATE,...", "Only in these states" },
	{ "label", 0, "TEXT", "Only with this label" },
	{ "baseline", 0, "NAME", "Only those that belong to this baseline" },
	{ "limit", 0, "N", "At most so many, or 'all' (default: 100)" },
	{ NULL },
};

const struct verb verb_session_list = {
	.name = "session list",
	.operands = "",
	.help = "List sessions, newest first",
	.options = session_list_options,
	.run = session_list_run,
};
