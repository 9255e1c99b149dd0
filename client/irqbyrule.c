/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rule by rule, in the order in which the service names them: who reads this wants to know which
 * line of which file did it.
 */
#include "irqbyrule.h"

#include "irqchange.h"
#include "irqrules.h"
#include "text.h"
#include <string.h>

struct irqbyrule {
	const struct client *c;
	const json_t *changes, *rules;
};

static bool irqbyrule_same_rule(const json_t *a, const json_t *b)
{
	return field_number(a, "line", 0) == field_number(b, "line", 0) &&
	       strcmp(field_text(a, "file"), field_text(b, "file")) == 0 &&
	       strcmp(field_text(a, "by"), field_text(b, "by")) == 0;
}

/* "net (10-net.conf:3): interface=eth*: fifo 60" */
static void irqbyrule_heading(const struct irqbyrule *p, const json_t *change, GString *out)
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
static void irqbyrule_group(const struct irqbyrule *p, size_t first, bool *done, GString *out)
{
	const json_t *head = json_array_get(p->changes, first);

	irqbyrule_heading(p, head, out);
	for (size_t i = first; i < json_array_size(p->changes); i++) {
		const json_t *change = json_array_get(p->changes, i);
		g_autofree char *line = NULL;

		if (done[i] || !irqbyrule_same_rule(change, head))
			continue;
		done[i] = true;
		line = irqchange_line(change, false, p->c->terminal.utf8);
		g_string_append_printf(out, "  %s\n", line);
	}
}

/* Whether one of them is more than a word about a rule. */
static bool irqbyrule_differs(const json_t *changes)
{
	static const char *const notes[] = { "waits", "never", "unequal" };

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

void irqbyrule_text(const struct client *c, const json_t *changes, const json_t *rules,
		    GString *out)
{
	const struct irqbyrule p = { .c = c, .changes = changes, .rules = rules };
	g_autofree bool *done = g_new0(bool, json_array_size(changes) + 1);

	for (size_t i = 0; i < json_array_size(changes); i++)
		if (!done[i])
			irqbyrule_group(&p, i, done, out);
	if (!irqbyrule_differs(changes))
		g_string_append(out, "Nothing differs from what the rules want.\n");
	if (irqchange_any_moves(changes))
		g_string_append(out, "Affinity takes effect at the line's next interrupt.\n");
}
