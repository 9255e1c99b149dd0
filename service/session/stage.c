/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why a stage whose load is in trouble is measured all the same: the figures of the others may be
 * worth something, and a stage that is missing says less than one that is inconclusive and says
 * why.
 *
 * Why every wait here has an end: loads are other people's programs. Whoever does not start or does
 * not end in time becomes a finding or a line in the log, and the session goes on.
 */
#include "stage.h"

#include "clock.h"
#include "load.h"
#include "loadset.h"
#include "log.h"
#include "measuring.h"

#include <errno.h>

#define STAGE_LOADS_NS	      (10 * NSEC_PER_SEC)   /* for loads to start */
#define STAGE_TROUBLE_NS      NSEC_PER_SEC	    /* for the others, when one is in trouble */
#define STAGE_GONE_NS	      (10 * NSEC_PER_SEC)   /* for loads to end */
#define STAGE_GONE_STOPPED_NS (700 * NSEC_PER_MSEC) /* the same when somebody waits for it */
#define STAGE_HURRY_NS	      (250 * NSEC_PER_MSEC) /* stopped: when the loads follow the child */

enum stage_phase {
	STAGE_LOADS,   /* loads are starting */
	STAGE_SETTLE,  /* they run; the machine gets used to them */
	STAGE_MEASURE, /* lrtbf-measure runs */
	STAGE_UNLOAD,  /* loads are ending */
	STAGE_END,
};

struct stage {
	/* configuration */
	struct stage_params p;
	struct order order;
	GPtrArray *loads;
	struct result_stage *result; /* borrowed */
	/* life */
	enum stage_phase phase;
	struct loadset *loadset;
	bool gone; /* the loads are */
	struct measuring *measuring;
	char *no_start;		/* why lrtbf-measure could not be started */
	sd_event_source *timer; /* of the phase */
	sd_event_source *over;
	bool stopping;
};

static void stage_news(struct stage *s, enum stage_news what)
{
	s->p.news(what, s->p.userdata);
}

static int on_stage_over(sd_event_source *src, void *userdata)
{
	stage_news(userdata, STAGE_OVER);
	return 0;
}

/* Told from the event loop and not from here: whoever called must find the stage as he left it. */
static void stage_over(struct stage *s)
{
	int r;

	if (s->phase == STAGE_END)
		return;
	s->phase = STAGE_END;
	s->timer = sd_event_source_disable_unref(s->timer);
	r = sd_event_add_defer(s->p.place->event, &s->over, on_stage_over, s);
	if (r < 0)
		log_write(LOG_ERR, s->p.id, "The end of stage %s cannot be told: %s",
			  s->result->name, g_strerror(-r));
}

static void stage_timer(struct stage *s, uint64_t delay_ns, sd_event_time_handler_t cb)
{
	int r = clock_timer(s->p.place->event, &s->timer, delay_ns, cb, s);

	if (r < 0)
		log_write(LOG_ERR, s->p.id, "No timer for stage %s: %s", s->result->name,
			  g_strerror(-r));
}

/* --- the end: loads --- */

static int on_stage_gone_late(sd_event_source *src, uint64_t usec, void *userdata)
{
	struct stage *s = userdata;

	log_write(LOG_WARNING, s->p.id,
		  "Loads of stage %s are slow to end, going on without waiting.", s->result->name);
	stage_over(s);
	return 0;
}

static void stage_unload(struct stage *s)
{
	if (s->phase >= STAGE_UNLOAD)
		return;
	s->phase = STAGE_UNLOAD;
	if (!s->loadset || s->gone) {
		stage_over(s);
		return;
	}
	stage_timer(s, s->stopping ? STAGE_GONE_STOPPED_NS : STAGE_GONE_NS, on_stage_gone_late);
	loadset_stop(s->loadset);
}

/* --- measuring --- */

static void on_stage_measuring(enum measuring_news what, void *userdata)
{
	struct stage *s = userdata;

	switch (what) {
	case MEASURING_PROGRESS:
		stage_news(s, STAGE_PROGRESS);
		break;
	case MEASURING_OVER:
		stage_unload(s);
		stage_news(s, STAGE_MEASURED);
		break;
	}
}

static void stage_measure(struct stage *s)
{
	const struct measuring_params p = {
		.place = s->p.place,
		.id = s->p.id,
		.order = &s->order,
		.loads = s->loads,
		.checkpoint_ns = s->p.checkpoint_ns,
		.result = s->result,
		.news = on_stage_measuring,
		.userdata = s,
	};

	s->timer = sd_event_source_disable_unref(s->timer);
	s->phase = STAGE_MEASURE;
	if (measuring_start(&p, &s->measuring, &s->no_start) < 0)
		stage_unload(s);
	else
		stage_news(s, STAGE_MEASURING);
}

/* --- the beginning: loads --- */

static int on_stage_settled(sd_event_source *src, uint64_t usec, void *userdata)
{
	stage_measure(userdata);
	return 0;
}

static void stage_settle(struct stage *s)
{
	s->phase = STAGE_SETTLE;
	stage_timer(s, s->loads->len > 0 ? s->p.settle_ns : 0, on_stage_settled);
}

