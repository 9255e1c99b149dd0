/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * The service's plans, as ListPlans tells them.
 */
#include "client.h"

/* All: an array of objects with every documented key (null where there is no value). json_decref().
 */
int plans_read(struct client *c, json_t **ret);
/* One of @plans by name, borrowed; NULL: none has it. */
json_t *plans_find(const json_t *plans, const char *name);
/* Says that there is none called @name, and which was perhaps meant. OUTCOME_ERROR. */
int plans_say_unknown(const json_t *plans, const char *name);
/*
 * Problems (as of CheckPlan) as "file:line: text" lines; @file stands for the name of text that has
 * none. Appends them to @out and, as objects, to @all (NULL: not wanted).
 */
void plans_problems(const json_t *problems, const char *file, GString *out, json_t *all);
