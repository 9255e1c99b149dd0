/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why one semaphore for all: they are let go at one moment, and whoever is late for it finds it
 * open. Nothing here waits; whoever waits must hear signals too.
 */
#include "crew.h"

#include "policy.h"

#include <glib.h>

void crew_init(struct crew *c)
{
	*c = (struct crew){ 0 };
	(void)sem_init(&c->go, 0, 0); /* fails for other arguments only */
}

void crew_done(struct crew *c)
{
	(void)sem_destroy(&c->go); /* nobody waits any more */
	g_clear_pointer(&c->workers, g_free);
}

int crew_start(struct crew *c, const struct order *o, const struct instrument *instrument,
	       struct region_header *h, bool spare, char **ret_message)
{
	c->workers = g_new0(struct worker, h->n_cpus);
	for (unsigned i = 0; i < h->n_cpus; i++) {
		struct worker *w = &c->workers[i];
		int r;

		w->order = o;
		w->instrument = instrument;
		w->block = region_cpu(h, i);
		w->cpu = w->block->cpu;
		w->index = i;
		w->n_workers = h->n_cpus;
		w->realtime = !policy_is_ordinary((int)o->policy);
		w->spare = spare;
		w->go = &c->go;
		w->start_ns = &c->start_ns;
		w->control = pthread_self();
		r = worker_start(w);
		if (r < 0) {
			*ret_message = g_strdup_printf("The thread of CPU %d cannot be made: %s.",
						       w->cpu, g_strerror(-r));
			return r;
		}
		c->n++;
	}
	return 0;
}

struct worker *crew_find(struct crew *c, enum worker_state state)
{
	for (unsigned i = 0; i < c->n; i++)
		if (worker_state(&c->workers[i]) == state)
			return &c->workers[i];
	return NULL;
}

bool crew_all_done(const struct crew *c)
{
	for (unsigned i = 0; i < c->n; i++)
		if (worker_state(&c->workers[i]) < WORKER_DONE)
			return false;
	return true;
}

bool crew_broke(const struct crew *c)
{
	for (unsigned i = 0; i < c->n; i++)
		if (worker_state(&c->workers[i]) == WORKER_DONE && c->workers[i].broke_ns > 0)
			return true;
	return false;
}

struct worker *crew_find_broken(struct crew *c)
{
	for (unsigned i = 0; i < c->n; i++)
		if (worker_state(&c->workers[i]) == WORKER_DONE && c->workers[i].error < 0)
			return &c->workers[i];
	return NULL;
}

static bool crew_found_before(const struct crew *c, unsigned n, const char *id)
{
	for (unsigned i = 0; i < n; i++)
		for (unsigned k = 0; k < WORKER_FINDINGS; k++)
			if (g_strcmp0(c->workers[i].findings[k], id) == 0)
				return true;
	return false;
}

void crew_findings(const struct crew *c, void (*found)(const char *id, void *userdata),
		   void *userdata)
{
	for (unsigned i = 0; i < c->n; i++) {
		const struct worker *w = &c->workers[i];

		for (unsigned k = 0; worker_state(w) == WORKER_DONE && k < WORKER_FINDINGS; k++)
			if (w->findings[k] && !crew_found_before(c, i, w->findings[k]))
				found(w->findings[k], userdata);
	}
}

uint64_t crew_end_ns(const struct crew *c)
{
	uint64_t end_ns = 0;

	for (unsigned i = 0; i < c->n; i++)
		end_ns = MAX(end_ns, worker_end_ns(&c->workers[i]));
	return end_ns;
}

void crew_release(struct crew *c)
{
	for (unsigned i = 0; i < c->n; i++)
		(void)sem_post(&c->go); /* as many as there are threads: cannot overflow */
}

void crew_stop(struct crew *c)
{
	for (unsigned i = 0; i < c->n; i++)
		if (worker_state(&c->workers[i]) < WORKER_DONE)
			worker_stop(&c->workers[i]);
}

int crew_join(struct crew *c)
{
	int stuck = 0;

	for (unsigned i = 0; i < c->n; i++) {
		if (worker_state(&c->workers[i]) < WORKER_DONE)
			stuck++;
		else
			(void)pthread_join(c->workers[i].thread, NULL); /* it is ending */
	}
	return stuck;
}

uint64_t crew_begin_ns(const struct crew *c)
{
	uint64_t first_ns = 0;

	for (unsigned i = 0; i < c->n; i++) {
		uint64_t ns = __atomic_load_n(&c->workers[i].begin_ns, __ATOMIC_RELAXED);

		if (ns > 0 && (first_ns == 0 || ns < first_ns))
			first_ns = ns;
	}
	return first_ns;
}

void crew_sum_up(const struct crew *c, struct region_header *h, uint32_t *ret_rests)
{
	uint32_t rests = 0;

	h->begin_mono_ns = crew_begin_ns(c); /* one has begun even if it has not come back */
	for (unsigned i = 0; i < c->n; i++) {
		const struct worker *w = &c->workers[i];

		if (worker_state(w) != WORKER_DONE)
			continue;
		h->break_ns = MAX(h->break_ns, w->broke_ns);
		h->warmup_break_ns = MAX(h->warmup_break_ns, w->warmup_broke_ns);
		h->faults_minor += (uint32_t)MAX(w->faults_minor, 0);
		h->faults_major += (uint32_t)MAX(w->faults_major, 0);
		rests += w->rests;
	}
	h->broke = h->break_ns > 0;
	*ret_rests = rests;
}
