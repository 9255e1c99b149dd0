/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * A session wherever it is, for its Session object: in memory, or read from the store.
 *
 * sd-bus looks an object up, then asks for its properties, one after the other in one thread: one view, set anew
 * at each look-up, is enough. What came from the store is kept until another one is looked up.
 */
#include "sessions.h"
#include "store.h"
#include <systemd/sd-bus.h>

struct view {
	struct session *live;	     /* NULL: from the store */
	const struct result *result; /* its head; stages only when live */
	struct result *stored;	     /* head of the one read last from the store; owned */
	char **stored_warnings;	     /* its findings' sentences; owned */
	double stored_progress;	     /* share of its measuring time that it had */
	struct session *leaving;  /* about to leave memory: still found */
};

/* Set @v to session @id. Negative with @error set: NoSuchSession, or what the store said. */
int view_set(struct view *v, struct sessions *sessions, const char *id, sd_bus_error *error);
/* The store has another one now, or none. */
void view_forget(struct view *v, const char *id);
void view_done(struct view *v);

/* Sentences of all findings, each once. g_strfreev(). */
char **view_warnings(const struct view *v);
