/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why one timer a second and nothing else while lrtbf-measure runs: the daemon is a part of the
 * load it measures under. The tick drains the region, takes the cheap counters, and looks whether a
 * checkpoint is due or the child overdue; per-line interrupts are read at the ends only.
 *
 * Why the child is not trusted to end: it may be stopped, starved or stuck. When its time and a
 * grace are over it is killed, and what it can no longer account for (the wait that was still on)
 * is accounted for here, by the time of the kill. For a child that others killed that time is not
 * known, and its session has failed anyway: there only what it has seen counts.
 */
#include "measuring.h"

#include "child.h"
#include "cleanup.h"
#include "clock.h"
#include "drain.h"
#include "effect.h"
#include "growth.h"
#include "log.h"
#include "regionfile.h"
#include "watch.h"

#include <errno.h>
#include <unistd.h>

#define MEASURING_TICK_NS	 NSEC_PER_SEC
#define MEASURING_BEGIN_NS	 (15 * NSEC_PER_SEC) /* for the child to begin */
#define MEASURING_GRACE_NS	 (2 * NSEC_PER_SEC)  /* beyond its time */
#define MEASURING_NOMINAL_PASSES 4000		     /* of cpuloop's work, a warm-up may take */

struct measuring {
	/* configuration */
	struct measuring_params p;
	struct order order;
	struct result_stage *result; /* borrowed */
	/* life */
	struct child *child; /* NULL: ended */
	struct drain *drain;
	struct effect *effect; /* NULL: taken */
	struct watch watch;
	struct growth growth;
	char *region_path;
	sd_event_source *tick;
	uint64_t child_start_ns, next_checkpoint_ns, commit_end_ns;
	bool stopping, timed_out, broke;
	char *failure, *failure_id;
};

static void measuring_news(struct measuring *m, enum measuring_news what)
{
	m->p.news(what, m->p.userdata);
}

static void measuring_fail(struct measuring *m, const char *reason_id, char *sentence)
{
	if (m->failure) {
		g_free(sentence);
		return;
	}
	m->failure = sentence;
	m->failure_id = g_strdup(reason_id);
}

/* --- once a second --- */

static void measuring_see_commits(struct measuring *m)
{
	uint64_t start_ns, end_ns;

	store_last_commit(m->p.place->store, &start_ns, &end_ns);
	if (end_ns == m->commit_end_ns || end_ns < m->child_start_ns)
		return;
	m->commit_end_ns = end_ns;
	drain_commit(m->drain, m->result, start_ns, end_ns);
}

static bool measuring_overdue(const struct measuring *m, uint64_t now_ns)
{
	const struct region_header *h = drain_header(m->drain);
	const struct order *o = &m->order;
	uint64_t nominal_ns = o->interval_ns == 0 ? MEASURING_NOMINAL_PASSES * o->work_ns : 0;

	if (h->start_mono_ns == 0)
		return now_ns > m->child_start_ns + MEASURING_BEGIN_NS;
	return now_ns >
	       h->start_mono_ns + o->warmup_ns + nominal_ns + o->duration_ns + MEASURING_GRACE_NS;
}

static void measuring_checkpoint(struct measuring *m, uint64_t now_ns)
{
	int r;

	if (m->p.checkpoint_ns == 0 || now_ns < m->next_checkpoint_ns)
		return;
	while (m->next_checkpoint_ns <= now_ns)
		m->next_checkpoint_ns += m->p.checkpoint_ns;
	growth_take(&m->growth, m->result);
	r = store_put_stage(m->p.place->store, m->p.id, m->result);
	if (r < 0)
		log_write(LOG_WARNING, m->p.id, "Checkpoint of stage %s not queued: %s",
			  m->result->name, g_strerror(-r));
}

static void measuring_look(struct measuring *m, uint64_t now_ns)
{
	int r = drain_read(m->drain, m->result);

	if (r < 0 && !m->failure) {
		measuring_fail(m, "Failed", g_strdup("The result region is damaged."));
		child_kill(m->child);
	}
	effect_sample(m->effect, now_ns);
	watch_look(&m->watch);
	measuring_see_commits(m);
	measuring_checkpoint(m, now_ns);
	if (!m->timed_out && measuring_overdue(m, now_ns)) {
		m->timed_out = true;
		child_stop(m->child);
	}
	measuring_news(m, MEASURING_PROGRESS);
}

static int on_measuring_tick(sd_event_source *src, uint64_t usec, void *userdata);

static int measuring_tick(struct measuring *m)
{
	return clock_timer(m->p.place->event, &m->tick, MEASURING_TICK_NS, on_measuring_tick, m);
}

