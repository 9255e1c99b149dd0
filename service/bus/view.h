/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * A session wherever it is, for its Session object: in memory, or read from the store.
 *
 * sd-bus looks an object up, then asks for its properties, one after the other in one thread: one
 * view, set anew at each look-up, is enough. Of what came from the store, the last VIEW_KEPT are
 * kept, small.
 */
#include "sessions.h"
#include "store.h"
#include <systemd/sd-bus.h>

#define VIEW_KEPT 32

struct view_stored;

struct view {
	/* of the session looked up last */
	struct session *live;		  /* NULL: it shows what the store has */
	const struct view_stored *stored; /* NULL: it is live */
	const struct result *result;	  /* its head; stages only when live */

	struct session *leaving; /* about to leave memory: still found */
	GPtrArray *kept;	 /* of struct view_stored, the one used last at the end */
};

void view_init(struct view *v);
void view_done(struct view *v);

/* Set @v to session @id. Negative with @error set: NoSuchSession, or what the store said. */
int view_set(struct view *v, struct sessions *sessions, const char *id, sd_bus_error *error);
/* The store has another one now, or none. */
void view_forget(struct view *v, const char *id);

/* Sentences of all findings, each once. g_strfreev(). */
char **view_warnings(const struct view *v);
/* 0..1: the share of its measuring time that is over. */
double view_progress(const struct view *v);
