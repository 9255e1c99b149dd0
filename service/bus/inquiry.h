/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * A call that reads much and is answered with something rendered: step by step in the event loop
 * what the store has, on a thread what has to be worked out. Whoever leaves the bus ends his.
 */
#include "rendering.h"

struct bus;

enum inquiry_next {
	INQUIRY_STEP,	/* once more, when others have had their turn */
	INQUIRY_THREAD, /* work(), then once more */
	INQUIRY_ANSWER, /* rendered() is complete */
};

struct inquiry_kind {
	/* In the event loop: enum inquiry_next; -errno with a sentence. */
	int (*step)(void *data, char **ret_message);
	/* On a thread, which has @data for itself: 0; -errno with a sentence. */
	int (*work)(void *data, char **ret_message);
	GString *(*rendered)(void *data); /* borrowed */
	void (*free)(void *data);
};

/*
 * Takes @data over in any case. @way: its strings must stay. For a method handler's return: 1, the
 * call will be answered later; negative with @error set (LimitsExceeded: too many are under way).
 */
int inquiry_begin(struct bus *b, sd_bus_message *call, const struct inquiry_kind *kind, void *data,
		  const struct rendering_way *way, sd_bus_error *error);

/* Those of a bus; ends them. */
GPtrArray *inquiries_new(void);
