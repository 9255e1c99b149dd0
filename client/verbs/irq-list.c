/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Beside the table stands what it cannot show: how later threads are noticed, what drifted and
 * where to, and rules that are not in force. Programs get the rows alone (--json): the rest is a
 * call of its own for them.
 */
#include "args.h"
#include "client.h"
#include "duration.h"
#include "irqchange.h"
#include "irqrate.h"
#include "irqs.h"
#include "table.h"
#include "text.h"
#include <string.h>
#include <unistd.h>

#define IRQ_LIST_INTERVAL_NS	 (500 * UINT64_C(1000000))
#define IRQ_LIST_INTERVAL_MAX_NS (3600 * UINT64_C(1000000000))

struct irq_list {
	struct client *c;
	bool all;
	uint64_t interval_ns; /* between two readings; 0: one only */
	struct irqs irqs;
	json_t *manager; /* its properties */
	json_t *changes; /* what a dry run says */
};

static int irq_list_interval(const struct args *a, uint64_t *ret)
{
	const char *text = args_value(a, "interval");
	g_autofree char *message = NULL;

	*ret = IRQ_LIST_INTERVAL_NS;
	if (!text)
		return OUTCOME_DONE;
	if (strcmp(text, "0") == 0) {
		*ret = 0;
		return OUTCOME_DONE;
	}
	if (duration_parse(text, 0, ret, &message) < 0)
		return say_usage("--interval: %s", message);
	if (*ret > IRQ_LIST_INTERVAL_MAX_NS)
		return say_usage("--interval takes 1h at most.");
	return OUTCOME_DONE;
}

/* --- reading --- */

/* Counts of a captured table stand still: one reading of it is enough. */
static int irq_list_read(struct irq_list *l)
{
	json_t *before;
	int r = irqs_read_lines(l->c, &before);

	if (r)
		return r;
	if (!l->interval_ns || !irqrate_counting(before)) {
		l->irqs.lines = before;
		return irqs_read(l->c, &l->irqs);
	}
	g_usleep(l->interval_ns / 1000);
	r = irqs_read(l->c, &l->irqs);
	if (!r)
		irqrate_add(before, l->irqs.lines);
	json_decref(before);
	return r;
}

/* What only people read. The table is worth showing without it. */
static int irq_list_read_notes(struct irq_list *l)
{
	json_t *reply;
	int r = client_properties(l->c, CLIENT_PATH, CLIENT_MANAGER, &l->manager);

	if (r)
		return r;
	r = client_call(l->c, CLIENT_PATH, CLIENT_MANAGER, "ApplyIrqPolicy", &reply, "a{sv}", 1,
			"dry_run", "b", 1);
	if (r)
		return r;
	l->changes = json_incref(json_array_get(reply, 0)); /* refusals stand below the table */
	json_decref(reply);
	return OUTCOME_DONE;
}

/* --- the table --- */

static void irq_list_number(struct table *t, const json_t *row, const char *key)
{
	if (field_has(row, key))
		table_take(t, g_strdup_printf("%" G_GINT64_FORMAT, field_number(row, key, 0)));
	else
		table_cell(t, "-");
}

static void irq_list_irq(struct table *t, const json_t *row)
{
	if (field_has(row, "row"))
		table_cell(t, field_text(row, "row"));
	else
		irq_list_number(t, row, "irq");
}

/* The name, or in a word why there is none. */
static void irq_list_thread(struct table *t, const json_t *row)
{
	const char *threaded = field_text(row, "threaded");
	int64_t parent = field_number(row, "parent", -1);

	if (field_has(row, "tid") || !*threaded || strcmp(threaded, "threaded") == 0)
		table_cell(t, field_text(row, "name"));
	else if (parent >= 0)
		table_take(t, g_strdup_printf("-  (%s in %" G_GINT64_FORMAT ")", threaded, parent));
	else
		table_take(t, g_strdup_printf("-  (%s)", threaded));
}

static void irq_list_actions(struct table *t, const json_t *row)
{
	const json_t *actions = json_object_get(row, "actions");
	g_autoptr(GString) all = g_string_new(field_text(row, "text"));

	for (size_t i = 0; i < json_array_size(actions); i++) {
		const char *action = json_string_value(json_array_get(actions, i));

		g_string_append_printf(all, "%s%s", all->len ? ", " : "", action ? action : "");
	}
	table_cell(t, all->str);
}

/* Of the thread and of its line, which may be two. */
static void irq_list_rule(struct table *t, const json_t *row)
{
	const char *rule = field_text(row, "rule"), *of_line = field_text(row, "affinity_rule");

	if (*rule && *of_line && strcmp(rule, of_line) != 0)
		table_take(t, g_strdup_printf("%s, %s", rule, of_line));
	else
		table_cell(t, rule);
}

static void irq_list_rate(struct table *t, const json_t *row)
{
	double rate = field_real(row, "per_second", 0);

	if (field_has(row, "per_second"))
		table_take(t, number_format(rate, rate > 0 && rate < 100));
	else
		table_cell(t, "-");
}

static void irq_list_row(struct table *t, const json_t *row)
{
	irq_list_irq(t, row);
	irq_list_number(t, row, "tid");
	irq_list_thread(t, row);
	irq_list_actions(t, row);
	table_cell(t, field_text(row, "policy"));
	if (field_number(row, "priority", 0) > 0)
		irq_list_number(t, row, "priority");
	else
		table_cell(t, "-");
	irq_list_number(t, row, "nice");
	table_cell(t, field_text(row, "affinity"));
	irq_list_rule(t, row);
	table_cell(t, field_true(row, "drifted") ? "yes" : "-");
	irq_list_rate(t, row);
}