static int on_measuring_tick(sd_event_source *src, uint64_t usec, void *userdata)
{
	struct measuring *m = userdata;
	int r = measuring_tick(m);

	if (r < 0)
		log_write(LOG_ERR, m->p.id, "Stage %s cannot be watched: %s", m->result->name,
			  g_strerror(-r));
	measuring_look(m, clock_mono_ns());
	return 0;
}

/* --- the end --- */

/* What the child says about itself. */
static void measuring_take_header(struct measuring *m)
{
	const struct region_header *h = drain_header(m->drain);
	g_auto(GStrv) ids = g_strsplit(h->warnings, " ", -1);

	m->broke = h->broke;
	for (char **id = ids; *id; id++)
		if (**id && finding_kind(*id))
			finding_add(m->result->findings, *id, NULL);
}

static void measuring_judge_end(struct measuring *m, const struct child_end *end)
{
	const struct region_header *h = drain_header(m->drain);
	g_autofree char *how = child_end_text(end);

	if (h->phase == REGION_ENDED || m->stopping)
		return;
	if (h->phase == REGION_FAILED) {
		measuring_fail(m, *h->reason_id ? h->reason_id : "Failed",
			       *h->text ? g_strdup(h->text)
					: g_strdup_printf("lrtbf-measure %s.", how));
		return;
	}
	if (m->timed_out && h->start_mono_ns > 0)
		return; /* its time was over: the figures tell the rest */
	if (m->timed_out)
		measuring_fail(m, "Failed",
			       g_strdup_printf("lrtbf-measure did not begin within %llu s.",
					       MEASURING_BEGIN_NS / NSEC_PER_SEC));
	else
		measuring_fail(m, "Failed", g_strdup_printf("lrtbf-measure %s.", how));
}

/* Of all measuring threads, a second: those there were, which are fewer than planned under load. */
static double measuring_wakeups(const struct measuring *m)
{
	const struct result_stage *r = m->result;
	uint64_t n = 0;

	if (m->order.interval_ns == 0 || r->duration_ns == 0)
		return 0;
	for (guint i = 0; i < r->cpus->len; i++)
		n += figures_count(((struct result_cpu *)r->cpus->pdata[i])->figures);
	return (double)n * NSEC_PER_SEC / (double)r->duration_ns;
}

/* The effects of the loads, and what else happened to the machine meanwhile. */
static void measuring_take_effect(struct measuring *m)
{
	GPtrArray *metrics = NULL;

	if (!m->effect)
		return;
	watch_end(&m->watch, m->result->findings);
	effect_finish(m->effect, clock_mono_ns(), &metrics, &m->result->irqs);
	effect_free(m->effect);
	m->effect = NULL;
	if (metrics) {
		g_ptr_array_unref(m->result->metrics);
		m->result->metrics = metrics;
	}
	effect_judge(m->result->metrics, m->p.loads, measuring_wakeups(m), m->result->findings);
}

static void measuring_last_drain(struct measuring *m, const struct child_end *end)
{
	int r = drain_read(m->drain, m->result);

	if (r >= 0 && end->asked && drain_header(m->drain)->phase == REGION_RUNNING)
		r = drain_close(m->drain, m->result, end->mono_ns);
	if (r < 0)
		measuring_fail(m, "Failed", g_strdup("The result region is damaged."));
	else
		growth_end(&m->growth, m->result);
	measuring_see_commits(m);
}

static void measuring_end(struct measuring *m, const struct child_end *end)
{
	m->child = child_free(m->child);
	house_return(m->p.place->house);
	m->tick = sd_event_source_disable_unref(m->tick);
	measuring_last_drain(m, end);
	measuring_take_header(m);
	measuring_take_effect(m);
}

static void on_measuring_child_ended(const struct child_end *end, void *userdata)
{
	struct measuring *m = userdata;

	measuring_end(m, end);
	measuring_judge_end(m, end);
	m->result->complete = !m->failure;
	measuring_news(m, MEASURING_OVER);
}

/* --- the beginning --- */

static int measuring_open_region(struct measuring *m, int *ret_fd, char **ret_message)
{
	const struct session_place *place = m->p.place;
	g_auto(fd_t) fd = -1;
	int r;

	r = regionfile_create(place->runtime_dir, place->tag, m->p.id, m->result->index,
			      &m->order.cpus, &fd, &m->region_path, ret_message);
	if (r < 0)
		return r;
	r = drain_new(fd, &m->drain);
	if (r < 0) {
		*ret_message =
			g_strdup_printf("The result region cannot be mapped: %s.", g_strerror(-r));
		return r;
	}
	*ret_fd = fd_steal(&fd);
	return 0;
}

