/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Answers that tell what is wrong with plans, their calendar expressions included: what those mean
 * is not known at once.
 */
#include "bus-internal.h"

/* ListPlans, CheckPlan; @userdata: struct bus. */
int plancheck_method_list_plans(sd_bus_message *m, void *userdata, sd_bus_error *error);
int plancheck_method_check_plan(sd_bus_message *m, void *userdata, sd_bus_error *error);

/*
 * Answer @call with @problems (taken) and those of all plans' calendar expressions. For a handler's
 * `return`.
 */
int plancheck_answer(struct bus *b, sd_bus_message *call, GPtrArray *problems, sd_bus_error *error);
