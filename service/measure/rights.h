/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * What is not permitted, and what to do about it: sentences for the one who started the
 * measurement. All return allocated text (g_free).
 */
#include "order.h"

/* Setting @o's policy on @cpu failed with @error (-errno of policy_set()). */
char *rights_policy_text(int error, const struct order *o, int cpu);
/* The control thread's priority, one above, failed. */
char *rights_control_text(int error, unsigned priority);
/* mlockall(2) failed. */
char *rights_memory_text(int error);
