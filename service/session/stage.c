/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why one timer a second and nothing else while lrtbf-measure runs: the daemon is a part of the
 * load it measures under. The tick drains the region, takes the cheap counters, and looks whether a
 * checkpoint is due or the child overdue; per-line interrupts are read at the ends only.
 *
 * Why the child is not trusted to end: it may be stopped, starved or stuck. When its time and a
 * grace are over it is killed, and what it can no longer account for (the wait that was still on)
 * is accounted for here, by the time of the kill.
 */
#include "stage.h"

#include "cleanup.h"
#include "clock.h"
#include "drain.h"
#include "effect.h"
#include "loadset.h"
#include "log.h"
#include "regionfile.h"
#include "watch.h"

#include <errno.h>
#include <string.h>

#define STAGE_TICK_NS	      NSEC_PER_SEC
#define STAGE_LOADS_NS	      (10 * NSEC_PER_SEC) /* for loads to start */
#define STAGE_TROUBLE_NS      NSEC_PER_SEC	  /* for the others, when one is in trouble */
#define STAGE_GONE_NS	      (10 * NSEC_PER_SEC) /* for loads to end */
#define STAGE_GONE_STOPPED_NS (700 * NSEC_PER_MSEC)
#define STAGE_HURRY_NS	      (250 * NSEC_PER_MSEC) /* stopped: when the loads follow the child */
#define STAGE_BEGIN_NS	      (15 * NSEC_PER_SEC)   /* for the child to begin */
#define STAGE_GRACE_NS	      (2 * NSEC_PER_SEC)    /* beyond its time */
#define STAGE_NOMINAL_PASSES  1500		    /* of cpuloop's work, a warm-up may take */

enum stage_phase {
	STAGE_LOADS,   /* loads are starting */
	STAGE_SETTLE,  /* they run; the machine gets used to them */
	STAGE_MEASURE, /* the child runs */
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
	struct child *child;
	struct drain *drain;
	struct effect *effect;
	struct watch watch;
	bool watching;
	int region_fd;
	char *region_path;
	sd_event_source *timer; /* of the phase */
	sd_event_source *tick;
	sd_event_source *over;
	uint64_t child_start_ns, next_checkpoint_ns, commit_end_ns;
	bool stopping, timed_out, broke;
	bool gone; /* the loads are */
	int dma_latency_us;
	char *failure, *failure_id;
};

static void stage_news(struct stage *s, enum stage_news what)
{
	s->p.news(what, s->p.userdata);
}

static void stage_fail(struct stage *s, const char *reason_id, char *sentence)
{
	if (s->failure) {
		g_free(sentence);
		return;
	}
	s->failure = sentence;
	s->failure_id = g_strdup(reason_id);
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
	r = sd_event_add_defer(s->p.event, &s->over, on_stage_over, s);
	if (r < 0)
		log_write(LOG_ERR, s->p.id, "The end of stage %s cannot be told: %s",
			  s->result->name, g_strerror(-r));
}

static void stage_timer(struct stage *s, uint64_t delay_ns, sd_event_time_handler_t cb)
{
	int r = clock_timer(s->p.event, &s->timer, delay_ns, cb, s);

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
	s->tick = sd_event_source_disable_unref(s->tick);
	if (!s->loadset || s->gone) {
		stage_over(s);
		return;
	}
	stage_timer(s, s->stopping ? STAGE_GONE_STOPPED_NS : STAGE_GONE_NS, on_stage_gone_late);
	loadset_stop(s->loadset);
}

/* --- measuring --- */

static void stage_see_commits(struct stage *s)
{
	uint64_t start_ns, end_ns;

	store_last_commit(s->p.store, &start_ns, &end_ns);
	if (end_ns == s->commit_end_ns || end_ns < s->child_start_ns)
		return;
	s->commit_end_ns = end_ns;
	drain_commit(s->drain, s->result, start_ns, end_ns);
}

static bool stage_overdue(const struct stage *s, uint64_t now_ns)
{
	const struct region_header *h = drain_header(s->drain);
	uint64_t nominal_ns;

	if (h->start_mono_ns == 0)
		return now_ns > s->child_start_ns + STAGE_BEGIN_NS;
	nominal_ns = s->order.interval_ns == 0 ? STAGE_NOMINAL_PASSES * s->order.work_ns : 0;
	return now_ns > h->start_mono_ns + s->order.warmup_ns + nominal_ns + s->order.duration_ns +
				STAGE_GRACE_NS;
}

static void stage_checkpoint(struct stage *s, uint64_t now_ns)
{
	int r;

	if (s->p.checkpoint_ns == 0 || now_ns < s->next_checkpoint_ns)
		return;
	while (s->next_checkpoint_ns <= now_ns)
		s->next_checkpoint_ns += s->p.checkpoint_ns;
	r = store_put_stage(s->p.store, s->p.id, s->result);
	if (r < 0)
		log_write(LOG_WARNING, s->p.id, "Checkpoint of stage %s not queued: %s",
			  s->result->name, g_strerror(-r));
}

