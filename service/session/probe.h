/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * May this daemon measure as a plan wants? Tried for real, in a process of its own, before a
 * session is queued: a refusal is worth more than a session that fails at night.
 */
#include "order.h"

/*
 * Set the order's policy at the control thread's priority (one above the measuring ones), on one of
 * its CPUs. 0, or -EPERM with a sentence that names what is missing (a limit, a capability, a
 * budget) and what to do. Other -errno: the attempt itself was not possible, with a sentence.
 */
int probe_policy(const struct order *o, char **ret_message);
/* Can what a measurement locks at least be locked? 0 or -EPERM with a sentence. */
int probe_memory(const struct order *o, char **ret_message);
