/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sources. Context switches, forks, interrupts and steal: /proc/stat. Packets: what all interfaces
 * received, loopback included, from /proc/net/dev. Bytes read: pgpgin of /proc/vmstat, what block
 * devices read; the page cache's answers are no load on a disk.
 *
 * Bytes written: whichever is more since the start, file pages made dirty (nr_dirtied) or bytes
 * sent to block devices (pgpgout), both of /proc/vmstat. Either alone misses a load: a program's
 * writes go into memory first and may be dropped with their file before a disk ever sees them, and
 * O_DIRECT makes no page dirty. Their sum would count a byte twice. vmstat counts what programs
 * submit, so that a volume over a disk is not counted at both as in /proc/diskstats.
 *
 * Rates are weighted by the time they were taken over, so that their mean is the whole count by the
 * whole time however unevenly the readings came.
 */
#include "effect.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "cleanup.h"
#include "duration.h"
#include "load.h"
#include "proc-counters.h"
#include "proc-interrupts.h"

#define NS_PER_S	   1e9
#define EFFECT_SHORTEST_NS 100000000ULL
#define EFFECT_FILE_MAX	   (16 * 1024 * 1024)
#define EFFECT_STEAL_MAX   1.0 /* percent of all CPU time */

enum metric {
	CONTEXT_SWITCHES,
	FORKS,
	INTERRUPTS,
	BYTES_READ,
	BYTES_WRITTEN,
	PACKETS,
	STEAL,
	METRICS
};

static const struct {
	const char *name, *unit;
} metric_table[METRICS] = {
	[CONTEXT_SWITCHES] = { "context_switches", "1/s" },
	[FORKS] = { "forks", "1/s" },
	[INTERRUPTS] = { "interrupts", "1/s" },
	[BYTES_READ] = { "bytes_read", "B/s" },
	[BYTES_WRITTEN] = { "bytes_written", "B/s" },
	[PACKETS] = { "packets", "1/s" },
	[STEAL] = { "steal_pct", "%" },
};

/* Mean and variance of weighted values, one at a time (D. H. D. West, CACM 22(9), 1979). */
struct spread {
	unsigned n;
	double weight, mean, m2, min, max;
};

/* Counters as far as they could be read. */
struct reading {
	uint64_t at_ns;
	bool has_stat, has_vmstat;
	struct proc_stat stat;
	struct proc_vmstat vmstat;
	GArray *devices; /* of struct proc_netdev; NULL: not read */
};

struct effect {
	char *root;
	int stat_fd, vmstat_fd;
	GString *buffer;
	uint64_t page_bytes;
	struct reading last;
	uint64_t dirtied_bytes, disk_bytes, written_bytes; /* since the start */
	struct spread spread[METRICS];
	struct proc_interrupts *interrupts; /* at the start; NULL: not read */
};

static void spread_add(struct spread *s, double value, double weight)
{
	double distance = value - s->mean;

	s->min = s->n == 0 || value < s->min ? value : s->min;
	s->max = s->n == 0 || value > s->max ? value : s->max;
	s->n++;
	s->weight += weight;
	s->mean += distance * weight / s->weight;
	s->m2 += weight * distance * (value - s->mean);
}

static double spread_stddev(const struct spread *s)
{
	return s->n < 2 ? 0 : sqrt(s->m2 / s->weight * s->n / (s->n - 1));
}

static int effect_open(const char *root, const char *name)
{
	g_autofree char *path = g_build_filename(root, name, NULL);

	return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
}

/* The whole file from its start, into the buffer. */
static bool effect_read(struct effect *e, int fd)
{
	const gsize room = 16384;
	off_t at = 0;
	ssize_t n;

	if (fd < 0)
		return false;
	for (;;) {
		g_string_set_size(e->buffer, at + room);
		n = pread(fd, e->buffer->str + at, room, at);
		if (n <= 0 || at > EFFECT_FILE_MAX)
			break;
		at += n;
	}
	g_string_set_size(e->buffer, at);
	return n == 0 && at > 0;
}

static void reading_take(struct effect *e, uint64_t now_ns, struct reading *r)
{
	/* opened anew: it shows the network namespace of the thread that opened it */
	g_auto(fd_t) net_fd = effect_open(e->root, "proc/net/dev");

	r->at_ns = now_ns;
	r->has_stat = effect_read(e, e->stat_fd) &&
		      proc_stat_parse(e->buffer->str, e->buffer->len, &r->stat) == 0;
	r->has_vmstat = effect_read(e, e->vmstat_fd) &&
			proc_vmstat_parse(e->buffer->str, e->buffer->len, &r->vmstat) == 0;
	r->devices = NULL;
	if (effect_read(e, net_fd))
		(void)proc_net_dev_parse(e->buffer->str, e->buffer->len,
					 &r->devices); /* none then */
}

