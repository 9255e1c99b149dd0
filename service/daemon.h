/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * lrtbfd as an object: who owns what. Settings, store, interrupt policy, sessions and bus are made
 * here, in an order that keeps a second daemon from touching the first one's results, and are ended
 * in the reverse.
 *
 * Before daemon_new(): SIGTERM, SIGINT, SIGHUP and SIGCHLD blocked in every thread, SIGPIPE ignored
 * (daemon_signals()).
 */
struct daemon;

struct daemon_options {
	const char *bus;	/* "system", "user", an address */
	const char *config_dir; /* NULL: the three usual ones */
	const char *state_dir, *runtime_dir, *root, *lock_file;
	const char *measure,
		*load; /* programs; NULL: beside lrtbfd, else where they are installed */
	int log_level; /* -1: the settings' */
};

void daemon_options_init(struct daemon_options *o);
int daemon_signals(void);

/* Everything up to READY. -errno with a sentence for the log. */
int daemon_new(const struct daemon_options *o, struct daemon **ret, char **ret_message);
/* Until a signal, or the bus is lost. The process' exit status. */
int daemon_run(struct daemon *d);
/* Ends what runs, writes what waits. */
struct daemon *daemon_free(struct daemon *d);
