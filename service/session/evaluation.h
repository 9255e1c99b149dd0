/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * What is worked out of a session's stages when all is measured (stageanalysis.h), on a thread, one
 * stage after the other. Owned by a session, event loop's thread.
 */
#include "result.h"
#include <systemd/sd-event.h>

struct evaluation;

enum evaluation_news {
	EVALUATION_STAGE, /* @stage has its analysis */
	EVALUATION_OVER,  /* all have, or it was hurried: it may be freed */
};
typedef void (*evaluation_news_t)(enum evaluation_news what, struct result_stage *stage,
				  void *userdata);

struct evaluation_params {
	sd_event *event;
	/*
	 * Borrowed. Nothing of its stages may change meanwhile but by this, nor any be added.
	 */
	struct result *result;
	uint64_t within_ns; /* no stage is begun later; 0: all that it takes */
	evaluation_news_t news;
	void *userdata;
};

/* News from the event loop only. -errno: none will come. */
int evaluation_start(const struct evaluation_params *p, struct evaluation **ret);
/* The stage that is worked out is the last. Harmless again. */
void evaluation_hurry(struct evaluation *e);
/* No more news; waits for the stage that is worked out, some tenth of a second. Returns NULL. */
struct evaluation *evaluation_free(struct evaluation *e);
