/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Values and subjects of tuning.h apart from the calls that set them: the guards, the journal and
 * the policy over all compare and print them without touching anything.
 */
#include "tuning.h"

#include "cpulist.h"
#include "lineaffinity.h"
#include "message.h"
#include "policy.h"

#include <errno.h>
#include <string.h>

void tuning_value_done(struct tuning_value *v)
{
	g_clear_pointer(&v->affinity, g_free);
}

void tuning_value_copy(const struct tuning_value *v, struct tuning_value *ret)
{
	struct tuning_value copy = *v;

	copy.affinity = g_strdup(v->affinity);
	*ret = copy;
}

static bool affinity_text_equal(const char *x, const char *y)
{
	cpu_set_t a, b, online;

	if (g_strcmp0(x, y) == 0)
		return true;
	if (!x || !y || cpulist_parse(x, NULL, &a, NULL) < 0 ||
	    cpulist_parse(y, NULL, &b, NULL) < 0)
		return false;
	return CPU_EQUAL(&a, &b) ||
	       (cpulist_online("/", &online) >= 0 && affinity_same(&a, &b, &online));
}

bool tuning_value_equal(enum tuning_attribute a, const struct tuning_value *x,
			const struct tuning_value *y)
{
	switch (a) {
	case TUNING_POLICY:
		return x->policy == y->policy && x->priority == y->priority &&
		       x->reset_on_fork == y->reset_on_fork;
	case TUNING_NICE:
		return x->nice == y->nice;
	case TUNING_AFFINITY:
		return affinity_text_equal(x->affinity, y->affinity);
	case TUNING_ATTRIBUTES:
		break;
	}
	g_assert_not_reached();
}

static char *policy_format(const struct tuning_value *v)
{
	const char *name = policy_to_string(v->policy);
	g_autofree char *text = name ? g_strdup(name) : g_strdup_printf("policy %d", v->policy);
	g_autofree char *priority =
		policy_is_realtime(v->policy) ? g_strdup_printf(" %u", v->priority) : NULL;

	return g_strconcat(text, priority ?: "", v->reset_on_fork ? ", reset on fork" : "", NULL);
}

char *tuning_value_format(enum tuning_attribute a, const struct tuning_value *v)
{
	switch (a) {
	case TUNING_POLICY:
		return policy_format(v);
	case TUNING_NICE:
		return g_strdup_printf("nice %d", v->nice);
	case TUNING_AFFINITY:
		return g_strdup(v->affinity ?: "unknown");
	case TUNING_ATTRIBUTES:
		break;
	}
	g_assert_not_reached();
}

int tuning_affinity_resolve(const char *root, const char *text, char **ret_list, char **ret_message)
{
	cpu_set_t online, set, left;
	int r;

	r = cpulist_online(root, &online);
	if (r < 0)
		return message_fail(ret_message, r, "Which CPUs are online cannot be read: %s.",
				    g_strerror(-r));
	r = cpulist_parse(text, &online, &set, ret_message);
	if (r < 0)
		return r;
	CPU_AND(&left, &set, &online);
	if (CPU_COUNT(&left) == 0)
		return message_fail(ret_message, -EINVAL, "None of the CPUs %s is online.", text);
	*ret_list = cpulist_format(&set);
	return 0;
}

void tuning_subject_of_thread(const struct irq_thread *t, struct tuning_subject *ret)
{
	*ret = (struct tuning_subject){
		.tid = t->tid,
		.start_ticks = t->start_ticks,
		.name = g_strdup(t->name),
	};
}

void tuning_subject_of_line(const struct irq_line *l, struct tuning_subject *ret)
{
	char *name = l->chip && l->hwirq ? g_strdup_printf("%s %s", l->chip, l->hwirq)
		     : l->actions	 ? g_strjoinv(", ", l->actions)
					 : g_strdup("");

	*ret = (struct tuning_subject){ .is_line = true, .irq = l->irq, .name = name };
}

void tuning_subject_copy(const struct tuning_subject *s, struct tuning_subject *ret)
{
	struct tuning_subject copy = *s;

	copy.name = g_strdup(s->name);
	*ret = copy;
}

void tuning_subject_done(struct tuning_subject *s)
{
	g_clear_pointer(&s->name, g_free);
}

bool tuning_subject_equal(const struct tuning_subject *a, const struct tuning_subject *b)
{
	if (a->is_line != b->is_line)
		return false;
	if (a->is_line)
		return a->irq == b->irq && strcmp(a->name, b->name) == 0;
	return a->tid == b->tid && a->start_ticks == b->start_ticks &&
	       kthread_name_same(a->name, b->name);
}
