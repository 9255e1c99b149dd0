/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two calls give one table, and threads come and go between them. What a line has in ListIrqs is
 * believed; ListThreads adds the threads that are of no line there.
 */
#include "irqs.h"

#include <string.h>

#define IRQS_TOO_LARGE CLIENT_SERVICE ".Error.TooLarge"

/* --- reading --- */

static int irqs_take(json_t *reply, json_t **ret)
{
	json_t *list = json_array_get(reply, 0);

	*ret = json_is_array(list) ? json_incref(list) : json_array();
	json_decref(reply);
	return OUTCOME_DONE;
}

/* *ret stays NULL when there are too many counts for one answer. */
static int irqs_call_lines(struct client *c, bool counts, json_t **ret)
{
	sd_bus_error e = SD_BUS_ERROR_NULL;
	sd_bus_message *m = NULL, *reply = NULL;
	int r = client_message(c, CLIENT_PATH, CLIENT_MANAGER, "ListIrqs", &m);

	if (r)
		return r;
	/* the threads come from ListThreads, which has those of no line as well */
	r = sd_bus_message_append(m, "a{sv}", 2, "counts", "b", (int)counts, "threads", "b", 0);
	if (r >= 0)
		r = sd_bus_call(c->bus, m, 0, &e, &reply);
	if (r < 0 && counts && sd_bus_error_has_name(&e, IRQS_TOO_LARGE))
		r = OUTCOME_DONE;
	else if (r < 0)
		r = client_fail(&e, r);
	else
		r = client_read(reply, ret);
	sd_bus_message_unref(reply);
	sd_bus_message_unref(m);
	sd_bus_error_free(&e);
	return r;
}

int irqs_read_lines(struct client *c, json_t **ret)
{
	json_t *reply = NULL;
	int r = irqs_call_lines(c, true, &reply);

	if (!r && !reply)
		r = irqs_call_lines(c, false, &reply);
	return r ? r : irqs_take(reply, ret);
}

int irqs_read(struct client *c, struct irqs *t)
{
	json_t *reply;
	int r = client_call(c, CLIENT_PATH, CLIENT_MANAGER, "ListThreads", &reply, "a{sv}", 0);

	if (r)
		return r;
	irqs_take(reply, &t->threads);
	return t->lines ? OUTCOME_DONE : irqs_read_lines(c, &t->lines);
}

void irqs_done(struct irqs *t)
{
	json_decref(t->lines);
	json_decref(t->threads);
	*t = (struct irqs){ 0 };
}

/* --- rows --- */

/* Where the value of a row's key comes from: the thread's is asked first. */
static const struct {
	const char *key, *thread, *line;
} irqs_keys[] = {
	{ "irq", "irq", "irq" },
	{ "tid", "tid", NULL },
	{ "name", "name", NULL },
	{ "actions", "actions", "actions" },
	{ "policy", "policy", NULL },
	{ "priority", "priority", NULL },
	{ "nice", "nice", NULL },
	{ "affinity", "affinity", "affinity" },
	{ "rule", "rule", "rule" },
	{ "drifted", NULL, NULL },
	{ "drift", NULL, NULL },
	{ "affinity_rule", NULL, "rule" },
	{ "kind", "kind", NULL },
	{ "start_ticks", "start_ticks", NULL },
	{ "bound", "bound", NULL },
	{ "path", "path", NULL },
	{ "threaded", NULL, "threaded" },
	{ "explanation", NULL, "explanation" },
	{ "parent", NULL, "parent" },
	{ "chip", NULL, "chip" },
	{ "hwirq", NULL, "hwirq" },
	{ "trigger", NULL, "trigger" },
	{ "effective", NULL, "effective" },
	{ "unequal", NULL, "unequal" },
	{ "devices", NULL, "devices" },
	{ "per_second", NULL, "per_second" },
	{ "total", NULL, "total" },
	{ "counts", NULL, "counts" },
	{ "row", NULL, NULL },
	{ "text", NULL, "text" },
};