static void irq_list_table(const struct irq_list *l, const json_t *rows, GString *out)
{
	static const char *const headings[] = { ">IRQ",	  ">TID",  "THREAD", "ACTIONS",
						"POLICY", ">PRIO", ">NICE",  "AFFINITY",
						"RULE",	  "DRIFT", ">INT/S" };
	struct table *t = table_new(headings, G_N_ELEMENTS(headings));

	for (size_t i = 0; i < json_array_size(rows); i++)
		irq_list_row(t, json_array_get(rows, i));
	if (table_rows(t))
		table_print(t, out, &l->c->terminal);
	else
		g_string_append(out, "There are no interrupt lines in use.\n");
	table_free(t);
}

/* --- below it --- */

static void irq_list_sentence(const struct irq_list *l, GString *out, const char *sentence)
{
	g_autofree char *clean = text_clean(sentence, l->c->terminal.utf8);

	if (*clean)
		text_wrap(out, clean, 0, l->c->terminal.width);
}

/* g_free(). */
static char *irq_list_watching(const char *watching)
{
	const char *why = strstr(watching, ": ");
	g_autofree char *word = g_strndup(watching, strcspn(watching, ":"));

	if (strcmp(word, "process-events") == 0)
		return g_strdup("Later threads are noticed by the kernel's process events.");
	if (strcmp(word, "poll") == 0)
		return g_strdup_printf("Later threads are noticed by looking every few seconds%s.",
				       why ? why : "");
	if (strcmp(word, "starting") == 0)
		return g_strdup("How later threads are noticed is being found out.");
	if (strcmp(word, "off") == 0 && why)
		return g_strdup_printf("Nothing is set, and later threads are not waited for%s",
				       why);
	if (strcmp(word, "off") == 0)
		return g_strdup("Later threads are not waited for: there are no rules.");
	if (strcmp(word, "captured") == 0)
		return g_strdup(
			"This is a captured table: nothing changes in it, and nothing is set.");
	return *word ? g_strdup_printf("Later threads are noticed: %s.", watching) : g_strdup("");
}

/* The threads of a line share what is said of it. */
static void irq_list_drift(const struct irq_list *l, const json_t *rows, GString *out)
{
	g_autoptr(GHashTable) said = g_hash_table_new(g_str_hash, g_str_equal);

	for (size_t i = 0; i < json_array_size(rows); i++) {
		const json_t *row = json_array_get(rows, i);
		const char *drift = field_text(row, "drift");

		if (field_true(row, "drifted") && g_hash_table_add(said, (char *)drift))
			irq_list_sentence(l, out, drift);
	}
}

static void irq_list_changes(const struct irq_list *l, GString *out)
{
	unsigned differ = 0;
	g_autofree char *line = NULL;

	for (size_t i = 0; i < json_array_size(l->changes); i++) {
		const json_t *change = json_array_get(l->changes, i);
		g_autofree char *sentence = irqchange_line(change, true, l->c->terminal.utf8);

		if (irqchange_is(change, "would"))
			differ++;
		else
			irq_list_sentence(l, out, sentence);
	}
	if (!differ)
		return;
	line = g_strdup_printf(
		"%u value%s from what the rules want; 'lrtbfctl irq apply --dry-run' "
		"shows %s.",
		differ, differ == 1 ? " differs" : "s differ", differ == 1 ? "it" : "them");
	irq_list_sentence(l, out, line);
}

static void irq_list_notes(const struct irq_list *l, const json_t *rows, GString *out)
{
	const char *watched = field_text(l->manager, "IrqWatching");
	g_autofree char *watching = irq_list_watching(watched);
	bool paused = field_true(l->manager, "IrqPaused");
	size_t before = out->len;

	g_string_append_c(out, '\n');
	if (!paused || strcmp(watched, "off") != 0) /* there may be rules, which rest */
		irq_list_sentence(l, out, watching);
	if (paused)
		irq_list_sentence(l, out,
				  "The rules are paused since 'irq restore'; 'irq apply' puts them "
				  "into force again.");
	irq_list_drift(l, rows, out);
	irq_list_changes(l, out);
	if (out->len == before + 1)
		g_string_truncate(out, before);
}

/* --- all of it --- */

static int irq_list_print(struct irq_list *l)
{
	g_autoptr(GString) out = g_string_new(NULL);
	json_t *rows = irqs_rows(&l->irqs, l->all);
	int r;

	if (l->c->json)
		return client_print_json(rows);
	r = irq_list_read_notes(l);
	irq_list_table(l, rows, out);
	irq_list_notes(l, rows, out);
	json_decref(rows);
	client_print(l->c, out);
	return r;
}

static int irq_list_run(struct client *c, const struct args *a)
{
	struct irq_list l = { .c = c, .all = args_has(a, "all") };
	int r = irq_list_interval(a, &l.interval_ns);

	if (!r)
		r = irq_list_read(&l);
	if (!r)
		r = irq_list_print(&l);
	irqs_done(&l.irqs);
	json_decref(l.manager);
	json_decref(l.changes);
	return r;
}

static const struct option_spec irq_list_options[] = {
	{ "all", 0, NULL, "Unused lines, other kernel threads and LOC, ERR, ... as well" },
	{ "interval", 0, "TIME", "Count interrupts for so long (default: 500ms; 0: do not)" },
	{ NULL },
};

const struct verb verb_irq_list = {
	.name = "irq list",
	.operands = "",
	.help = "List interrupt lines and their threads",
	.options = irq_list_options,
	.run = irq_list_run,
};
