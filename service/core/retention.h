/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * How much is kept of a plan's sessions: the group `keep` of a plan, and of lrtbfd.conf for plans
 * without one. A session loses its details first (stages, histograms, conditions), and what is left
 * then is its summary: lrtbfd-plan(5).
 */
#include "conffile.h"

/* 0 in any of them: no bound. */
struct retention {
	bool given;		 /* the group is there, be it empty */
	unsigned count;		 /* sessions with details */
	unsigned summary_count;	 /* sessions in all */
	uint64_t age_ns;	 /* since their end: with details */
	uint64_t summary_age_ns; /* at all */
	uint64_t size_bytes;	 /* of all of them together */
};

/* Is anything bounded? */
bool retention_bounds(const struct retention *r);
/*
 * Take the group `keep` of @g. @ret is untouched when there is none, and when anything in it is
 * wrong: nothing is removed by half a rule. @problems: the conf's.
 */
void retention_take(struct conf_group *g, const GPtrArray *problems, struct retention *ret);
/* As it stands in a file, braces included. g_free(). */
char *retention_format(const struct retention *r);