static json_t *irqs_value(const json_t *o, const char *key)
{
	json_t *v = key ? json_object_get(o, key) : NULL;

	if (json_is_string(v) && !*json_string_value(v))
		return NULL; /* "" says no more than nothing */
	return json_is_null(v) ? NULL : v;
}

static json_t *irqs_drift(const json_t *thread, const json_t *line)
{
	const char *of_thread = field_text(thread, "drift"), *of_line = field_text(line, "drift");

	if (*of_thread && *of_line && strcmp(of_thread, of_line) != 0)
		return json_sprintf("%s %s", of_thread, of_line);
	if (!*of_thread && !*of_line)
		return json_null();
	return json_string(*of_thread ? of_thread : of_line);
}

/* @thread or @line may be NULL. */
static json_t *irqs_row(const json_t *thread, const json_t *line)
{
	bool subject = thread || field_has(line, "irq");
	json_t *row = json_object();

	for (size_t i = 0; i < G_N_ELEMENTS(irqs_keys); i++) {
		json_t *v = irqs_value(thread, irqs_keys[i].thread);

		if (!v)
			v = irqs_value(line, irqs_keys[i].line);
		json_object_set_new(row, irqs_keys[i].key, v ? json_incref(v) : json_null());
	}
	if (!json_is_array(json_object_get(row, "actions")))
		json_object_set_new(row, "actions", json_array());
	if (!json_is_array(json_object_get(row, "devices")))
		json_object_set_new(row, "devices", json_array());
	if (subject)
		json_object_set_new(
			row, "drifted",
			json_boolean(field_true(thread, "drifted") || field_true(line, "drifted")));
	json_object_set_new(row, "drift", irqs_drift(thread, line));
	if (!subject && irqs_value(line, "name"))
		json_object_set(row, "row", json_object_get(line, "name"));
	return row;
}

struct irqs_join {
	GHashTable *lines; /* number -> GPtrArray of its threads */
	GPtrArray *strays; /* interrupt threads whose line is not in the table */
	GPtrArray *others; /* of no line */
};

static GPtrArray *irqs_threads_of(const struct irqs_join *j, const json_t *o)
{
	if (!field_has(o, "irq"))
		return NULL;
	return g_hash_table_lookup(j->lines, GINT_TO_POINTER(field_number(o, "irq", -1)));
}

static void irqs_join_line(struct irqs_join *j, const json_t *line)
{
	if (field_has(line, "irq"))
		g_hash_table_replace(j->lines, GINT_TO_POINTER(field_number(line, "irq", -1)),
				     g_ptr_array_new());
}

static void irqs_join_thread(struct irqs_join *j, json_t *thread)
{
	GPtrArray *of_line = irqs_threads_of(j, thread);

	if (of_line)
		g_ptr_array_add(of_line, thread);
	else if (field_has(thread, "irq") || strcmp(field_text(thread, "kind"), "irq") == 0)
		g_ptr_array_add(j->strays, thread);
	else
		g_ptr_array_add(j->others, thread);
}

static gint irqs_compare(gconstpointer a, gconstpointer b)
{
	const json_t *x = *(const json_t *const *)a, *y = *(const json_t *const *)b;
	int64_t irq_x = field_number(x, "irq", -1), irq_y = field_number(y, "irq", -1);
	int64_t tid_x = field_number(x, "tid", -1), tid_y = field_number(y, "tid", -1);

	if (irq_x != irq_y)
		return irq_x < irq_y ? -1 : 1;
	return tid_x < tid_y ? -1 : tid_x > tid_y;
}

static void irqs_add_threads(json_t *rows, GPtrArray *threads, const json_t *line)
{
	g_ptr_array_sort(threads, irqs_compare);
	for (guint i = 0; i < threads->len; i++)
		json_array_append_new(rows, irqs_row(threads->pdata[i], line));
}