static void stage_look(struct stage *s, uint64_t now_ns)
{
	int r = drain_read(s->drain, s->result);

	if (r < 0 && !s->failure) {
		stage_fail(s, "Failed", g_strdup("The result region is damaged."));
		child_kill(s->child);
	}
	effect_sample(s->effect, now_ns);
	watch_look(&s->watch);
	stage_see_commits(s);
	stage_checkpoint(s, now_ns);
	if (!s->timed_out && stage_overdue(s, now_ns)) {
		s->timed_out = true;
		child_stop(s->child);
	}
	stage_news(s, STAGE_PROGRESS);
	if (r > 0)
		stage_news(s, STAGE_MAXIMUM);
}

static void stage_tick(struct stage *s);

static int on_stage_tick(sd_event_source *src, uint64_t usec, void *userdata)
{
	struct stage *s = userdata;

	stage_tick(s);
	stage_look(s, clock_mono_ns());
	return 0;
}

static void stage_tick(struct stage *s)
{
	int r = clock_timer(s->p.event, &s->tick, STAGE_TICK_NS, on_stage_tick, s);

	if (r < 0)
		log_write(LOG_ERR, s->p.id, "No timer to read stage %s by: %s", s->result->name,
			  g_strerror(-r));
}

/* What the child says about itself. */
static void stage_take_header(struct stage *s)
{
	const struct region_header *h = drain_header(s->drain);
	g_auto(GStrv) ids = g_strsplit(h->warnings, " ", -1);

	s->dma_latency_us = h->dma_latency_us;
	s->broke = h->broke;
	for (char **id = ids; *id; id++)
		if (**id && finding_kind(*id))
			finding_add(s->result->findings, *id, NULL);
}

static void stage_judge_end(struct stage *s, const struct child_end *end)
{
	const struct region_header *h = drain_header(s->drain);
	g_autofree char *how = child_end_text(end);

	/* told to end before it began, it calls that a failure; it is ours to say what it was */
	if (s->stopping && h->start_mono_ns == 0)
		return;
	if (h->phase == REGION_FAILED && !(s->timed_out && h->start_mono_ns == 0)) {
		stage_fail(s, *h->reason_id ? h->reason_id : "Failed",
			   *h->text ? g_strdup(h->text)
				    : g_strdup_printf("lrtbf-measure %s.", how));
		return;
	}
	if (h->phase == REGION_ENDED || s->stopping)
		return;
	if (s->timed_out && h->start_mono_ns > 0)
		return; /* its time was over: the figures tell the rest */
	if (s->timed_out)
		stage_fail(s, "Failed",
			   g_strdup_printf("lrtbf-measure did not begin within %llu s.",
					   STAGE_BEGIN_NS / NSEC_PER_SEC));
	else
		stage_fail(s, "Failed", g_strdup_printf("lrtbf-measure %s.", how));
}

/* The effects of the loads, and what else happened to the machine meanwhile. */
static void stage_take_effect(struct stage *s)
{
	GPtrArray *metrics = NULL;

	if (s->watching)
		watch_end(&s->watch, s->result->findings);
	s->watching = false;
	if (!s->effect)
		return;
	effect_finish(s->effect, clock_mono_ns(), &metrics, &s->result->irqs);
	effect_free(s->effect);
	s->effect = NULL;
	if (metrics) {
		g_ptr_array_unref(s->result->metrics);
		s->result->metrics = metrics;
	}
	effect_judge(s->result->metrics, s->loads, s->result->findings);
}

/* A region that a killed child left is closed by the time of the kill, if it was we who killed it.
 */
static void stage_last_drain(struct stage *s, const struct child_end *end)
{
	int r = drain_read(s->drain, s->result);

	if (r >= 0 && end->asked && drain_header(s->drain)->phase == REGION_RUNNING)
		r = drain_close(s->drain, s->result, end->mono_ns);
	if (r < 0)
		stage_fail(s, "Failed", g_strdup("The result region is damaged."));
	stage_see_commits(s);
}

static void on_stage_child_ended(const struct child_end *end, void *userdata)
{
	struct stage *s = userdata;

	s->child = child_free(s->child);
	house_return(s->p.house);
	s->tick = sd_event_source_disable_unref(s->tick);
	stage_last_drain(s, end);
	stage_take_header(s);
	stage_judge_end(s, end);
	s->result->complete = !s->failure;
	stage_take_effect(s);
	stage_unload(s);
	stage_news(s, STAGE_MEASURED);
}

