/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * What there is to tell of the plans' schedules: as the plans have them, PID 1 has their timers and
 * the store their sessions. For GetSchedule, and for SetSchedule's answer. Owned by the bus.
 */
#include "bus-internal.h"

struct schedules; /* one look, which waits for PID 1 */

/*
 * @entries: of struct schedule_entry, for schedule_append(); once, from the event loop. Freed
 * afterwards.
 */
typedef void (*schedules_done_t)(const GPtrArray *entries, void *userdata);

/*
 * Of all plans that have a schedule; of @plan alone when not NULL. @free: of @userdata when @done
 * is not called any more, because the bus ends.
 */
void schedules_look(struct bus *b, const char *plan, schedules_done_t done, void *userdata,
		    GDestroyNotify free);
/* For the bus' list. */
void schedules_free(gpointer data);

struct schedule_entry;
/* Its timer runs, and will not fire any more, although there are calendar expressions. */
bool schedule_elapsed(const struct schedule_entry *e);
/* Nor after another boot. */
bool schedule_never(const struct schedule_entry *e);
/* Entries of an open a{sv}. */
int schedule_append(sd_bus_message *m, const struct schedule_entry *e);

/* GetSchedule; @userdata: struct bus. */
int schedule_method_get_schedule(sd_bus_message *m, void *userdata, sd_bus_error *error);
