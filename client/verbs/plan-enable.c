/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "args.h"
#include "schedule.h"

static int plan_enable_run(struct client *c, const struct args *a)
{
	return schedule_enable(c, args_operand(a, 0), true);
}

const struct verb verb_plan_enable = {
	.name = "plan enable",
	.operands = "NAME",
	.help = "Have a plan begin by its schedule",
	.min = 1,
	.max = 1,
	.run = plan_enable_run,
};
