/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * When a plan's sessions begin by themselves: its keys schedule, persistent, ... of lrtbfd-plan(5).
 * Only kept here: when a calendar expression elapses is systemd's business, which gets it as a
 * timer unit from lrtbf-generator(8). Part of struct plan.
 */
#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#define SCHEDULE_CALENDARS_MAX 32
#define SCHEDULE_TEXT_MAX      256 /* bytes of one calendar expression */

struct conf_group;

struct schedule_calendar {
	char *text;    /* systemd.time(7), "CALENDAR EVENTS"; only its characters are checked */
	char *file;    /* where it stands: for problems */
	unsigned line; /* 0: nowhere */
};

struct schedule {
	GPtrArray *calendars; /* of struct schedule_calendar; maybe empty */
	bool enabled;	      /* default true */
	bool persistent, wake_system;
	uint64_t on_boot_ns; /* after the boot; 0: not then */
	uint64_t randomized_delay_ns, accuracy_ns;
	uint64_t start_within_ns; /* later than this it is skipped; 0: never */
};

void schedule_init(struct schedule *s);
void schedule_done(struct schedule *s);
/* @to: not initialised. */
void schedule_copy(struct schedule *to, const struct schedule *from);

/* The plan has one, be it switched off. */
bool schedule_is_set(const struct schedule *s);

/*
 * May @text stand in a unit file? Nothing but the characters of calendar expressions and time
 * zones, so that it can neither end its line nor name a specifier. -EINVAL with a sentence.
 */
int schedule_text_check(const char *text, char **ret_message);

/* The key @key, a text or several, with problems at their lines. */
void schedule_take(struct conf_group *g, const char *key, struct schedule *s);
/* Its value as it stands in a plan's file; NULL: none. g_free(). */
char *schedule_format(const struct schedule *s);

/* All expressions with "; " between them, as they go over the bus. g_free(). */
char *schedule_join(const struct schedule *s);
/* The reverse: blanks around each are taken off. g_strfreev(). */
char **schedule_split(const char *text);
