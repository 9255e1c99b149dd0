/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A thread's name, and behind a NUL an action. */
#include <glib.h>
#include <stdint.h>
#include <string.h>

#include "kthread.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autofree char *comm = g_strndup(size ? (const char *)data : "", size);
	g_autofree char *action = NULL;
	size_t length = strlen(comm);
	struct kthread_name k;

	action = length < size ? g_strndup((const char *)data + length + 1, size - length - 1)
			       : g_strdup("");
	kthread_name_parse(comm, &k);
	g_assert_nonnull(kthread_kind_to_string(k.kind));
	g_assert_true((k.kind == KTHREAD_IRQ) == (k.irq >= 0));
	g_assert_true((k.kind == KTHREAD_IRQ) == (k.rest != NULL));
	g_assert_true((k.kind == KTHREAD_NAPI) == (k.interface_size > 0));
	g_assert_cmpuint(k.interface_size, <=, length);
	g_assert_cmpint(k.cpu, >=, -1);
	if (k.kind != KTHREAD_IRQ) {
		g_assert_false(kthread_runs_action(comm, action));
		return 0;
	}
	g_assert_true(k.rest > comm && k.rest <= comm + length);
	g_assert_true(kthread_runs_action(comm, k.rest));
	(void)kthread_runs_action(comm, action); /* either may be right */
	return 0;
}
