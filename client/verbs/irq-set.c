/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What chrt would refuse of the values alone is refused before anything is asked of the service;
 * what depends on the thread (a priority for one whose policy has none) before that thread is
 * touched. The affinity of an interrupt thread is its line's, so it goes there, once for each line.
 */
#include "args.h"
#include "client.h"
#include "cpulist.h"
#include "duration.h"
#include "irqchange.h"
#include "irqs.h"
#include "irqselect.h"
#include "policy.h"
#include "rule.h"
#include "text.h"
#include <errno.h>
#include <string.h>

struct irq_set {
	/* configuration: the wish */
	struct client *c;
	const char *policy;	/* NULL: as it is */
	int64_t priority, nice; /* where @has_... */
	bool has_priority, has_nice, reset_on_fork;
	const char *affinity; /* NULL: as it is */
	const char *override; /* NULL: none */
	/* changes */
	GHashTable *lines; /* numbers of those done */
	json_t *changes;
};

/* --- the wish --- */

static int irq_set_policy(struct irq_set *s, const struct args *a)
{
	static const char *const names[] = { "other", "batch", "idle", "fifo", "rr", NULL };
	const char *near;

	s->policy = args_value(a, "policy");
	if (!s->policy || g_strv_contains(names, s->policy))
		return OUTCOME_DONE;
	near = text_nearest(s->policy, names);
	if (near)
		return say_usage("--policy: there is no '%s'. Did you mean '%s'?", s->policy, near);
	return say_usage("--policy takes other, batch, idle, fifo or rr.");
}

static bool irq_set_realtime(const char *policy)
{
	return policy_is_realtime(policy_from_string(policy));
}

static int irq_set_priority(struct irq_set *s, const struct args *a)
{
	const char *text = args_value(a, "priority");

	s->has_priority = text;
	if (!text)
		return OUTCOME_DONE;
	if (integer_parse(text, 0, 99, &s->priority, NULL) < 0)
		return say_usage("--priority takes a number from 1 to 99.");
	if (s->policy && !irq_set_realtime(s->policy) && s->priority)
		return say_usage("--policy=%s has no priority: leave --priority away.", s->policy);
	if (!s->priority && (!s->policy || irq_set_realtime(s->policy)))
		return say_usage("--priority takes a number from 1 to 99; to take the priority "
				 "away, use --policy=other.");
	return OUTCOME_DONE;
}

static int irq_set_nice(struct irq_set *s, const struct args *a)
{
	const char *text = args_value(a, "nice");

	s->has_nice = text;
	if (text && integer_parse(text, -20, 19, &s->nice, NULL) < 0)
		return say_usage("--nice takes a number from -20 to 19.");
	return OUTCOME_DONE;
}

static int irq_set_affinity(struct irq_set *s, const struct args *a)
{
	g_autofree char *message = NULL;

	s->affinity = args_value(a, "affinity");
	if (!s->affinity)
		return OUTCOME_DONE;
	if (cpulist_check_syntax(s->affinity, &message) < 0)
		return say_usage("--affinity: %s", message);
	return OUTCOME_DONE;
}

static int irq_set_override(struct irq_set *s, const struct args *a)
{
	g_auto(GStrv) words = NULL;

	s->override = args_value(a, "override");
	if (!s->override)
		return OUTCOME_DONE;
	words = g_strsplit(s->override, ",", -1);
	for (char **w = words; *w; w++)
		if (rule_override_from_string(g_strstrip(*w)) < 0)
			return say_usage("--override takes softirq, rcu or measuring, or several "
					 "with commas; '%s' is none.",
					 *w);
	if (!*words)
		return say_usage("--override takes softirq, rcu or measuring.");
	return OUTCOME_DONE;
}

static int irq_set_wish(struct irq_set *s, const struct args *a)
{
	int (*const parts[])(struct irq_set * s, const struct args *a) = {
		irq_set_policy, irq_set_priority, irq_set_nice, irq_set_affinity, irq_set_override,
	};

	for (size_t i = 0; i < G_N_ELEMENTS(parts); i++) {
		int r = parts[i](s, a);

		if (r)
			return r;
	}
	s->reset_on_fork = args_has(a, "reset-on-fork");
	if (!s->policy && !s->has_priority && !s->has_nice && !s->affinity)
		return say_usage("Set what? Give --policy, --priority, --nice or --affinity.");
	if (s->reset_on_fork && !s->policy)
		return say_usage("--reset-on-fork goes with --policy.");
	return irqselect_check(a->operands);
}

/* --- threads --- */

static bool irq_set_wants_thread(const struct irq_set *s, const json_t *row)
{
	return s->policy || s->has_priority || s->has_nice ||
	       (s->affinity && !field_has(row, "irq"));
}

/* As chrt: fifo and rr have a priority and the others none. NULL: all is well. g_free(). */
static char *irq_set_objection(const struct irq_set *s, const json_t *row)
{
	const char *policy = field_text(row, "policy");
	bool realtime = irq_set_realtime(policy);

	if (s->has_priority && s->priority && !s->policy && !realtime)
		return g_strdup_printf("%s has policy '%s', which has no priority: give "
				       "--policy=fifo or --policy=rr as well.",
				       field_text(row, "name"), policy);
	if (s->policy && irq_set_realtime(s->policy) && !s->has_priority && !realtime)
		return g_strdup_printf("%s has no priority that it could keep: give --priority as "
				       "well.",
				       field_text(row, "name"));
	return NULL;
}

