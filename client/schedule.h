/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * When plans begin by themselves, as GetSchedule tells it, and SetSchedule.
 */
#include "client.h"

/*
 * All: an array of objects with every documented key (null where there is no value). json_decref().
 */
int schedule_read(struct client *c, json_t **ret);
/* That of @plan, borrowed; NULL: it has none. */
const json_t *schedule_find(const json_t *schedules, const char *plan);
/* "*:0/5", "15min after boot", "off: daily"; "" when there is none. g_free(). */
char *schedule_when(const json_t *schedule);

/* Call SetSchedule and show what came of it. @fill NULL: no options. */
int schedule_set(struct client *c, const char *plan, const char *schedule, client_fill_t fill,
		 const void *data);
/* Switch it on or off and leave all else as it is. */
int schedule_enable(struct client *c, const char *plan, bool on);
/* Print one as lines, or as JSON; takes it over. */
int schedule_show(struct client *c, json_t *schedule);
