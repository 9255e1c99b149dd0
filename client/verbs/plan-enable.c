/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "args.h"
#include "schedule.h"

static int plan_enable_fill(sd_bus_message *m, const void *data)
{
	int r = sd_bus_message_append(m, "{sv}", "enabled", "b", 1);

	return r < 0 ? client_fail(NULL, r) : OUTCOME_DONE;
}

static int plan_enable_run(struct client *c, const struct args *a)
{
	return schedule_set(c, args_operand(a, 0), "", plan_enable_fill, NULL);
}

const struct verb verb_plan_enable = {
	.name = "plan enable",
	.operands = "NAME",
	.help = "Have a plan begin by its schedule",
	.min = 1,
	.max = 1,
	.run = plan_enable_run,
};
