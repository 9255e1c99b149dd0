/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Somebody else's later value, said in a sentence; who it most likely was, where that can be known.
 */
#include "irqaim.h"

/* Its process id below @root; 0: it does not run. Reads the name of every process. */
pid_t irqbalance_find(const char *root);

/* Of an aim DRIFT or LEAVE. @irqbalance: as found, for affinities; 0 or less: none. g_free(). */
char *irq_drift_sentence(const struct irq_aim *aim, pid_t irqbalance);
/* The same of the attribute @a of what is called @name, set by @by. */
char *irq_drift_format(const char *name, const char *by, enum tuning_attribute a,
		       const struct tuning_value *ours, const struct tuning_value *is,
		       pid_t irqbalance);