static int irq_set_attributes(const struct irq_set *s, const json_t *row, sd_bus_message *m)
{
	int r = sd_bus_message_open_container(m, SD_BUS_TYPE_ARRAY, "{sv}");

	if (r >= 0 && s->policy)
		r = sd_bus_message_append(m, "{sv}", "policy", "s", s->policy);
	if (r >= 0 && s->has_priority)
		r = sd_bus_message_append(m, "{sv}", "priority", "u", (uint32_t)s->priority);
	if (r >= 0 && s->reset_on_fork)
		r = sd_bus_message_append(m, "{sv}", "reset_on_fork", "b", 1);
	if (r >= 0 && s->has_nice)
		r = sd_bus_message_append(m, "{sv}", "nice", "i", (int32_t)s->nice);
	if (r >= 0 && s->affinity && !field_has(row, "irq"))
		r = sd_bus_message_append(m, "{sv}", "affinity", "s", s->affinity);
	return r < 0 ? r : sd_bus_message_close_container(m);
}

static int irq_set_options(const struct irq_set *s, sd_bus_message *m)
{
	int r = sd_bus_message_open_container(m, SD_BUS_TYPE_ARRAY, "{sv}");

	if (r >= 0 && s->override)
		r = sd_bus_message_append(m, "{sv}", "override", "s", s->override);
	return r < 0 ? r : sd_bus_message_close_container(m);
}

static int irq_set_thread(struct irq_set *s, const json_t *row)
{
	g_autofree char *objection = irq_set_objection(s, row), *path = irqs_thread_path(row);
	sd_bus_message *m = NULL;
	int r;

	if (objection)
		return irqchange_refuse(row, objection, s->changes);
	if (!path)
		return irqchange_refuse(row, "lrtbfd does not say which thread this is.",
					s->changes);
	r = client_message(s->c, path, CLIENT_THREAD, "Set", &m);
	if (r)
		return r;
	r = irq_set_attributes(s, row, m);
	if (r >= 0)
		r = irq_set_options(s, m);
	r = r < 0 ? client_fail(NULL, r) : irqchange_call(s->c, m, row, s->changes);
	sd_bus_message_unref(m);
	return r;
}

/* --- lines --- */

static int irq_set_line(struct irq_set *s, const json_t *row)
{
	g_autofree char *path = irqs_line_path(row);
	sd_bus_message *m = NULL;
	int r;

	if (!path || !g_hash_table_add(s->lines, GINT_TO_POINTER(field_number(row, "irq", -1))))
		return OUTCOME_DONE;
	r = client_message(s->c, path, CLIENT_IRQ, "SetAffinity", &m);
	if (r)
		return r;
	r = sd_bus_message_append(m, "sa{sv}", s->affinity, 0);
	r = r < 0 ? client_fail(NULL, r) : irqchange_call(s->c, m, row, s->changes);
	sd_bus_message_unref(m);
	return r;
}

static int irq_set_no_thread(struct irq_set *s, const json_t *row)
{
	const char *why = field_text(row, "explanation");
	g_autofree char *sentence =
		g_strdup_printf("It has no thread to set this of%s%s", *why ? ": " : ".", why);

	return irqchange_refuse(row, sentence, s->changes);
}

static int irq_set_row(struct irq_set *s, const json_t *row)
{
	int worst = OUTCOME_DONE, r;

	if (irq_set_wants_thread(s, row)) {
		worst = field_has(row, "tid") ? irq_set_thread(s, row) : irq_set_no_thread(s, row);
		if (irqchange_is_final(worst))
			return worst;
	}
	if (!s->affinity || !field_has(row, "irq"))
		return worst;
	r = irq_set_line(s, row);
	return MAX(worst, r);
}

static int irq_set_all(struct irq_set *s, const struct args *a)
{
	struct irqs irqs = { 0 };
	json_t *rows = NULL, *chosen = NULL;
	int worst = irqs_read(s->c, &irqs);

	if (!worst) {
		rows = irqs_rows(&irqs, true);
		worst = irqselect_rows(a->operands, rows, &chosen);
	}
	for (size_t i = 0; i < json_array_size(chosen) && !irqchange_is_final(worst); i++) {
		int r = irq_set_row(s, json_array_get(chosen, i));

		worst = MAX(worst, r);
	}
	worst = chosen ? irqchange_print(s->c, json_incref(s->changes),
					 "It is so already: nothing was changed.", worst)
		       : worst;
	json_decref(chosen);
	json_decref(rows);
	irqs_done(&irqs);
	return worst;
}

static int irq_set_run(struct client *c, const struct args *a)
{
	struct irq_set s = { .c = c };
	int r = irq_set_wish(&s, a);

	if (r)
		return r;
	client_may_ask(c);
	s.lines = g_hash_table_new(NULL, NULL);
	s.changes = json_array();
	r = irq_set_all(&s, a);
	g_hash_table_unref(s.lines);
	json_decref(s.changes);
	return r;
}

static const struct option_spec irq_set_options_table[] = {
	{ "policy", 0, "POLICY", "other, batch, idle, fifo or rr" },
	{ "priority", 0, "N", "1 to 99, with fifo and rr" },
	{ "nice", 0, "N", "-20 to 19" },
	{ "affinity", 0, "LIST", "CPUs: 0-1, !2, all; of an interrupt thread its line's" },
	{ "reset-on-fork", 0, NULL, "With --policy: children do not inherit it" },
	{ "override", 0, "GUARD,...", "Guards to set aside: softirq, rcu, measuring" },
	{ NULL },
};

const struct verb verb_irq_set = {
	.name = "irq set",
	.operands = "SELECTOR...",
	.help = "Set policy, priority, nice and affinity by hand",
	.min = 1,
	.max = VERB_ANY,
	.options = irq_set_options_table,
	.run = irq_set_run,
};
