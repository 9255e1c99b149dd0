/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rule by rule, in the order in which the service names them: who reads this wants to know which
 * line of which file did it.
 */
#include "args.h"
#include "client.h"
#include "irqchange.h"
#include "irqrules.h"
#include "text.h"
#include <string.h>

struct irq_apply {
	struct client *c;
	json_t *changes;
	json_t *rules; /* NULL: not to be had */
};

static bool irq_apply_same_rule(const json_t *a, const json_t *b)
{
	return field_number(a, "line", 0) == field_number(b, "line", 0) &&
	       strcmp(field_text(a, "file"), field_text(b, "file")) == 0 &&
	       strcmp(field_text(a, "by"), field_text(b, "by")) == 0;
}

/* "net (10-net.conf:3): interface=eth*: fifo 60" */
static void irq_apply_heading(const struct irq_apply *p, const json_t *change, GString *out)
{
	const json_t *rule = irqrules_find(p->rules, change);
	g_autofree char *by = irqchange_by(change), *clean = NULL;
	g_autoptr(GString) line = g_string_new(*by ? by : "no rule");

	if (rule) {
		g_autofree char *match = irqrules_match_text(rule);
		g_autofree char *sets = irqrules_sets_text(rule);

		g_string_append_printf(line, ": %s: %s", match, sets);
	}
	clean = text_clean(line->str, p->c->terminal.utf8);
	g_string_append_printf(out, "%s\n", clean);
}

/* All changes by the rule of the one at @first. */
static void irq_apply_group(const struct irq_apply *p, size_t first, bool *done, GString *out)
{
	const json_t *head = json_array_get(p->changes, first);

	irq_apply_heading(p, head, out);
	for (size_t i = first; i < json_array_size(p->changes); i++) {
		const json_t *change = json_array_get(p->changes, i);
		g_autofree char *line = NULL;

		if (done[i] || !irq_apply_same_rule(change, head))
			continue;
		done[i] = true;
		line = irqchange_line(change, false, p->c->terminal.utf8);
		g_string_append_printf(out, "  %s\n", line);
	}
}

/* Whether one of them is more than a word about a rule. */
static bool irq_apply_differs(const json_t *changes)
{
	static const char *const notes[] = { "waits", "never", "unequal", "kept" };

	for (size_t i = 0; i < json_array_size(changes); i++) {
		const json_t *change = json_array_get(changes, i);
		bool note = false;

		for (size_t n = 0; n < G_N_ELEMENTS(notes); n++)
			note = note || irqchange_is(change, notes[n]);
		if (!note)
			return true;
	}
	return false;
}

static void irq_apply_text(const struct irq_apply *p)
{
	g_autofree bool *done = g_new0(bool, json_array_size(p->changes) + 1);
	g_autoptr(GString) out = g_string_new(NULL);

	for (size_t i = 0; i < json_array_size(p->changes); i++)
		if (!done[i])
			irq_apply_group(p, i, done, out);
	if (!irq_apply_differs(p->changes))
		g_string_append(out, "Nothing differs from what the rules want.\n");
	if (irqchange_any_moves(p->changes))
		g_string_append(out, "Affinity takes effect at the line's next interrupt.\n");
	client_print(p->c, out);
}

static int irq_apply_run(struct client *c, const struct args *a)
{
	struct irq_apply p = { .c = c };
	bool dry = args_has(a, "dry-run");
	int r, rules;

	if (!dry)
		client_may_ask(c);
	r = irqchange_call_policy(c, "ApplyIrqPolicy", dry, &p.changes);
	if (!p.changes)
		return r;
	irqchange_complete(p.changes);
	if (c->json) {
		client_print_json(p.changes);
		return r;
	}
	rules = json_array_size(p.changes) ? irqrules_read(c, &p.rules) : OUTCOME_DONE;
	irq_apply_text(&p);
	json_decref(p.changes);
	json_decref(p.rules);
	return MAX(r, rules);
}

static const struct option_spec irq_apply_options[] = {
	{ "dry-run", 0, NULL, "Only show what would change" },
	{ NULL },
};

const struct verb verb_irq_apply = {
	.name = "irq apply",
	.operands = "",
	.help = "Bring the rules into force now, and show what that changes",
	.options = irq_apply_options,
	.run = irq_apply_run,
};
