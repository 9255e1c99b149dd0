/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A daemon that lives puts back what it set itself, and knows more than its journal: while one has
 * the runtime folder, nothing is done here.
 */
#include "restore.h"

#include "cleanup.h"
#include "folders.h"
#include "irqlog.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int restore_print(const GPtrArray *changes)
{
	int status = EXIT_SUCCESS;

	for (guint i = 0; i < changes->len; i++) {
		const struct irq_change *c = changes->pdata[i];
		g_autofree char *text = irqlog_format(c);

		puts(text);
		if (c->outcome == IRQ_REFUSED)
			status = EXIT_FAILURE;
	}
	if (changes->len == 0)
		puts("There is nothing to put back.");
	return fflush(stdout) == 0 ? status : EXIT_FAILURE;
}

int restore_run(const char *runtime_dir)
{
	g_autoptr(GPtrArray) changes = NULL;
	g_autofree char *message = NULL;
	g_auto(fd_t) lock = -1;
	int r;

	if (access(runtime_dir, F_OK) < 0 && errno == ENOENT) {
		puts("There is nothing to put back.");
		return EXIT_SUCCESS;
	}
	r = folder_lock(runtime_dir, &lock, &message);
	if (r >= 0)
		changes = irqpolicy_restore_journal(runtime_dir, &message);
	if (changes)
		return restore_print(changes);
	fprintf(stderr, "lrtbfd: %s%s\n", message,
		r == -EWOULDBLOCK ? " It puts interrupts back itself when it stops; lrtbfctl irq "
				    "restore asks "
				    "it to."
				  : "");
	return EXIT_FAILURE;
}