static void on_measuring_outside(const char *why, void *userdata)
{
	struct measuring *m = userdata;

	finding_add(m->result->findings, "outside-unit",
		    "lrtbf-measure ran in the daemon's unit and not in its own: %s.", why);
}

static int measuring_start_child(struct measuring *m, int region_fd, char **ret_message)
{
	const struct session_place *place = m->p.place;
	g_autofree char *unit = NULL, *description = NULL;

	unit = g_strdup_printf("lrtbf-measure-%s-%u.scope", m->p.id, m->result->index);
	description = g_strdup_printf("Latency measurement (session %s, stage %u, load %s)",
				      m->p.id, m->result->index + 1, m->result->load);
	return child_start(
		&(struct child_params){
			.event = place->event,
			.path = place->measure_path,
			.order = &m->order,
			.region_fd = region_fd,
			.cage = place->cage,
			.unit = unit,
			.description = description,
			.ended = on_measuring_child_ended,
			.outside = on_measuring_outside,
			.userdata = m,
		},
		&m->child, ret_message);
}

static int measuring_spawn(struct measuring *m, char **ret_message)
{
	const struct session_place *place = m->p.place;
	g_auto(fd_t) region_fd = -1;
	int r;

	r = measuring_open_region(m, &region_fd, ret_message);
	if (r < 0)
		return r;
	m->effect = effect_new(place->root, clock_mono_ns());
	watch_begin(&m->watch, place->root, &m->order.cpus);
	m->child_start_ns = clock_mono_ns();
	m->next_checkpoint_ns = m->child_start_ns + m->p.checkpoint_ns;
	m->growth.spacing_ns = m->p.checkpoint_ns;
	r = measuring_start_child(m, region_fd, ret_message);
	if (r < 0)
		return r;
	r = measuring_tick(m);
	if (r < 0)
		*ret_message =
			g_strdup_printf("lrtbf-measure cannot be watched: %s.", g_strerror(-r));
	return r;
}

int measuring_start(const struct measuring_params *p, struct measuring **ret, char **ret_message)
{
	struct measuring *m = g_new0(struct measuring, 1);
	int r;

	m->p = *p;
	m->order = *p->order;
	m->p.order = &m->order;
	m->result = p->result;
	r = measuring_spawn(m, ret_message);
	if (r < 0) {
		if (m->region_path)
			(void)unlink(m->region_path); /* nothing is in it */
		measuring_free(m);
		return r;
	}
	house_leave_cpus(p->place->house, &m->order.cpus); /* not before: children inherit it */
	*ret = m;
	return 0;
}

void measuring_stop(struct measuring *m)
{
	m->stopping = true;
	if (m->child)
		child_stop(m->child);
}

struct measuring *measuring_free(struct measuring *m)
{
	struct child_end end = { .asked = true };

	if (!m)
		return NULL;
	if (m->child) {
		m->child = child_free(m->child);
		end.mono_ns = clock_mono_ns();
		measuring_end(m, &end);
	}
	measuring_take_effect(m);
	sd_event_source_disable_unref(m->tick);
	drain_free(m->drain);
	g_free(m->region_path);
	g_free(m->failure);
	g_free(m->failure_id);
	g_free(m);
	return NULL;
}

void measuring_drain(struct measuring *m)
{
	if (m->child)
		(void)drain_read(m->drain, m->result); /* damaged: the next tick says so */
}

const char *measuring_failure(const struct measuring *m, const char **ret_reason_id)
{
	*ret_reason_id = m->failure_id;
	return m->failure;
}

bool measuring_broke(const struct measuring *m)
{
	return m->broke;
}

const char *measuring_region_path(const struct measuring *m)
{
	return m->region_path;
}

size_t measuring_live(const struct measuring *m, struct session_live *ret, size_t max)
{
	return drain_live(m->drain, ret, max);
}

uint64_t measuring_maximum_ns(const struct measuring *m, int *ret_cpu)
{
	return drain_maximum_ns(m->drain, ret_cpu);
}

uint64_t measuring_elapsed_ns(const struct measuring *m)
{
	const struct region_header *h = drain_header(m->drain);
	uint64_t begin_ns = h->begin_mono_ns, now_ns = clock_mono_ns();

	if (m->order.interval_ns > 0 && h->start_mono_ns > 0) /* then it is known beforehand */
		begin_ns = h->start_mono_ns + m->order.warmup_ns;
	return begin_ns > 0 && now_ns > begin_ns ? now_ns - begin_ns : 0;
}