static void reading_done(struct reading *r)
{
	g_clear_pointer(&r->devices, g_array_unref);
}

static void effect_rate(struct effect *e, enum metric metric, uint64_t before, uint64_t after,
			double unit, double seconds)
{
	uint64_t delta;

	if (proc_counter_delta(before, after, &delta))
		spread_add(&e->spread[metric], delta * unit / seconds, seconds);
}

static void effect_steal(struct effect *e, const struct proc_stat *before,
			 const struct proc_stat *after, double seconds)
{
	uint64_t steal, total;

	if (proc_counter_delta(before->steal_ticks, after->steal_ticks, &steal) &&
	    proc_counter_delta(before->total_ticks, after->total_ticks, &total) && total > 0)
		spread_add(&e->spread[STEAL], MIN(100.0 * steal / total, 100.0), seconds);
}

static void effect_disk(struct effect *e, const struct proc_vmstat *before,
			const struct proc_vmstat *after, double seconds)
{
	uint64_t dirtied, written, total;

	effect_rate(e, BYTES_READ, before->read_kib, after->read_kib, 1024, seconds);
	if (!proc_counter_delta(before->dirtied_pages, after->dirtied_pages, &dirtied) ||
	    !proc_counter_delta(before->written_kib, after->written_kib, &written))
		return;
	e->dirtied_bytes += dirtied * e->page_bytes;
	e->disk_bytes += written * 1024;
	total = MAX(e->dirtied_bytes, e->disk_bytes);
	spread_add(&e->spread[BYTES_WRITTEN], (total - e->written_bytes) / seconds, seconds);
	e->written_bytes = total;
}

/* Interfaces come and go: those that both readings have. */
static void effect_packets(struct effect *e, const GArray *before, const GArray *after,
			   double seconds)
{
	uint64_t sum = 0, delta;

	for (guint i = 0; i < after->len; i++) {
		const struct proc_netdev *d = &g_array_index(after, struct proc_netdev, i);

		for (guint k = 0; k < before->len; k++) {
			const struct proc_netdev *was =
				&g_array_index(before, struct proc_netdev, k);

			if (strcmp(d->name, was->name) == 0 &&
			    proc_counter_delta(was->received, d->received, &delta))
				sum += delta;
		}
	}
	spread_add(&e->spread[PACKETS], sum / seconds, seconds);
}

static void effect_compare(struct effect *e, const struct reading *a, const struct reading *b)
{
	double seconds = (b->at_ns - a->at_ns) / NS_PER_S;

	if (a->has_stat && b->has_stat) {
		effect_rate(e, CONTEXT_SWITCHES, a->stat.context_switches, b->stat.context_switches,
			    1, seconds);
		effect_rate(e, FORKS, a->stat.forks, b->stat.forks, 1, seconds);
		effect_rate(e, INTERRUPTS, a->stat.interrupts, b->stat.interrupts, 1, seconds);
		effect_steal(e, &a->stat, &b->stat, seconds);
	}
	if (a->has_vmstat && b->has_vmstat)
		effect_disk(e, &a->vmstat, &b->vmstat, seconds);
	if (a->devices && b->devices)
		effect_packets(e, a->devices, b->devices, seconds);
}

static struct proc_interrupts *effect_interrupts(struct effect *e)
{
	g_auto(fd_t) fd = effect_open(e->root, "proc/interrupts");
	struct proc_interrupts *t = NULL;

	if (effect_read(e, fd))
		(void)proc_interrupts_parse(e->buffer->str, e->buffer->len, &t); /* none then */
	return t;
}

struct effect *effect_new(const char *root, uint64_t now_ns)
{
	struct effect *e = g_new0(struct effect, 1);
	long page_bytes = sysconf(_SC_PAGESIZE);

	e->root = g_strdup(root);
	e->page_bytes = page_bytes > 0 ? page_bytes : 4096;
	e->buffer = g_string_sized_new(16384);
	e->stat_fd = effect_open(root, "proc/stat");
	e->vmstat_fd = effect_open(root, "proc/vmstat");
	e->interrupts = effect_interrupts(e);
	reading_take(e, now_ns, &e->last);
	return e;
}

void effect_sample(struct effect *e, uint64_t now_ns)
{
	struct reading r;

	if (now_ns < e->last.at_ns + EFFECT_SHORTEST_NS)
		return;
	reading_take(e, now_ns, &r);
	effect_compare(e, &e->last, &r);
	reading_done(&e->last);
	e->last = r;
}

