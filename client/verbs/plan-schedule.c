/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A schedule that is given is meant: it is switched on as well, whatever was before. What stands
 * for itself (an option without an expression) leaves that as it is.
 */
#include "args.h"
#include "plans.h"
#include "schedule.h"
#include <string.h>

static const struct {
	const char *option, *key;
} plan_schedule_texts[] = {
	{ "on-boot", "on_boot" },
	{ "start-within", "start_within" },
	{ "randomized-delay", "randomized_delay" },
	{ "accuracy", "accuracy" },
};

static const struct {
	const char *yes, *no, *key;
} plan_schedule_flags[] = {
	{ "persistent", "no-persistent", "persistent" },
	{ "wake-system", "no-wake-system", "wake_system" },
};

static const struct option_spec plan_schedule_options[] = {
	{ "on-boot", 0, "TIME", "This long after each boot, too" },
	{ "start-within", 0, "TIME", "Skip a session that begins later than this" },
	{ "persistent", 0, NULL, "Make up for a time that passed while the machine was down" },
	{ "no-persistent", 0, NULL, "Do not" },
	{ "randomized-delay", 0, "TIME", "Put each time off by a random time up to this" },
	{ "accuracy", 0, "TIME", "How late systemd may be to wake the machine less often" },
	{ "wake-system", 0, NULL, "Wake the machine from suspend" },
	{ "no-wake-system", 0, NULL, "Do not" },
	{ "reset", 0, NULL, "What the plan's own files say" },
	{ NULL },
};

static int plan_schedule_fill(sd_bus_message *m, const void *data)
{
	const struct args *a = data;
	int r = OUTCOME_DONE;

	if (a->operands->len > 1 || args_has(a, "on-boot"))
		r = client_append_flag(m, "enabled", true);
	for (size_t i = 0; !r && i < G_N_ELEMENTS(plan_schedule_texts); i++) {
		const char *value = args_value(a, plan_schedule_texts[i].option);

		if (value)
			r = client_append_text(m, plan_schedule_texts[i].key, value);
	}
	for (size_t i = 0; !r && i < G_N_ELEMENTS(plan_schedule_flags); i++) {
		const char *yes = plan_schedule_flags[i].yes, *no = plan_schedule_flags[i].no;

		if (args_has(a, yes) || args_has(a, no))
			r = client_append_flag(m, plan_schedule_flags[i].key,
					       args_either(a, yes, no, false));
	}
	return r;
}

static int plan_schedule_print(struct client *c, const char *plan)
{
	json_t *schedules, *plans;
	const json_t *schedule;
	int r = schedule_read(c, &schedules);

	if (r)
		return r;
	schedule = schedule_find(schedules, plan);
	if (schedule) {
		r = schedule_show(c, json_deep_copy(schedule));
	} else if (!(r = plans_read(c, &plans))) {
		if (plans_find(plans, plan))
			r = say_error("The plan '%s' has no schedule.", plan);
		else
			r = plans_say_unknown(plans, plan);
		json_decref(plans);
	}
	json_decref(schedules);
	return r;
}

/* All expressions in one text. */
static char *plan_schedule_text(const struct args *a)
{
	GString *text = g_string_new(NULL);

	for (guint i = 1; i < a->operands->len; i++)
		g_string_append_printf(text, "%s%s", i > 1 ? "; " : "", args_operand(a, i));
	return g_string_free(text, FALSE);
}

/* Something is wished but --reset. */
static bool plan_schedule_wished(const struct args *a)
{
	for (const struct option_spec *o = plan_schedule_options; o->name; o++)
		if (strcmp(o->name, "reset") != 0 && args_has(a, o->name))
			return true;
	return false;
}

static int plan_schedule_run(struct client *c, const struct args *a)
{
	const char *plan = args_operand(a, 0);
	g_autofree char *text = plan_schedule_text(a);
	bool given = a->operands->len > 1, wished = plan_schedule_wished(a);
	bool empty = given && strspn(text, " ;") == strlen(text); /* no schedule of its own */

	if (args_has(a, "reset") && ((given && !empty) || wished))
		return say_usage("--reset goes with nothing else.");
	if (empty && wished)
		return say_usage("An empty schedule takes no options.");
	if (args_has(a, "reset") || empty)
		return schedule_set(c, plan, "", NULL, NULL);
	if (!given && !wished)
		return plan_schedule_print(c, plan);
	return schedule_set(c, plan, text, plan_schedule_fill, a);
}

const struct verb verb_plan_schedule = {
	.name = "plan schedule",
	.operands = "NAME [EXPRESSION...]",
	.help = "Show or set when a plan begins by itself: 'Mon..Fri 02:00'",
	.options = plan_schedule_options,
	.min = 1,
	.max = 33,
	.run = plan_schedule_run,
};
