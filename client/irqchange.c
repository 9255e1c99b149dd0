/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Refusals go to stderr as sentences and stay in the list, so that a person sees them and a program
 * finds them where it looks.
 */
#include "irqchange.h"

#include "irqs.h"
#include "text.h"
#include <string.h>

void irqchange_complete(json_t *changes)
{
	static const char *const keys[] = { "outcome", "irq",	   "tid", "name", "attribute",
					    "old",     "new",	   "by",  "file", "line",
					    "message", "after_ns", NULL };

	for (size_t i = 0; i < json_array_size(changes); i++)
		irqs_complete(json_array_get(changes, i), keys);
}

bool irqchange_is(const json_t *change, const char *outcome)
{
	return strcmp(field_text(change, "outcome"), outcome) == 0;
}

/* "policy fifo 50 -> rr 33" */
static void irqchange_values(GString *out, const json_t *change)
{
	const char *old = field_text(change, "old"), *new = field_text(change, "new");
	const char *attribute = field_text(change, "attribute"), *first = *old ? old : new;

	if (*first && *attribute &&
	    !g_str_has_prefix(first, attribute)) /* "nice 5" says it itself */
		g_string_append_printf(out, "%s ", attribute);
	g_string_append_printf(out, "%s%s%s", first, *old && *new ? " -> " : "", *old ? new : "");
}

static void irqchange_part(GString *out, const char *text)
{
	if (*text)
		g_string_append_printf(out, "%s%s", out->len ? ": " : "", text);
}

/* A sentence on somebody else's value says whose, what it is and what it was. */
static bool irqchange_message_says_all(const json_t *change)
{
	const char *name = field_text(change, "name");

	return irqchange_is(change, "drifted") && *name &&
	       strstr(field_text(change, "message"), name);
}

/* A word on a rule, perhaps because of a line. */
static bool irqchange_is_of_rule(const json_t *change)
{
	return field_number(change, "tid", 0) <= 0 &&
	       (irqchange_is(change, "waits") || irqchange_is(change, "never") ||
		field_number(change, "irq", -1) < 0);
}

char *irqchange_line(const json_t *change, bool rule, bool utf8)
{
	g_autofree char *subject = irqs_subject(change), *by = irqchange_by(change);
	g_autofree char *line = NULL;
	g_autoptr(GString) what = g_string_new(NULL), values = g_string_new(NULL);

	if (!irqchange_message_says_all(change)) {
		irqchange_part(what, rule && irqchange_is_of_rule(change) ? by : subject);
		irqchange_values(values, change);
		irqchange_part(what, values->str);
	}
	irqchange_part(what, field_text(change, "message"));
	line = g_strdup_printf("%-9s %s", field_text(change, "outcome"), what->str);
	return text_clean(line, utf8);
}

char *irqchange_by(const json_t *change)
{
	const char *by = field_text(change, "by"), *file = field_text(change, "file");
	int64_t line = field_number(change, "line", 0);

	if (!*file)
		return g_strdup(by);
	if (line <= 0)
		return g_strdup_printf("%s%s%s%s", by, *by ? " (" : "", file, *by ? ")" : "");
	return g_strdup_printf("%s%s%s:%" G_GINT64_FORMAT "%s", by, *by ? " (" : "", file, line,
			       *by ? ")" : "");
}

bool irqchange_any_moves(const json_t *changes)
{
	for (size_t i = 0; i < json_array_size(changes); i++) {
		const json_t *change = json_array_get(changes, i);

		if (strcmp(field_text(change, "attribute"), "affinity") == 0 &&
		    field_number(change, "tid", 0) <= 0 &&
		    (irqchange_is(change, "set") || irqchange_is(change, "put-back")))
			return true;
	}
	return false;
}

/* --- calls --- */

bool irqchange_is_final(int outcome)
{
	return outcome == OUTCOME_NO_DAEMON || outcome == OUTCOME_NOT_AUTHORIZED;
}

