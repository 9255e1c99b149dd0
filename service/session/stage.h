/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * One stage's life: its loads started and settled, then the measuring, then the loads ended. Owned
 * by a session, event loop's thread. Fills the session's struct result_stage; verdicts are the
 * session's.
 */
#include "order.h"
#include "place.h"
#include "result.h"

struct stage;

enum stage_news {
	STAGE_MEASURING, /* lrtbf-measure was started */
	STAGE_PROGRESS,	 /* the figures were drained */
	STAGE_FINDING,	 /* something that weakens it was found */
	STAGE_MEASURED,	 /* lrtbf-measure has ended; loads are being ended */
	STAGE_OVER,	 /* nothing of it runs any more: it may be freed */
};
typedef void (*stage_news_t)(enum stage_news what, void *userdata);

struct stage_params {
	const struct session_place *place;
	const char *id;		   /* of the session */
	const struct order *order; /* copied */
	GPtrArray *loads;	   /* of struct load, simple ones; a reference is taken */
	uint64_t settle_ns, checkpoint_ns;
	struct result_stage *result; /* borrowed; index, name, load and planned_ns are set */
	stage_news_t news;	     /* never called from within stage_start() or stage_stop() */
	void *userdata;
};

/* Everything that can go wrong later comes as STAGE_OVER with stage_failure(). */
struct stage *stage_start(const struct stage_params *p);
/* End it early, keeping what was measured; STAGE_OVER comes within a second. Harmless again. */
void stage_stop(struct stage *s);
/* Ends at once what still runs, reading the region a last time. Returns NULL. */
struct stage *stage_free(struct stage *s);

/* Drain now, between two seconds. */
void stage_drain(struct stage *s);
/* Why it failed: a sentence, with the reason's name; NULL: it did not. */
const char *stage_failure(const struct stage *s, const char **ret_reason_id);
bool stage_broke(const struct stage *s); /* a sample reached the plan's break value */
/* Of the region it left, to be removed when the store has the figures; NULL: none. */
const char *stage_region_path(const struct stage *s);

size_t stage_live(const struct stage *s, struct session_live *ret, size_t max);
uint64_t stage_maximum_ns(const struct stage *s, int *ret_cpu);
uint64_t stage_elapsed_ns(const struct stage *s); /* of planned_ns */