static GPtrArray *effect_metrics(const struct effect *e)
{
	GPtrArray *metrics = g_ptr_array_new_with_free_func((GDestroyNotify)result_metric_free);

	for (int i = 0; i < METRICS; i++) {
		const struct spread *s = &e->spread[i];
		struct result_metric *m;

		if (s->n == 0)
			continue;
		m = result_metric_new(metric_table[i].name, metric_table[i].unit);
		m->n = s->n;
		m->mean = s->mean;
		m->stddev = spread_stddev(s);
		m->min = s->min;
		m->max = s->max;
		g_ptr_array_add(metrics, m);
	}
	return metrics;
}

/* The kernel's own list of handlers is exact, where there is one. */
static char *effect_actions(const struct effect *e, const struct proc_irq *irq)
{
	g_autofree char *path =
		g_build_filename(e->root, "sys/kernel/irq", irq->name, "actions", NULL);
	char *text;

	if (irq->device && g_file_get_contents(path, &text, NULL, NULL))
		return g_strstrip(text);
	return g_strdup(irq->actions);
}

static json_t *effect_irqs(struct effect *e)
{
	struct proc_interrupts *now = effect_interrupts(e);
	json_t *irqs = NULL;

	if (now && e->interrupts)
		irqs = json_object();
	for (guint i = 0; irqs && i < now->lines->len; i++) {
		const struct proc_irq *irq = now->lines->pdata[i];
		g_autofree char *raw = NULL, *actions = NULL;
		uint64_t delta;

		if (!proc_interrupts_delta(e->interrupts, now, irq->name, &delta) || delta == 0)
			continue;
		raw = effect_actions(e, irq);
		actions = g_utf8_make_valid(raw, -1);
		json_object_set_new(
			irqs, irq->name,
			json_pack("{s:s, s:I}", "actions", actions, "delta", (json_int_t)delta));
	}
	proc_interrupts_free(now);
	return irqs;
}

void effect_finish(struct effect *e, uint64_t now_ns, GPtrArray **ret_metrics, json_t **ret_irqs)
{
	effect_sample(e, now_ns);
	*ret_metrics = effect_metrics(e);
	*ret_irqs = effect_irqs(e);
}

void effect_free(struct effect *e)
{
	if (!e)
		return;
	reading_done(&e->last);
	proc_interrupts_free(e->interrupts);
	fd_close(e->stat_fd);
	fd_close(e->vmstat_fd);
	g_string_free(e->buffer, TRUE);
	g_free(e->root);
	g_free(e);
}

static const struct result_metric *metrics_find(const GPtrArray *metrics, const char *name)
{
	for (guint i = 0; metrics && i < metrics->len; i++) {
		const struct result_metric *m = metrics->pdata[i];

		if (strcmp(m->name, name) == 0)
			return m;
	}
	return NULL;
}

/* What measuring itself does a second: a timer's interrupt, a switch to its thread and one back. */
static double effect_own(const char *metric, double wakeups)
{
	if (strcmp(metric, "context_switches") == 0)
		return 2 * wakeups;
	return strcmp(metric, "interrupts") == 0 ? wakeups : 0;
}

static void effect_judge_promise(const GPtrArray *metrics, const struct load *l,
				 const struct load_effect *promise, double wakeups,
				 GPtrArray *findings)
{
	const struct result_metric *m = metrics_find(metrics, promise->metric);
	double own = effect_own(promise->metric, wakeups);

	if (!m)
		finding_add(findings, "load-no-effect",
			    "Load %s promises %" G_GUINT64_FORMAT
			    " %s a second; they could not be counted.",
			    l->name, promise->at_least, promise->metric);
	else if (m->mean - own < promise->at_least)
		finding_add(findings, "load-no-effect",
			    "Load %s promises %" G_GUINT64_FORMAT
			    " %s a second; there were %.0f%s.",
			    l->name, promise->at_least, promise->metric, MAX(m->mean - own, 0.0),
			    own > 0 ? " besides those of measuring" : "");
}

void effect_judge(const GPtrArray *metrics, const GPtrArray *loads, double wakeups,
		  GPtrArray *findings)
{
	const struct result_metric *steal = metrics_find(metrics, "steal_pct");

	for (guint i = 0; loads && i < loads->len; i++) {
		const struct load *l = loads->pdata[i];

		if (l->as_root)
			finding_add(findings, "load-root", "Load %s ran with root's rights: %s",
				    l->name, l->why_root ?: "no reason is given.");
		for (guint k = 0; l->effects && k < l->effects->len; k++)
			effect_judge_promise(metrics, l, l->effects->pdata[k], wakeups, findings);
	}
	if (steal && steal->mean > EFFECT_STEAL_MAX) {
		g_autofree char *pct = number_format(steal->mean, 1);

		finding_add(findings, "steal",
			    "The hypervisor took %s %% of the CPU time for others.", pct);
	}
}

bool effect_metric_known(const char *name)
{
	for (int i = 0; i < METRICS; i++)
		if (strcmp(metric_table[i].name, name) == 0)
			return true;
	return false;
}
