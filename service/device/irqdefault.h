/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * The values that the kernel gives on its own: to a thread that it starts, and anew when the
 * machine resumes or a CPU goes offline. Who finds one of them there just then has not found
 * somebody's wish. Sources: kernel/sched/syscalls.c (sched_set_fifo(), _secondary(), _low()),
 * kernel/irq/cpuhotplug.c, kernel/sched/core.c (select_fallback_rq()).
 */
#include "irqtable.h"
#include "journal.h"

/* Of TUNING_POLICY. */
bool irq_default_policy(const struct irq_thread *t, const struct tuning_value *v);
/*
 * Of TUNING_AFFINITY, where @ours was set before: of a line or of a thread, on the machine at
 * @root.
 */
bool irq_default_affinity(const char *root, bool is_line, const struct tuning_value *v,
			  const struct tuning_value *ours);
