/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "irqdrift.h"

#include "sysfile.h"
#include "tuning.h"
#include <stdlib.h>
#include <string.h>

pid_t irqbalance_find(const char *root)
{
	g_autoptr(GPtrArray) names = sysfile_list(root, "proc");

	for (guint i = 0; i < names->len; i++) {
		const char *pid = names->pdata[i];
		g_autofree char *comm = NULL;

		if (strspn(pid, "0123456789") != strlen(pid))
			continue;
		comm = sysfile_text(root, "proc/%s/comm", pid);
		if (g_strcmp0(comm, "irqbalance") == 0)
			return atoi(pid);
	}
	return 0;
}

char *irq_drift_format(const char *name, const char *by, enum tuning_attribute a,
		       const struct tuning_value *ours, const struct tuning_value *is,
		       pid_t irqbalance)
{
	g_autofree char *was = tuning_value_format(a, ours);
	g_autofree char *now = tuning_value_format(a, is);
	const char *what = a == TUNING_AFFINITY ? "affinity " : "";

	if (a == TUNING_AFFINITY && irqbalance > 0)
		return g_strdup_printf("%s has %s%s instead of %s (%s): irqbalance runs (process "
				       "%d) and moves interrupts.",
				       name, what, now, was, by, (int)irqbalance);
	return g_strdup_printf("%s has %s%s instead of %s (%s): somebody else has set it since.",
			       name, what, now, was, by);
}

char *irq_drift_sentence(const struct irq_aim *aim, pid_t irqbalance)
{
	g_autofree char *name = irq_aim_name(aim);

	return irq_drift_format(name, aim->by ?: "lrtbfd", aim->attribute, &aim->ours, &aim->is,
				irqbalance);
}
