/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An expression is asked about once, so these calls wait for somebody else the first time only.
 * Where nobody can be asked they answer what is known.
 */
#include "plancheck.h"

#include "calendars.h"
#include "cleanup-bus.h"
#include "dict.h"
#include "errors.h"
#include "options.h"
#include "plans.h"
#include "reply.h"
#include <errno.h>
#include <string.h>

#define PLANCHECK_TEXT_MAX (1024 * 1024)

struct plancheck {
	struct bus *bus;
	sd_bus_message *call;
	GPtrArray *problems; /* NULL: the plans are told, each with its own */
	struct plan *plan;   /* whose problems they are; NULL: all plans' */
};

static void plancheck_free(gpointer data)
{
	struct plancheck *c = data;

	sd_bus_message_unref(c->call);
	if (c->problems)
		g_ptr_array_unref(c->problems);
	plan_free(c->plan);
	g_free(c);
}

static struct plancheck *plancheck_new(struct bus *b, sd_bus_message *call, GPtrArray *problems,
				       struct plan *plan)
{
	struct plancheck *c = g_new0(struct plancheck, 1);

	c->bus = b;
	c->call = sd_bus_message_ref(call);
	c->problems = problems;
	c->plan = plan;
	return c;
}

static size_t plancheck_plans(const struct plancheck *c, const struct plan_entry **ret)
{
	return sessions_plans(c->bus->model.sessions, ret);
}

/* The answer; @c is freed. */
static int plancheck_reply(struct plancheck *c, sd_bus_error *error)
{
	const struct plan_entry *plans = NULL;
	size_t n = plancheck_plans(c, &plans);
	int r;

	if (c->plan)
		calendars_problems(c->bus->calendars, c->plan, c->problems);
	for (size_t i = 0; i < n && c->problems && !c->plan; i++)
		if (plans[i].plan)
			calendars_problems(c->bus->calendars, plans[i].plan, c->problems);
	if (c->problems)
		r = reply_list(c->call, dict_problems, c->problems, NULL, error);
	else
		r = reply_list(c->call, plans_append, c->bus, NULL, error);
	plancheck_free(c);
	return r;
}

static void on_plancheck_learned(void *userdata)
{
	struct plancheck *c = userdata;
	g_autoptr(sd_bus_message) call = sd_bus_message_ref(c->call);
	sd_bus_error error = SD_BUS_ERROR_NULL;

	if (plancheck_reply(c, &error) < 0)
		bus_reply_error(call, &error);
	sd_bus_error_free(&error);
}

/* When all is known, or nobody knows. For a handler's `return`. */
static int plancheck_begin(struct plancheck *c, sd_bus_error *error)
{
	g_autoptr(GPtrArray) texts = g_ptr_array_new();
	const struct plan_entry *plans = NULL;
	size_t n = plancheck_plans(c, &plans);
	int r;

	if (c->plan)
		calendars_collect(c->plan, texts);
	for (size_t i = 0; i < n && !c->plan; i++)
		if (plans[i].plan)
			calendars_collect(plans[i].plan, texts);
	r = calendars_learn(c->bus->calendars, texts, on_plancheck_learned, c, plancheck_free);
	if (r == 1)
		return 1;
	if (r < 0 && c->plan) {
		plancheck_free(c);
		return bus_error_limit(error, "Too many calendar expressions are being checked.");
	}
	return plancheck_reply(c, error);
}

int plancheck_method_list_plans(sd_bus_message *m, void *userdata, sd_bus_error *error)
{
	struct bus *b = userdata;
	int r;

	r = options_read_none(m, error);
	return r < 0 ? r : plancheck_begin(plancheck_new(b, m, NULL, NULL), error);
}

int plancheck_method_check_plan(sd_bus_message *m, void *userdata, sd_bus_error *error)
{
	g_autoptr(GPtrArray) problems = NULL;
	struct bus *b = userdata;
	struct plan *p;
	const char *text;
	int r;

	r = sd_bus_message_read_basic(m, 's', &text);
	if (r < 0)
		return bus_error_argument(error, r);
	r = options_read_none(m, error);
	if (r < 0)
		return r;
	if (strlen(text) > PLANCHECK_TEXT_MAX)
		return bus_error_set(error, EMSGSIZE, "A plan's text has at most 1 MiB.");
	problems = sessions_check_plan(b->model.sessions, text);
	/* a plan with other mistakes has those told first */
	p = problems->len ? NULL : plan_parse("plan", text, strlen(text), "", problems);
	if (!p)
		return reply_list(m, dict_problems, problems, NULL, error);
	return plancheck_begin(plancheck_new(b, m, g_steal_pointer(&problems), p), error);
}

int plancheck_answer(struct bus *b, sd_bus_message *call, GPtrArray *problems, sd_bus_error *error)
{
	return plancheck_begin(plancheck_new(b, call, problems, NULL), error);
}
