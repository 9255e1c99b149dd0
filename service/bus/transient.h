/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * session/cage.h with systemd's PID 1 behind it: transient scopes below lrtbf-measure.slice for
 * what measures, transient services below lrtbf-load.slice for loads. Owned by the bus; outlives
 * the sessions.
 */
#include "cage.h"
#include <systemd/sd-bus.h>

struct transient;

/* NULL: this process may not ask for units (it is not root). */
struct transient *transient_new(sd_bus *bus);
struct transient *transient_free(struct transient *t);
const struct cage *transient_cage(const struct transient *t);

/* At the start, before anything measures: ends what a killed daemon left. Blocks shortly. */
void transient_clear(const struct transient *t);
