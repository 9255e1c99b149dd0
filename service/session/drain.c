/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why whole copies, once a second, and no incremental reading: a copy of one CPU's block costs some
 * 20 us, cannot get out of step with the writer, and is the same for a live child and a dead one.
 */
#include "drain.h"

#include "cleanup.h"
#include "clock.h"
#include "portfacts.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#define SELF_NS (10 * NSEC_PER_MSEC)

struct drain_window { /* of one commit, since stage start */
	uint64_t from_ns, to_ns;
};

struct drain {
	struct region_header *map;
	int fd; /* of our own, to ask for its size */
	struct region_header header;
	struct region_cpu *copy; /* scratch: too large for the stack */
	struct session_live *live;
	uint64_t max_ns;
	int max_cpu;
	GArray *windows; /* of struct drain_window, ascending */
};

static void drain_take_live(struct drain *d, unsigned i)
{
	const struct region_cpu *c = d->copy;
	struct session_live *l = &d->live[i];
	double mean;

	l->cpu = c->cpu;
	l->count = figures_count(&c->figures);
	l->min_ns = l->count > 0 ? c->figures.min_ns : 0;
	l->max_ns = l->count > 0 ? c->figures.max_ns : 0;
	l->last_ns = c->last_ns;
	l->avg_ns = figures_mean_ns(&c->figures, &mean) ? (uint64_t)(mean + 0.5) : 0;
}

int drain_new(int fd, struct drain **ret)
{
	struct region_header *map, header;
	struct drain *d;
	int own_fd, r;

	r = region_map(fd, false, &map);
	if (r < 0)
		return r;
	r = region_check(map, region_mapped(map), &header);
	own_fd = r < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (r == 0 && own_fd < 0)
		r = -errno;
	if (r < 0) {
		region_unmap(map);
		return r;
	}
	d = g_new0(struct drain, 1);
	d->map = map;
	d->fd = own_fd;
	d->header = header;
	d->copy = g_new(struct region_cpu, 1);
	d->live = g_new0(struct session_live, header.n_cpus);
	d->max_cpu = -1;
	d->windows = g_array_new(FALSE, FALSE, sizeof(struct drain_window));
	/* which CPUs they are is shown before the first reading; what is wrong with a block is for
	 * that */
	for (unsigned i = 0; i < header.n_cpus; i++)
		if (region_read_cpu(map, region_mapped(map), i, d->copy) >= 0)
			drain_take_live(d, i);
	*ret = d;
	return 0;
}

struct drain *drain_free(struct drain *d)
{
	if (!d)
		return NULL;
	region_unmap(d->map);
	fd_close(d->fd);
	g_free(d->copy);
	g_free(d->live);
	g_array_unref(d->windows);
	g_free(d);
	return NULL;
}

static bool drain_window_has(const struct drain_window *w, uint64_t at_ns)
{
	uint64_t from = w->from_ns > SELF_NS ? w->from_ns - SELF_NS : 0;

	return at_ns >= from && at_ns <= w->to_ns + SELF_NS;
}

/* Windows that ended before the sample cannot hold it: one of a moment ago is soon looked up. */
static bool drain_is_self(const GArray *windows, uint64_t at_ns)
{
	for (guint i = windows->len; i > 0; i--) {
		const struct drain_window *w = &g_array_index(windows, struct drain_window, i - 1);

		if (drain_window_has(w, at_ns))
			return true;
		if (w->to_ns + SELF_NS < at_ns)
			break;
	}
	return false;
}

/* The same sample in an earlier reading, of this life or the one before. */
static const struct worst_sample *drain_find_worst(const struct figures *f,
						   const struct worst_sample *w)
{
	for (uint32_t i = 0; i < f->n_worst && i < FIGURES_WORST; i++)
		if (f->worst[i].at_ns == w->at_ns && f->worst[i].latency_ns == w->latency_ns)
			return &f->worst[i];
	return NULL;
}

/* One that is known keeps its mark: every window since then had a look at it (drain_commit()). */
static void drain_mark(const GArray *windows, const struct figures *old, struct figures *f)
{
	for (uint32_t i = 0; i < f->n_worst && i < FIGURES_WORST; i++) {
		struct worst_sample *w = &f->worst[i];
		const struct worst_sample *known = drain_find_worst(old, w);

		w->self = known ? known->self : drain_is_self(windows, w->at_ns);
	}
}

static void drain_mark_window(const struct drain_window *window, struct figures *f)
{
	for (uint32_t i = 0; i < f->n_worst && i < FIGURES_WORST; i++)
		f->worst[i].self |= drain_window_has(window, f->worst[i].at_ns);
}

static struct result_cpu *drain_result_cpu(struct result_stage *s, int cpu)
{
	struct result_cpu *c;
	guint i;

