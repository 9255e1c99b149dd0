/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Where a session's processes may run outside of the daemon's own unit: a unit of PID 1 for each,
 * which ends them all together, bounds them and shows them by name. A table of functions, because
 * sessions know nothing of a bus; NULL in its place where there is no systemd, and in most tests.
 *
 * Nothing here blocks. Event loop's thread only.
 */
#include <stdbool.h>
#include <sys/types.h>

struct cage_unit; /* one that was asked for; belongs to whoever asked */

/*
 * Once, later, unless cage.leave() came before. @r 0: the unit has started. -EOPNOTSUPP: there is
 * no systemd here, which is no trouble. Else @why says why not, half a sentence; a service that
 * starts all the same is killed.
 */
typedef void (*cage_started_t)(int r, const char *why, void *userdata);

/* A process that is there already and waits; with it goes all that it starts. */
struct cage_scope {
	const char *name; /* "lrtbf-measure-ID-N.scope" */
	const char *description;
	pid_t pid;
};

/*
 * A process that PID 1 starts, with nothing of the daemon's rights and bounds. Its descriptors 0, 1
 * and 2 are @fds (the last one may be -1), duplicated here. PID 1 keeps them open until no process
 * of the unit is left: a socket that is not shut down by its process ends when all have ended.
 */
struct cage_service {
	const char *name; /* "lrtbf-load-ID-N-LOAD.service" */
	const char *description;
	const char *const *command; /* argv, a path first */
	const char *const *after; /* argv of what is run after every end, with the same descriptors;
				     NULL: nothing */
	bool root;		  /* runs as root; else as who loads run as */
	int fds[3];
};

struct cage {
	void *userdata; /* first argument of the first two */
	/* -errno: it could not be asked for, and @started is not called. */
	int (*scope)(void *cage, const struct cage_scope *s, cage_started_t started, void *userdata,
		     struct cage_unit **ret);
	int (*service)(void *cage, const struct cage_service *s, cage_started_t started,
		       void *userdata, struct cage_unit **ret);
	/* SIGTERM to its main process, SIGKILL to every one in it. */
	void (*kill)(struct cage_unit *u, int signo);
	/* No news of it any more; the unit is left alone. NULL is fine; returns NULL. */
	struct cage_unit *(*leave)(struct cage_unit *u);
};
