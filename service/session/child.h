/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * One lrtbf-measure: spawned with its order on descriptor 3 and the region on 4, watched from the
 * event loop, ended in good time. Owned by measuring.c.
 *
 * The caller has SIGCHLD blocked, as sd_event_add_child(3) wants it.
 */
#include "order.h"

#include <stdbool.h>
#include <sys/types.h>
#include <systemd/sd-event.h>

struct cage;
struct child;

struct child_end {
	int code;	  /* CLD_EXITED, CLD_KILLED, CLD_DUMPED */
	int status;	  /* exit status or signal */
	bool asked;	  /* child_stop() or child_kill() came before */
	bool killed;	  /* and it had to be SIGKILLed */
	uint64_t mono_ns; /* when it was killed; else when its end was seen */
};
/* Called once; child_free() may be called from within. */
typedef void (*child_ended_t)(const struct child_end *end, void *userdata);

struct child_params {
	sd_event *event;
	const char *path; /* lrtbf-measure */
	const struct order *order;
	int region_fd;
	/* a unit for it to wait in until it gets its order; cage NULL: none */
	const struct cage *cage;
	const char *unit, *description;
	child_ended_t ended;
	/* It stays in the daemon's unit and measures there: why, half a sentence. Once at most,
	 * also from within child_start(). */
	void (*outside)(const char *why, void *userdata);
	void *userdata;
};

/* Nothing but 0..4 is open in it. A sentence in @ret_message. */
int child_start(const struct child_params *p, struct child **ret, char **ret_message);
/* SIGTERM, and SIGKILL after 500 ms. Harmless when called again. */
void child_stop(struct child *c);
void child_kill(struct child *c); /* SIGKILL at once */
/* Kills and reaps one that still lives; @ended is not called any more. Returns NULL. */
struct child *child_free(struct child *c);

/* "was killed by signal 9 (SIGKILL)", "ended with status 3". g_free(). */
char *child_end_text(const struct child_end *end);
