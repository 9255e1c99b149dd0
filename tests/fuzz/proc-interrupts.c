/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "proc-interrupts.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The parts stand in the text in their order; the actions are its end, and have the line's blanks.
 */
static void check_text(const struct proc_irq *irq)
{
	g_autofree char *joined = g_strjoinv(", ", irq->action_list);
	g_autofree char *end = g_strchomp(g_strdup(irq->actions));

	g_assert_cmpstr(joined, ==, irq->actions);
	g_assert_true(g_str_has_suffix(irq->text, end));
	if (irq->chip)
		g_assert_true(*irq->chip && g_str_has_prefix(irq->text, irq->chip));
	if (irq->hwirq)
		g_assert_true(*irq->hwirq && strstr(irq->text, irq->hwirq));
	g_assert_true(!irq->sure || irq->hwirq);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct proc_interrupts *t = NULL;
	uint64_t delta;

	if (proc_interrupts_parse((const char *)data, size, &t) < 0)
		return 0;
	g_assert_cmpuint(t->n_cpus, >, 0);
	for (guint i = 0; i < t->lines->len; i++) {
		const struct proc_irq *irq = t->lines->pdata[i];

		g_assert_cmpuint(irq->n_counts, <=, t->n_cpus);
		g_assert_true(*irq->name && irq->text && irq->actions);
		if (irq->device)
			check_text(irq);
		/* nothing comes between a reading and itself */
		if (proc_interrupts_find(t, irq->name) == irq &&
		    proc_interrupts_delta(t, t, irq->name, &delta) && t->n_cpus < 2)
			g_assert_cmpuint(delta, ==, 0);
	}
	proc_interrupts_free(t);
	return 0;
}
