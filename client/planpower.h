/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * What a plan's time can show: how rare an event each stage would still see (core/power.h). Pure.
 */
#include "terminal.h"
#include <glib.h>
#include <jansson.h>

/*
 * @plan: as ListPlans tells it. { "stages": [ { "name", "load", "time_ns" (repeats together),
 * "rate_hz" (of events that are seen with 95 %), "chances": { "1/min": 0..1, ... } } ], "needed":
 * { "1/min": ns, ... } (to see one with 95 %) }. json_decref().
 */
json_t *planpower_json(const json_t *plan);
/* The same for people. */
void planpower_print(const json_t *power, GString *out, const struct terminal *term);