static int stage_spawn(struct stage *s, char **ret_message)
{
	int r;

	r = regionfile_create(s->p.runtime_dir, s->p.tag, s->p.id, s->result->index, &s->order.cpus,
			      &s->region_fd, &s->region_path, ret_message);
	if (r < 0)
		return r;
	r = drain_new(s->region_fd, s->order.warmup_ns, &s->drain);
	if (r < 0) {
		*ret_message =
			g_strdup_printf("The result region cannot be mapped: %s.", g_strerror(-r));
		return r;
	}
	s->effect = effect_new(s->p.root, clock_mono_ns());
	watch_begin(&s->watch, s->p.root, &s->order.cpus);
	s->watching = true;
	s->child_start_ns = clock_mono_ns();
	s->next_checkpoint_ns = s->child_start_ns + s->p.checkpoint_ns;
	return child_start(s->p.event, s->p.measure_path, &s->order, s->region_fd,
			   on_stage_child_ended, s, &s->child, ret_message);
}

static void stage_measure(struct stage *s)
{
	char *message = NULL;

	s->timer = sd_event_source_disable_unref(s->timer);
	s->phase = STAGE_MEASURE;
	if (stage_spawn(s, &message) < 0) {
		stage_fail(s, "Failed", message);
		stage_take_effect(s);
		stage_unload(s);
		return;
	}
	fd_close(fd_steal(&s->region_fd)); /* mapped; the child has its own */
	house_leave_cpus(s->p.house, &s->order.cpus);
	stage_tick(s);
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

	if (findings_inconclusive(s->result->findings)) { /* one is in trouble, that is why */
		stage_settle(s);
		return 0;
	}
	finding_add(s->result->findings, "load-absent", "Load %s did not start within %llu s.",
		    s->result->load, STAGE_LOADS_NS / NSEC_PER_SEC);
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
		if (!finding_kind(finding_id))
			break;
		finding_add(s->result->findings, finding_id, "%s", text);
		log_write(LOG_NOTICE, s->p.id, "Stage %s: %s", s->result->name, text);
		if (s->phase == STAGE_LOADS)
			stage_timer(s, STAGE_TROUBLE_NS, on_stage_loads_late);
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
		.event = s->p.event,
		.load_path = s->p.load_path,
		.scratch_dir = s->p.scratch_dir,
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
	s->region_fd = -1;
	s->dma_latency_us = -1;
	/* Recovery finds the stage's name and load there, whenever the daemon may die. */
	(void)store_put_stage(p->store, p->id, s->result); /* its end is put again anyway */
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
		child_stop(s->child);
		stage_timer(s, STAGE_HURRY_NS, on_stage_hurry);
	} else if (s->phase < STAGE_MEASURE) {
		stage_unload(s);
	} else if (s->phase == STAGE_UNLOAD) {
		stage_timer(s, STAGE_GONE_STOPPED_NS, on_stage_gone_late);
	}
}

struct stage *stage_free(struct stage *s)
{
	struct child_end end = { .asked = true };

	if (!s)
		return NULL;
	if (s->child) {
		s->child = child_free(s->child);
		house_return(s->p.house);
		end.mono_ns = clock_mono_ns();
		stage_last_drain(s, &end);
		stage_take_effect(s);
	}
	if (s->watching)
		watch_end(&s->watch, s->result->findings);
	loadset_free(s->loadset);
	effect_free(s->effect);
	drain_free(s->drain);
	sd_event_source_disable_unref(s->timer);
	sd_event_source_disable_unref(s->tick);
	sd_event_source_disable_unref(s->over);
	fd_close(s->region_fd);
	g_ptr_array_unref(s->loads);
	g_free(s->region_path);
	g_free(s->failure);
	g_free(s->failure_id);
	g_free(s);
	return NULL;
}

void stage_drain(struct stage *s)
{
	if (s->child)
		(void)drain_read(s->drain, s->result); /* damaged: the next tick says so */
}

const char *stage_failure(const struct stage *s, const char **ret_reason_id)
{
	*ret_reason_id = s->failure_id;
	return s->failure;
}

bool stage_broke(const struct stage *s)
{
	return s->broke;
}

const char *stage_region_path(const struct stage *s)
{
	return s->region_path;
}

int stage_dma_latency_us(const struct stage *s)
{
	return s->dma_latency_us;
}

size_t stage_live(const struct stage *s, struct session_live *ret, size_t max)
{
	return s->drain ? drain_live(s->drain, ret, max) : 0;
}

uint64_t stage_maximum_ns(const struct stage *s, int *ret_cpu)
{
	*ret_cpu = -1;
	return s->drain ? drain_maximum_ns(s->drain, ret_cpu) : 0;
}

uint64_t stage_elapsed_ns(const struct stage *s)
{
	const struct region_header *h = s->drain ? drain_header(s->drain) : NULL;
	uint64_t begin_ns, now_ns;

	if (s->phase > STAGE_MEASURE)
		return s->result->planned_ns;
	if (!h || h->start_mono_ns == 0)
		return 0;
	begin_ns = h->start_mono_ns + s->order.warmup_ns;
	now_ns = clock_mono_ns();
	return now_ns > begin_ns ? MIN(now_ns - begin_ns, s->result->planned_ns) : 0;
}