int irqchange_refuse(const json_t *row, const char *sentence, json_t *changes)
{
	json_t *change = json_pack("{s:s, s:O?, s:O?, s:O?, s:s}", "outcome", "refused", "irq",
				   json_object_get(row, "irq"), "tid", json_object_get(row, "tid"),
				   "name", json_object_get(row, "name"), "message", sentence);
	const char *name = field_text(row, "name");
	g_autofree char *subject = irqs_subject(row);

	if (change)
		json_array_append_new(changes, change);
	/* Most sentences name the thread already. */
	if (*name && strstr(sentence, name))
		return say_error("%s", sentence);
	return say_error("%s: %s", subject, sentence);
}

static int irqchange_failed(const sd_bus_error *e, int r, const json_t *row, json_t *changes)
{
	enum outcome o = outcome_of_error(e, r);
	g_autofree char *sentence = NULL;

	if (irqchange_is_final(o))
		return client_fail(e, r);
	sentence = g_utf8_make_valid(e->message && *e->message ? e->message : g_strerror(-r), -1);
	return irqchange_refuse(row, sentence, changes);
}

static int irqchange_say_refused(const json_t *changes)
{
	int r = OUTCOME_DONE;

	for (size_t i = 0; i < json_array_size(changes); i++) {
		g_autofree char *line = irqchange_line(json_array_get(changes, i), true, true);

		if (irqchange_is(json_array_get(changes, i), "refused"))
			r = say_error("%s", line);
	}
	return r;
}

/* Append what a reply (an array of its arguments) has. */
static int irqchange_take(const json_t *reply, json_t *changes)
{
	json_t *list = json_array_get(reply, 0);

	if (json_is_array(list))
		json_array_extend(changes, list);
	return irqchange_say_refused(list);
}

static int irqchange_read(sd_bus_message *reply, json_t *changes)
{
	json_t *arguments;
	int r = client_read(reply, &arguments);

	if (r)
		return r;
	r = irqchange_take(arguments, changes);
	json_decref(arguments);
	return r;
}

int irqchange_call(struct client *c, sd_bus_message *m, const json_t *row, json_t *changes)
{
	sd_bus_error e = SD_BUS_ERROR_NULL;
	sd_bus_message *reply = NULL;
	int r = sd_bus_call(c->bus, m, 0, &e, &reply);

	r = r < 0 ? irqchange_failed(&e, r, row, changes) : irqchange_read(reply, changes);
	sd_bus_message_unref(reply);
	sd_bus_error_free(&e);
	return r;
}

int irqchange_call_policy(struct client *c, const char *member, bool dry, json_t **ret_changes)
{
	json_t *reply;
	int r;

	*ret_changes = NULL;
	r = client_call(c, CLIENT_PATH, CLIENT_MANAGER, member, &reply, "a{sv}", 1, "dry_run", "b",
			(int)dry);
	if (r)
		return r;
	*ret_changes = json_array();
	r = irqchange_take(reply, *ret_changes);
	json_decref(reply);
	return r;
}

/* --- output --- */

static void irqchange_print_text(struct client *c, const json_t *changes, const char *none)
{
	g_autoptr(GString) out = g_string_new(NULL);
	size_t refused = 0;

	for (size_t i = 0; i < json_array_size(changes); i++) {
		const json_t *change = json_array_get(changes, i);
		g_autofree char *line = irqchange_line(change, true, c->terminal.utf8);

		if (irqchange_is(change, "refused"))
			refused++; /* said */
		else
			g_string_append_printf(out, "%s\n", line);
	}
	if (!out->len && !refused)
		g_string_append_printf(out, "%s\n", none);
	if (irqchange_any_moves(changes))
		g_string_append(out, "Affinity takes effect at the line's next interrupt.\n");
	client_print(c, out);
}

int irqchange_print(struct client *c, json_t *changes, const char *none, int outcome)
{
	irqchange_complete(changes);
	if (irqchange_is_final(outcome) && !json_array_size(changes)) {
		json_decref(changes); /* nothing was done, and why is said */
	} else if (c->json) {
		client_print_json(changes);
	} else {
		irqchange_print_text(c, changes, none);
		json_decref(changes);
	}
	return outcome;
}