	for (i = 0; i < s->cpus->len; i++) {
		c = s->cpus->pdata[i];
		if (c->cpu == cpu)
			return c;
		if (c->cpu > cpu)
			break;
	}
	c = result_cpu_new(cpu);
	g_ptr_array_insert(s->cpus, (gint)i, c);
	return c;
}

/*
 * How long this CPU has measured: on a grid exactly the points that have elapsed, without the
 * dither of the next one; else the time from the first one's begin to the latest sample.
 */
static uint64_t drain_measured_ns(const struct drain *d)
{
	const struct region_cpu *c = d->copy;
	uint64_t begin_ns = d->header.begin_mono_ns,
		 at_ns = d->header.start_mono_ns + c->last_at_ns;

	if (c->interval_ns > 0)
		return (c->next_ns - c->grid_ns) / c->interval_ns * c->interval_ns;
	return begin_ns > 0 && at_ns > begin_ns ? at_ns - begin_ns : 0;
}

/*
 * What of the mapping has a file behind it. Whoever may write the file may also cut it off, and
 * then reading on where it was would be our end by SIGBUS.
 */
static size_t drain_size(const struct drain *d)
{
	struct stat st;

	if (fstat(d->fd, &st) < 0 || st.st_size < 0)
		return 0;
	return MIN((size_t)st.st_size, region_mapped(d->map));
}

static int drain_take_header(struct drain *d)
{
	struct region_header header;
	int r;

	r = region_check(d->map, drain_size(d), &header);
	if (r < 0)
		return r;
	if (header.n_cpus !=
	    d->header.n_cpus) /* there is room for so many, and no reason for more */
		return -EBADMSG;
	d->header = header;
	return 0;
}

static int drain_take(struct drain *d, struct result_stage *s, uint64_t close_mono_ns)
{
	g_autoptr(json_t) port = NULL;
	uint64_t measured_ns = 0;
	int r;

	r = drain_take_header(d);
	if (r < 0)
		return r;
	for (unsigned i = 0; i < d->header.n_cpus; i++) {
		struct result_cpu *c;

		r = region_read_cpu(d->map, drain_size(d), i, d->copy);
		if (r < 0)
			return r;
		if (close_mono_ns > 0)
			region_close_cpu(d->copy, close_mono_ns);
		drain_take_live(d, i);
		c = drain_result_cpu(s, d->copy->cpu);
		c->policy = d->copy->policy;
		c->priority = d->copy->priority;
		drain_mark(d->windows, c->figures, &d->copy->figures);
		*c->figures = d->copy->figures;
		port = portfacts_add(port, d->copy->cpu, &d->copy->port);
		measured_ns = MAX(measured_ns, drain_measured_ns(d));
		if (d->live[i].count > 0 && d->live[i].max_ns > d->max_ns) {
			d->max_ns = d->live[i].max_ns;
			d->max_cpu = d->copy->cpu;
		}
	}
	json_decref(s->port);
	s->port = g_steal_pointer(&port);
	s->started_usec = d->header.start_real_ns / NSEC_PER_USEC;
	s->duration_ns = measured_ns;
	/* both times of it are there when it has ended, and not a moment earlier */
	if (d->copy->interval_ns == 0 && d->header.phase == REGION_ENDED &&
	    d->header.begin_mono_ns > 0 && d->header.end_mono_ns > d->header.begin_mono_ns)
		s->duration_ns = d->header.end_mono_ns - d->header.begin_mono_ns;
	return 0;
}

int drain_read(struct drain *d, struct result_stage *s)
{
	return drain_take(d, s, 0);
}

int drain_close(struct drain *d, struct result_stage *s, uint64_t mono_ns)
{
	return drain_take(d, s, mono_ns);
}

const struct region_header *drain_header(const struct drain *d)
{
	return &d->header;
}

size_t drain_live(const struct drain *d, struct session_live *ret, size_t max)
{
	size_t n = MIN(max, d->header.n_cpus);

	memcpy(ret, d->live, n * sizeof(*ret));
	return n;
}

uint64_t drain_maximum_ns(const struct drain *d, int *ret_cpu)
{
	*ret_cpu = d->max_cpu;
	return d->max_ns;
}

void drain_commit(struct drain *d, struct result_stage *s, uint64_t start_mono_ns,
		  uint64_t end_mono_ns)
{
	uint64_t zero = d->header.start_mono_ns;
	struct drain_window w;

	if (zero == 0 || end_mono_ns < zero)
		return;
	w.from_ns = start_mono_ns > zero ? start_mono_ns - zero : 0;
	w.to_ns = end_mono_ns - zero;
	g_array_append_val(d->windows, w);
	g_array_append_val(s->checkpoints, w.from_ns);
	for (guint i = 0; i < s->cpus->len; i++)
		drain_mark_window(&w, ((struct result_cpu *)s->cpus->pdata[i])->figures);
}
