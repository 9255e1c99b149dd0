/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "args.h"
#include "client.h"
#include "duration.h"
#include "plans.h"
#include "schedule.h"
#include "table.h"
#include "text.h"
#include <string.h>

static void plan_list_time(struct table *t, const json_t *schedule, const char *field)
{
	int64_t usec = field_number(schedule, field, 0);

	table_take(t, usec > 0 ? text_time((uint64_t)usec) : g_strdup("-"));
}

/* How its newest session ended. */
static const char *plan_list_end(const json_t *schedule)
{
	const char *state = field_text(schedule, "last_state");

	return strcmp(state, "done") == 0 ? field_text(schedule, "last_verdict") : state;
}

static void plan_list_schedule(struct table *t, const json_t *schedule)
{
	g_autofree char *when = schedule_when(schedule);

	table_cell(t, when);
	plan_list_time(t, schedule, "next_usec");
	plan_list_time(t, schedule, "last_usec");
	table_cell(t, field_text(schedule, "last_session"));
	table_cell(t, plan_list_end(schedule));
}

/* @schedules NULL: without their columns. */
static void plan_list_row(struct table *t, const json_t *p, const json_t *schedules)
{
	int64_t duration = field_number(p, "duration_ns", -1);
	int64_t interval = field_number(p, "interval_ns", -1);
	int64_t stages = (int64_t)json_array_size(json_object_get(p, "stages"));
	bool valid = field_true(p, "valid");

	table_cell(t, field_text(p, "name"));
	table_cell(t, field_text(p, "instrument"));
	table_take(t, valid ? g_strdup_printf("%" G_GINT64_FORMAT,
					      stages * field_number(p, "repeat", 1))
			    : g_strdup("-"));
	table_take(t, duration < 0 ? g_strdup("-") : duration_format(duration));
	table_take(t, interval <= 0 ? g_strdup("-") : duration_format(interval));
	table_cell(t, field_text(p, "policy"));
	if (schedules)
		plan_list_schedule(t, schedule_find(schedules, field_text(p, "name")));
	table_cell(t, valid ? field_text(p, "description") : "has problems: see 'plan check'");
}

static void plan_list_print(struct client *c, const json_t *plans, const json_t *schedules)
{
	static const char *const plain[] = { "NAME",	  "INSTRUMENT", ">STAGES",    ">DURATION",
					     ">INTERVAL", "POLICY",	"DESCRIPTION" };
	static const char *const scheduled[] = { "NAME",      "INSTRUMENT", ">STAGES",
						 ">DURATION", ">INTERVAL",  "POLICY",
						 "SCHEDULE",  "NEXT",	    "LAST",
						 "SESSION",   "ENDED",	    "DESCRIPTION" };
	bool any = json_array_size(schedules) > 0;
	g_autoptr(GString) out = g_string_new(NULL);
	struct table *t = any ? table_new(scheduled, G_N_ELEMENTS(scheduled))
			      : table_new(plain, G_N_ELEMENTS(plain));

	for (size_t i = 0; i < json_array_size(plans); i++)
		plan_list_row(t, json_array_get(plans, i), any ? schedules : NULL);
	if (table_rows(t)) {
		table_print(t, out, &c->terminal);
		client_print(c, out);
	} else {
		say("There are no plans.");
	}
	table_free(t);
}

/* For programs each plan has its schedule in it. */
static int plan_list_json(json_t *plans, const json_t *schedules)
{
	for (size_t i = 0; i < json_array_size(plans); i++) {
		json_t *p = json_array_get(plans, i);
		const json_t *s = schedule_find(schedules, field_text(p, "name"));

		json_object_set_new(p, "schedule", s ? json_deep_copy(s) : json_null());
	}
	return client_print_json(plans);
}

static int plan_list_run(struct client *c, const struct args *a)
{
	json_t *plans, *schedules;
	int r = plans_read(c, &plans);

	if (r)
		return r;
	r = schedule_read(c, &schedules);
	if (r) {
		json_decref(plans);
		return r;
	}
	if (c->json) {
		r = plan_list_json(plans, schedules);
	} else {
		plan_list_print(c, plans, schedules);
		json_decref(plans);
	}
	json_decref(schedules);
	return r;
}

const struct verb verb_plan_list = {
	.name = "plan list",
	.operands = "",
	.help = "List plans",
	.run = plan_list_run,
};
