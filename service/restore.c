/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A daemon that lives puts back what it set itself, and knows more than its journal: while one has
 * the runtime folder, nothing is done here.
 *
 * The interrupts come first, because they need neither the disk nor the store; what is wrong with
 * one of the two does not keep the other from being done.
 */
#include "restore.h"

#include "cleanup.h"
#include "daemon.h"
#include "folders.h"
#include "irqlog.h"
#include "log.h"
#include "programs.h"
#include "salvage.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* To whoever called: a service manager reads the journal, and there nothing is said twice. */
static void restore_complain(const char *text)
{
	if (log_is_journal())
		log_error("%s", text);
	else
		fprintf(stderr, "lrtbfd: %s\n", text);
}

static void restore_tell(const struct irq_change *c)
{
	g_autofree char *text = NULL;

	if (log_is_journal()) {
		irqlog_write(c, true);
		return;
	}
	text = irqlog_format(c);
	puts(text);
}

/* 0, or -errno: something stayed, and it is said. @done: something was there to be said. */
static int restore_interrupts(const char *runtime_dir, bool *done)
{
	g_autoptr(GPtrArray) changes = NULL;
	g_autofree char *message = NULL;
	int r = 0;

	changes = irqpolicy_restore_journal(runtime_dir, &message);
	if (!changes) {
		restore_complain(message);
		return -EIO;
	}
	for (guint i = 0; i < changes->len; i++) {
		const struct irq_change *c = changes->pdata[i];

		restore_tell(c);
		if (c->outcome == IRQ_REFUSED)
			r = -EPERM;
	}
	*done |= changes->len > 0;
	return r;
}

/* -EWOULDBLOCK, ...: somebody else has the state folder. One folder may be both, ours already. */
static int restore_lock_state(const struct daemon_options *o, int *ret_fd, char **ret_message)
{
	if (folder_same(o->state_dir, o->runtime_dir))
		return 0;
	return folder_lock(o->state_dir, ret_fd, ret_message);
}

static int restore_sessions(const struct daemon_options *o, bool *done)
{
	g_autofree char *measure = NULL;
	g_autofree char *message = NULL;
	g_autofree char *sentence = NULL;
	struct salvage_place place = { .state_dir = o->state_dir, .runtime_dir = o->runtime_dir };
	unsigned regions = 0;
	g_auto(fd_t) lock = -1;
	int r;

	if (!salvage_needed(&place))
		return 0;
	if (program_measure(o->measure, &measure, &message) < 0)
		g_clear_pointer(&message, g_free); /* then none of it outlived its daemon */
	place.measure_path = measure;
	r = restore_lock_state(o, &lock, &message);
	if (r >= 0)
		r = salvage(&place, &regions, &message);
	if (r < 0) {
		sentence = g_strdup_printf("What an interrupted session measured stays in memory, "
					   "for the next start: %s",
					   message ?: g_strerror(-r));
		restore_complain(sentence);
		return r;
	}
	*done = true;
	if (!log_is_journal())
		printf("%u result region%s of a killed lrtbfd went into the store.\n", regions,
		       regions == 1 ? "" : "s");
	return 0;
}

static int restore_all(const struct daemon_options *o)
{
	bool done = false;
	int r, q;

	r = restore_interrupts(o->runtime_dir, &done);
	q = restore_sessions(o, &done);
	if (r < 0 || q < 0)
		return EXIT_FAILURE;
	if (!done && !log_is_journal())
		puts("There is nothing to put back.");
	return fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

int restore_run(const struct daemon_options *o)
{
	g_autofree char *message = NULL;
	g_autofree char *sentence = NULL;
	g_auto(fd_t) lock = -1;
	int r;

	if (access(o->runtime_dir, F_OK) < 0 && errno == ENOENT) {
		if (!log_is_journal())
			puts("There is nothing to put back.");
		return EXIT_SUCCESS;
	}
	r = folder_lock(o->runtime_dir, &lock, &message);
	if (r >= 0)
		return restore_all(o);
	sentence = g_strconcat(
		message,
		r == -EWOULDBLOCK ? " It puts interrupts back itself when it stops; lrtbfctl irq "
				    "restore asks it to."
				  : "",
		NULL);
	restore_complain(sentence);
	return EXIT_FAILURE;
}
