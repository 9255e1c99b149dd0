/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * The display of a session that runs: a line on the session, then one per CPU, redrawn in place.
 */
#include "terminal.h"
#include <glib.h>
#include <jansson.h>

struct live {
	unsigned lines; /* drawn last; 0: nothing stands there */
};

/* What to show of a session's @properties (names of the bus). Pure. Returns the number of lines. */
unsigned live_text(const json_t *properties, const struct terminal *t, GString *out);

void live_draw(struct live *l, const json_t *properties, const struct terminal *t);
/* Take it off the screen. */
void live_clear(struct live *l);