static int on_stage_loads_late(sd_event_source *src, uint64_t usec, void *userdata)
{
	struct stage *s = userdata;

	if (!findings_inconclusive(s->result->findings)) { /* else one is in trouble, that is why */
		finding_add(s->result->findings, "load-absent",
			    "Load %s did not start within %llu s.", s->result->load,
			    STAGE_LOADS_NS / NSEC_PER_SEC);
		stage_news(s, STAGE_FINDING);
	}
	stage_settle(s);
	return 0;
}

static void on_stage_loads(enum loadset_news what, const char *finding_id, const char *text,
			   void *userdata)
{
	struct stage *s = userdata;

	switch (what) {
	case LOADSET_RUNNING:
		if (s->phase == STAGE_LOADS)
			stage_settle(s);
		break;
	case LOADSET_TROUBLE:
		finding_add(s->result->findings, finding_id, "%s", text);
		log_write(LOG_NOTICE, s->p.id, "Stage %s: %s", s->result->name, text);
		if (s->phase == STAGE_LOADS &&
		    finding_kind(finding_id)->weight == FINDING_INCONCLUSIVE)
			stage_timer(s, STAGE_TROUBLE_NS, on_stage_loads_late);
		stage_news(s, STAGE_FINDING);
		break;
	case LOADSET_GONE:
		s->gone = true;
		if (s->phase == STAGE_UNLOAD)
			stage_over(s);
		break;
	}
}

static void stage_load(struct stage *s)
{
	const struct loadset_params p = {
		.event = s->p.place->event,
		.load_path = s->p.place->load_path,
		.scratch_dir = s->p.place->scratch_dir,
		.cage = s->p.place->cage,
		.session = s->p.id,
		.stage = s->result->index,
		.news = on_stage_loads,
		.userdata = s,
	};
	g_autofree char *message = NULL;
	int r;

	s->phase = STAGE_LOADS;
	if (s->loads->len == 0) {
		stage_settle(s);
		return;
	}
	stage_timer(s, STAGE_LOADS_NS, on_stage_loads_late);
	r = loadset_start(&p, s->loads, &s->loadset, &message);
	if (r < 0) {
		s->loadset = NULL;
		finding_add(s->result->findings, "load-absent", "%s",
			    message ?: "The loads could not be started.");
		stage_settle(s);
	}
}

/* --- from outside --- */

struct stage *stage_start(const struct stage_params *p)
{
	struct stage *s = g_new0(struct stage, 1);

	s->p = *p;
	s->order = *p->order;
	s->p.order = &s->order;
	s->loads = g_ptr_array_ref(p->loads);
	s->result = p->result;
	/* Recovery finds the stage's name and load there, whenever the daemon may die. */
	(void)store_put_stage(p->place->store, p->id, s->result); /* its end is put again anyway */
	stage_load(s);
	return s;
}

static int on_stage_hurry(sd_event_source *src, uint64_t usec, void *userdata)
{
	struct stage *s = userdata;

	if (s->loadset)
		loadset_stop(s->loadset);
	return 0;
}

void stage_stop(struct stage *s)
{
	if (s->stopping)
		return;
	s->stopping = true;
	if (s->phase == STAGE_MEASURE) {
		/* Loads end after the child, unless that takes long: all must be over in a second.
		 */
		measuring_stop(s->measuring);
		stage_timer(s, STAGE_HURRY_NS, on_stage_hurry);
	} else if (s->phase < STAGE_MEASURE) {
		stage_unload(s);
	} else if (s->phase == STAGE_UNLOAD) {
		stage_timer(s, STAGE_GONE_STOPPED_NS, on_stage_gone_late);
	}
}

struct stage *stage_free(struct stage *s)
{
	if (!s)
		return NULL;
	measuring_free(s->measuring);
	loadset_free(s->loadset);
	sd_event_source_disable_unref(s->timer);
	sd_event_source_disable_unref(s->over);
	g_ptr_array_unref(s->loads);
	g_free(s->no_start);
	g_free(s);
	return NULL;
}

void stage_drain(struct stage *s)
{
	if (s->measuring)
		measuring_drain(s->measuring);
}

const char *stage_failure(const struct stage *s, const char **ret_reason_id)
{
	*ret_reason_id = "Failed";
	if (s->no_start)
		return s->no_start;
	return s->measuring ? measuring_failure(s->measuring, ret_reason_id) : NULL;
}

bool stage_broke(const struct stage *s)
{
	return s->measuring && measuring_broke(s->measuring);
}

const char *stage_region_path(const struct stage *s)
{
	return s->measuring ? measuring_region_path(s->measuring) : NULL;
}

size_t stage_live(const struct stage *s, struct session_live *ret, size_t max)
{
	return s->measuring ? measuring_live(s->measuring, ret, max) : 0;
}

uint64_t stage_maximum_ns(const struct stage *s, int *ret_cpu)
{
	*ret_cpu = -1;
	return s->measuring ? measuring_maximum_ns(s->measuring, ret_cpu) : 0;
}

uint64_t stage_elapsed_ns(const struct stage *s)
{
	uint64_t ns = s->result->duration_ns; /* what there was, when it is over */

	if (s->phase <= STAGE_MEASURE)
		ns = s->measuring ? measuring_elapsed_ns(s->measuring) : 0;
	return MIN(ns, s->result->planned_ns);
}
