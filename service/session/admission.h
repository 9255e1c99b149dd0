/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * May this plan be measured here, and how exactly: the caller's wishes over the plan, the CPUs, the
 * loads, the rights. Done once when a session is asked for, so that what can be refused is refused
 * at once, and once more when it begins, because machines change while sessions wait.
 */
#include "catalog.h"
#include "finding.h"
#include "house.h"

#include <jansson.h>

struct ports;

struct admission {
	struct plan *plan;   /* wishes applied */
	cpu_set_t cpus;	     /* to be measured */
	int policy;	     /* the plan's, or its fallback */
	GPtrArray *findings; /* of struct finding: fallback taken, no CPU to spare, ... */
};

/* What a session is admitted against. Nothing is kept. */
struct admission_place {
	const char *root;	   /* "/" or a captured tree */
	const struct house *house; /* which CPUs there are for us */
	GHashTable *loads;	   /* NULL: they run on another machine, which knows them */
	struct ports *ports;	   /* NULL: not known (tests) */
};

/*
 * 0, or an errno of reason.h with a sentence: InvalidOption (a wish), InvalidPlan, NotPermitted,
 * ...
 * @ret: admission_done().
 */
int admission_check(const struct admission_place *where, const struct plan *plan,
		    const json_t *overrides, struct admission *ret, char **ret_message);
void admission_done(struct admission *a);
