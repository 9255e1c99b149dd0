/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * One run of lrtbf-measure on a result region: spawned, watched once a second, drained,
 * checkpointed to the store, ended in good time. Owned by a stage, event loop's thread. Fills the
 * stage's result: CPUs, times, effects of the loads, findings of what happened meanwhile.
 */
#include "order.h"
#include "place.h"
#include "result.h"

struct measuring;

enum measuring_news {
	MEASURING_PROGRESS, /* the figures were drained */
	MEASURING_OVER,	    /* lrtbf-measure is gone, the result is complete */
};
typedef void (*measuring_news_t)(enum measuring_news what, void *userdata);

struct measuring_params {
	const struct session_place *place;
	const char *id;		   /* of the session */
	const struct order *order; /* copied */
	const GPtrArray *loads;	   /* of struct load: what effects are expected */
	uint64_t checkpoint_ns;
	struct result_stage *result; /* all but the order borrowed */
	measuring_news_t news;	     /* from the event loop only */
	void *userdata;
};

/* A sentence in @ret_message; then nothing is left. */
int measuring_start(const struct measuring_params *p, struct measuring **ret, char **ret_message);
/* SIGTERM, and SIGKILL after 500 ms; MEASURING_OVER follows. Harmless again. */
void measuring_stop(struct measuring *m);
/* What still runs is killed, the region read a last time. Returns NULL. */
struct measuring *measuring_free(struct measuring *m);

void measuring_drain(struct measuring *m); /* now, between two seconds */
/* Why it failed: a sentence, with the reason's name; NULL: it did not. */
const char *measuring_failure(const struct measuring *m, const char **ret_reason_id);
bool measuring_broke(const struct measuring *m); /* a sample reached the plan's break value */
/* Of the region, to be removed when the store has the figures. */
const char *measuring_region_path(const struct measuring *m);

size_t measuring_live(const struct measuring *m, struct session_live *ret, size_t max);
uint64_t measuring_maximum_ns(const struct measuring *m, int *ret_cpu);
uint64_t measuring_elapsed_ns(const struct measuring *m); /* without the warm-up */
