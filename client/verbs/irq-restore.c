/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Without a selector everything goes back to what was there before, and the rules rest. With one it
 * undoes what was set by hand there, in favour of the rules if they say something: the service has
 * two calls for the two.
 */
#include "args.h"
#include "client.h"
#include "irqchange.h"
#include "irqs.h"
#include "irqselect.h"

#define IRQ_RESTORE_NOTHING "Nothing of ours is in force there: nothing was changed."

struct irq_restore {
	struct client *c;
	GHashTable *lines; /* numbers of those done */
	json_t *changes;
};

static int irq_restore_call(struct irq_restore *s, const char *path, const char *interface,
			    const json_t *row)
{
	sd_bus_message *m = NULL;
	int r = client_message(s->c, path, interface, "Restore", &m);

	if (r)
		return r;
	r = sd_bus_message_append(m, "a{sv}", 0);
	r = r < 0 ? client_fail(NULL, r) : irqchange_call(s->c, m, row, s->changes);
	sd_bus_message_unref(m);
	return r;
}

static int irq_restore_row(struct irq_restore *s, const json_t *row)
{
	g_autofree char *thread = irqs_thread_path(row), *line = irqs_line_path(row);
	int worst = thread ? irq_restore_call(s, thread, CLIENT_THREAD, row) : OUTCOME_DONE, r;

	if (irqchange_is_final(worst) || !line ||
	    !g_hash_table_add(s->lines, GINT_TO_POINTER(field_number(row, "irq", -1))))
		return worst;
	r = irq_restore_call(s, line, CLIENT_IRQ, row);
	return MAX(worst, r);
}

static int irq_restore_rows(struct irq_restore *s, const json_t *rows)
{
	int worst = OUTCOME_DONE;

	for (size_t i = 0; i < json_array_size(rows) && !irqchange_is_final(worst); i++) {
		int r = irq_restore_row(s, json_array_get(rows, i));

		worst = MAX(worst, r);
	}
	return irqchange_print(s->c, json_incref(s->changes), IRQ_RESTORE_NOTHING, worst);
}

static int irq_restore_selected(struct client *c, const struct args *a)
{
	struct irq_restore s = { .c = c };
	json_t *rows, *chosen;
	struct irqs irqs = { 0 };
	int r = irqs_read(c, &irqs);

	if (!r) {
		rows = irqs_rows(&irqs, true);
		r = irqselect_rows(a->operands, rows, &chosen);
		json_decref(rows);
	}
	irqs_done(&irqs);
	if (r)
		return r;
	s.lines = g_hash_table_new(NULL, NULL);
	s.changes = json_array();
	r = irq_restore_rows(&s, chosen);
	json_decref(s.changes);
	g_hash_table_unref(s.lines);
	json_decref(chosen);
	return r;
}

static int irq_restore_all(struct client *c, bool dry)
{
	json_t *changes;
	int r = irqchange_call_policy(c, "RestoreIrqPolicy", dry, &changes);

	if (!changes)
		return r;
	r = irqchange_print(c, changes, IRQ_RESTORE_NOTHING, r);
	if (!r && !dry && !c->json && c->terminal.tty)
		say("The rules are paused now; 'lrtbfctl irq apply' puts them into force again.");
	return r;
}

static int irq_restore_run(struct client *c, const struct args *a)
{
	bool dry = args_has(a, "dry-run");
	int r = irqselect_check(a->operands);

	if (r)
		return r;
	if (dry && a->operands->len)
		return say_usage("--dry-run goes without a selector.");
	if (!dry)
		client_may_ask(c);
	return a->operands->len ? irq_restore_selected(c, a) : irq_restore_all(c, dry);
}

static const struct option_spec irq_restore_options[] = {
	{ "dry-run", 0, NULL, "Only show what would be put back" },
	{ NULL },
};

const struct verb verb_irq_restore = {
	.name = "irq restore",
	.operands = "[SELECTOR...]",
	.help = "Put back what was there before, and pause the rules",
	.max = VERB_ANY,
	.options = irq_restore_options,
	.run = irq_restore_run,
};
