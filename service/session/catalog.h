/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * The plans and loads as last read from the configuration folders. Owned by sessions.c; a session
 * that was started keeps its own copy of the plan and a reference to the loads.
 */
#include "load.h"
#include "plan.h"
#include "sessions.h"

struct catalog;

/* Never fails: what cannot be read has its problems with it, the rest is there. */
struct catalog *catalog_read(const char *const *config_dirs);
struct catalog *catalog_free(struct catalog *c);

/* NULL: no such file. In name order. Borrowed. */
const struct plan_entry *catalog_plan(const struct catalog *c, const char *name);
/* A folder of plans was refused: there may be some that are not known. */
bool catalog_lacks_plans(const struct catalog *c);
size_t catalog_plans(const struct catalog *c, const struct plan_entry **ret);
/* name -> struct load, reference counted. */
GHashTable *catalog_loads(const struct catalog *c);
/* Problems of all files, appended. */
void catalog_problems(const struct catalog *c, GPtrArray *problems);
