/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "args.h"
#include "schedule.h"

static int plan_disable_run(struct client *c, const struct args *a)
{
	return schedule_enable(c, args_operand(a, 0), false);
}

const struct verb verb_plan_disable = {
	.name = "plan disable",
	.operands = "NAME",
	.help = "Have a plan begin by hand only; its schedule is kept",
	.min = 1,
	.max = 1,
	.run = plan_disable_run,
};
