/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * What is known of calendar expressions: whether they mean anything, and whether a session that a
 * timer wants now is too late. Answers come later, from systemd-analyze(1); one expression is asked
 * about once. Owned by the bus; event loop's thread only.
 */
#include "plan.h"
#include <systemd/sd-event.h>

struct calendars;

struct calendars *calendars_new(sd_event *event);
/* Questions that wait are dropped with what they hold. */
struct calendars *calendars_free(struct calendars *c);

/*
 * Learn about all of @texts (of char *, copied). 0: nothing to be asked, or nobody who knows. 1:
 * @done is called later, whatever came of it. -EBUSY: too many questions wait already. @free: of
 * @userdata, when the answer comes no more.
 */
typedef void (*calendars_done_t)(void *userdata);
int calendars_learn(struct calendars *c, const GPtrArray *texts, calendars_done_t done,
		    void *userdata, GDestroyNotify free);
/* It means nothing; false: it is fine, or not known. */
bool calendars_meaningless(const struct calendars *c, const char *text);
/* A problem for each of @p's expressions that means nothing, at its line. */
void calendars_problems(const struct calendars *c, const struct plan *p, GPtrArray *problems);
/* The expressions of @p, borrowed, appended to @texts. */
void calendars_collect(const struct plan *p, GPtrArray *texts);

/*
 * Does a session that the timer of @p wants now come later than start_within allows? @sentence:
 * why; NULL: it is in time, or it cannot be known. Returns as calendars_learn(); 0: known at once,
 * with *@ret_sentence (g_free).
 */
typedef void (*calendars_late_t)(const char *sentence, void *userdata);
int calendars_judge(struct calendars *c, const struct plan *p, calendars_late_t done,
		    void *userdata, GDestroyNotify free, char **ret_sentence);
