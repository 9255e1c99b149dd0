/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why on a thread: fits and bootstraps of a long stage take a tenth of a second on a fast machine,
 * and the event loop waits for nobody.
 *
 * Why the thread reads the stages themselves and no copies: they are megabytes each, and once all
 * is measured nobody writes to them. What it makes is handed over when it has ended, by its being
 * joined. One thread for each stage: so a stage's figures can go to the store while the next one is
 * worked out, and an end that somebody waits for comes after one stage.
 */
#include "evaluation.h"

#include "clock.h"
#include "log.h"
#include "quietthread.h"
#include "stageanalysis.h"

#include <string.h>

struct evaluation {
	/* configuration */
	struct evaluation_params p;
	uint64_t end_ns; /* CLOCK_MONOTONIC; 0: none */
	/* life */
	guint next; /* stage to be looked at */
	bool hurry;
	struct result_stage *stage; /* that is worked out; NULL: none */
	struct quietthread thread;
	sd_event_source *ended, *over;
	json_t *analysis; /* the thread's until it is joined */
};

static void evaluation_run(void *userdata)
{
	struct evaluation *e = userdata;

	e->analysis = stageanalysis_new(e->stage);
}

/* The thread is at its end, or waited for. */
static void evaluation_join(struct evaluation *e)
{
	e->ended = sd_event_source_disable_unref(e->ended);
	if (!e->stage)
		return;
	quietthread_done(&e->thread);
	json_decref(e->stage->analysis);
	e->stage->analysis = e->analysis;
	e->analysis = NULL;
}

static int on_evaluation_over(sd_event_source *src, void *userdata)
{
	struct evaluation *e = userdata;

	e->p.news(EVALUATION_OVER, NULL, e->p.userdata);
	return 0;
}

static int evaluation_end(struct evaluation *e)
{
	return sd_event_add_defer(e->p.event, &e->over, on_evaluation_over, e);
}

static int on_evaluation_ended(sd_event_source *src, int fd, uint32_t revents, void *userdata);

static int evaluation_begin(struct evaluation *e, struct result_stage *stage)
{
	int r = quietthread_init(&e->thread);

	if (r >= 0)
		r = sd_event_add_io(e->p.event, &e->ended, e->thread.fd, EPOLLIN,
				    on_evaluation_ended, e);
	if (r >= 0)
		r = quietthread_start(&e->thread, evaluation_run, e);
	if (r < 0) {
		e->ended = sd_event_source_disable_unref(e->ended);
		quietthread_done(&e->thread);
		return r;
	}
	return 0;
}

static bool evaluation_late(const struct evaluation *e)
{
	return e->hurry || (e->end_ns > 0 && clock_mono_ns() >= e->end_ns);
}

/* The next stage that has something to be worked out; or it is over. */
static int evaluation_go_on(struct evaluation *e)
{
	const GPtrArray *stages = e->p.result->stages;
	int r;

	e->stage = NULL;
	while (!evaluation_late(e) && e->next < stages->len) {
		struct result_stage *stage = stages->pdata[e->next++];

		if (stage->cpus->len == 0)
			continue;
		e->stage = stage;
		r = evaluation_begin(e, stage);
		if (r == 0)
			return 0;
		e->stage = NULL;
		log_write(LOG_WARNING, e->p.result->id, "Stage %s cannot be worked out: %s",
			  stage->name, g_strerror(-r));
	}
	return evaluation_end(e);
}

static int on_evaluation_ended(sd_event_source *src, int fd, uint32_t revents, void *userdata)
{
	struct evaluation *e = userdata;
	struct result_stage *stage = e->stage;
	int r;

	evaluation_join(e);
	r = evaluation_go_on(e);
	if (r < 0)
		log_write(LOG_ERR, e->p.result->id, "The end of the session cannot be told: %s",
			  g_strerror(-r));
	e->p.news(EVALUATION_STAGE, stage, e->p.userdata);
	return 0;
}

int evaluation_start(const struct evaluation_params *p, struct evaluation **ret)
{
	struct evaluation *e = g_new0(struct evaluation, 1);
	int r;

	e->p = *p;
	e->end_ns = p->within_ns > 0 ? clock_mono_ns() + p->within_ns : 0;
	r = evaluation_go_on(e);
	if (r < 0) {
		evaluation_free(e);
		return r;
	}
	*ret = e;
	return 0;
}

void evaluation_hurry(struct evaluation *e)
{
	e->hurry = true;
}

struct evaluation *evaluation_free(struct evaluation *e)
{
	if (!e)
		return NULL;
	evaluation_join(e);
	sd_event_source_disable_unref(e->over);
	g_free(e);
	return NULL;
}