static void irqs_add_line(json_t *rows, const struct irqs_join *j, const json_t *line, bool all)
{
	GPtrArray *threads = irqs_threads_of(j, line);

	if (!threads)
		return;
	if (threads->len)
		irqs_add_threads(rows, threads, line);
	else if (all || strcmp(field_text(line, "threaded"), "unused") != 0)
		json_array_append_new(rows, irqs_row(NULL, line));
}

json_t *irqs_rows(const struct irqs *t, bool all)
{
	struct irqs_join j = {
		.lines = g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)g_ptr_array_unref),
		.strays = g_ptr_array_new(),
		.others = g_ptr_array_new(),
	};
	json_t *rows = json_array();

	for (size_t i = 0; i < json_array_size(t->lines); i++)
		irqs_join_line(&j, json_array_get(t->lines, i));
	for (size_t i = 0; i < json_array_size(t->threads); i++)
		irqs_join_thread(&j, json_array_get(t->threads, i));
	for (size_t i = 0; i < json_array_size(t->lines); i++)
		irqs_add_line(rows, &j, json_array_get(t->lines, i), all);
	irqs_add_threads(rows, j.strays, NULL);
	if (all)
		irqs_add_threads(rows, j.others, NULL);
	for (size_t i = 0; all && i < json_array_size(t->lines); i++)
		if (!field_has(json_array_get(t->lines, i), "irq"))
			json_array_append_new(rows, irqs_row(NULL, json_array_get(t->lines, i)));
	g_hash_table_unref(j.lines);
	g_ptr_array_unref(j.strays);
	g_ptr_array_unref(j.others);
	return rows;
}

/* --- names --- */

/* A change has the line's actions as its name, a row has them in a list. g_free(). */
static char *irqs_line_name(const json_t *row)
{
	const json_t *actions = json_object_get(row, "actions");
	GString *name = g_string_new(field_text(row, "name"));

	if (name->len)
		return g_string_free(name, FALSE);
	for (size_t i = 0; i < json_array_size(actions); i++) {
		const char *action = json_string_value(json_array_get(actions, i));

		g_string_append_printf(name, "%s%s", i ? ", " : "", action ? action : "");
	}
	return g_string_free(name, FALSE);
}

char *irqs_subject(const json_t *row)
{
	int64_t irq = field_number(row, "irq", -1), tid = field_number(row, "tid", -1);
	const char *name = field_text(row, "name");
	g_autofree char *line = NULL;

	if (tid > 0)
		return g_strdup_printf("%s (tid %" G_GINT64_FORMAT ")", *name ? name : "thread",
				       tid);
	line = irqs_line_name(row);
	if (irq >= 0)
		return g_strdup_printf("irq %" G_GINT64_FORMAT "%s%s%s", irq, *line ? " (" : "",
				       line, *line ? ")" : "");
	return g_strdup(line);
}

char *irqs_thread_path(const json_t *row)
{
	const char *path = field_text(row, "path");
	int64_t tid = field_number(row, "tid", -1), start = field_number(row, "start_ticks", -1);

	if (g_str_has_prefix(path, CLIENT_PATH "/thread/") && sd_bus_object_path_is_valid(path))
		return g_strdup(path);
	if (tid <= 0 || start < 0)
		return NULL;
	return g_strdup_printf(CLIENT_PATH "/thread/%" G_GINT64_FORMAT "_%" G_GINT64_FORMAT, tid,
			       start);
}

char *irqs_line_path(const json_t *row)
{
	int64_t irq = field_number(row, "irq", -1);

	return irq < 0 ? NULL : g_strdup_printf(CLIENT_PATH "/irq/%" G_GINT64_FORMAT, irq);
}

void irqs_complete(json_t *o, const char *const *keys)
{
	for (; json_is_object(o) && *keys; keys++)
		if (!json_object_get(o, *keys))
			json_object_set_new(o, *keys, json_null());
}
