/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "proc-interrupts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

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
		/* nothing comes between a reading and itself */
		if (proc_interrupts_find(t, irq->name) == irq &&
		    proc_interrupts_delta(t, t, irq->name, &delta) && t->n_cpus < 2)
			g_assert_cmpuint(delta, ==, 0);
	}
	proc_interrupts_free(t);
	return 0;
}
