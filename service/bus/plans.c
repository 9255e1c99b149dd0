/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Written by hand instead of through JSON: the types of empty lists are part of the contract.
 */
#include "plans.h"

#include "bus-internal.h"
#include "calendars.h"
#include "dict.h"
#include "plan.h"
#include "policy.h"
#include <errno.h>
#include <string.h>

static int plans_append_stage(sd_bus_message *m, const struct plan_stage *s)
{
	int r;

	r = sd_bus_message_open_container(m, 'a', "{sv}");
	if (r >= 0)
		r = dict_string(m, "name", s->name);
	if (r >= 0)
		r = dict_string(m, "load", s->load);
	if (r >= 0)
		r = dict_u64(m, "duration_ns", s->duration_ns);
	return r < 0 ? r : sd_bus_message_close_container(m);
}

static int plans_append_stages(sd_bus_message *m, const void *data)
{
	const struct plan *p = data;
	int r;

	r = sd_bus_message_open_container(m, 'a', "a{sv}");
	for (guint i = 0; r >= 0 && i < p->stages->len; i++)
		r = plans_append_stage(m, p->stages->pdata[i]);
	return r < 0 ? r : sd_bus_message_close_container(m);
}

static int plans_append_limits(sd_bus_message *m, const void *data)
{
	const struct plan *p = data;
	int r;

	r = sd_bus_message_open_container(m, 'a', "s");
	for (guint i = 0; r >= 0 && i < p->limits->len; i++)
		r = dict_text(m, g_array_index(p->limits, struct limit, i).text);
	return r < 0 ? r : sd_bus_message_close_container(m);
}

static int plans_append_plan(sd_bus_message *m, const struct plan *p)
{
	int r;

	r = dict_string(m, "description", p->description ?: "");
	if (r >= 0)
		r = dict_string(m, "instrument", p->instrument);
	if (r >= 0)
		r = dict_u64(m, "duration_ns", plan_planned_ns(p));
	if (r >= 0)
		r = dict_u64(m, "interval_ns", p->interval_ns);
	if (r >= 0)
		r = dict_string(m, "policy", policy_to_string(p->policy));
	if (r >= 0)
		r = dict_i32(m, "priority", p->priority);
	if (r >= 0)
		r = dict_string(m, "cpus", p->cpus);
	if (r >= 0)
		r = dict_u32(m, "repeat", (uint32_t)p->repeat);
	if (r >= 0)
		r = dict_string(m, "baseline", plan_baseline(p));
	if (r >= 0)
		r = dict_value(m, "stages", "aa{sv}", plans_append_stages, p);
	if (r >= 0)
		r = dict_value(m, "limits", "as", plans_append_limits, p);
	if (r >= 0)
		r = dict_string(m, "text", p->text);
	return r;
}

/* The file's own, and what is known of its calendar expressions. problems_new()'s. */
static GPtrArray *plans_problems(const struct bus *b, const struct plan_entry *e)
{
	GPtrArray *problems = problems_new();

	for (guint i = 0; i < e->problems->len; i++) {
		const struct problem *p = e->problems->pdata[i];

		(void)problem_add(problems, p->file, p->line, "%s", p->text);
	}
	if (e->plan)
		calendars_problems(b->calendars, e->plan, problems);
	return problems;
}

static int plans_append_entry(sd_bus_message *m, const struct bus *b, const struct plan_entry *e)
{
	g_autoptr(GPtrArray) problems = plans_problems(b, e);
	int r;

	r = sd_bus_message_open_container(m, 'a', "{sv}");
	if (r >= 0)
		r = dict_string(m, "name", e->name);
	if (r >= 0)
		r = dict_string(m, "path", e->path);
	if (r >= 0)
		r = dict_bool(m, "valid", e->plan != NULL);
	if (r >= 0 && e->plan)
		r = plans_append_plan(m, e->plan);
	if (r >= 0)
		r = dict_value(m, "problems", "aa{sv}", dict_problems, problems);
	return r < 0 ? r : sd_bus_message_close_container(m);
}

/* What an entry takes at most, by its texts; everything else of it is small. */
static size_t plans_size(const struct plan_entry *e)
{
	size_t size = 4096;

	if (e->plan)
		size += strlen(e->plan->text) + 256 * e->plan->stages->len +
			(DICT_PROBLEM_TEXT_MAX + 4096) * e->plan->schedule.calendars->len;
	if (e->problems)
		size += MIN(e->problems->len, DICT_PROBLEMS_MAX) *
			(DICT_PROBLEM_TEXT_MAX + strlen(e->path) + 128);
	return size;
}

int plans_append(sd_bus_message *m, const void *bus)
{
	const struct bus *b = bus;
	const struct plan_entry *entries = NULL;
	size_t n = sessions_plans(b->model.sessions, &entries), size = 0;
	int r;

	r = sd_bus_message_open_container(m, 'a', "a{sv}");
	for (size_t i = 0; r >= 0 && i < n; i++) {
		size += plans_size(&entries[i]);
		if (size > BUS_REPLY_MAX)
			return -EMSGSIZE;
		r = plans_append_entry(m, b, &entries[i]);
	}
	return r < 0 ? r : sd_bus_message_close_container(m);
}
