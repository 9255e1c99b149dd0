/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The thread owns everything from its start until it has ended, and the event loop from then on;
 * only `stop` is shared. It is woken at least every WAIT_MS to look at that.
 *
 * The device is opened anew for each run: what a former run left in its buffer is gone then, and so
 * is the port when we are.
 */
#include "portjob.h"

#include "cleanup.h"
#include "quietthread.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <sys/ioctl.h>

#define WAIT_MS 50
#define RECORDS 256

struct portjob {
	char *port, *node;
	struct porttest_plan plan;
	portjob_done_t done;
	void *userdata;
	struct quietthread thread;
	atomic_bool stop;
	sd_event_source *source;
	/* the thread's, until then */
	int r;
	struct porttest_result result;
	char *message;
};

/* --- the thread --- */

static void run_add(struct porttest_run *run, const struct lrtbf_record *records, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t latency_ns = records[i].latency_ns;

		if (records[i].flags)
			continue;
		run->min_ns = run->sum_ns ? MIN(run->min_ns, latency_ns) : latency_ns;
		run->max_ns = MAX(run->max_ns, latency_ns);
		run->sum_ns += latency_ns;
	}
}

/* Everything there is. 1: more may come; 0: it has ended; -errno. */
static int run_read(int fd, struct porttest_run *run)
{
	struct lrtbf_record records[RECORDS];
	ssize_t n;

	while ((n = read(fd, records, sizeof(records))) > 0)
		run_add(run, records, (size_t)n / sizeof(*records));
	if (n == 0)
		return 0;
	return errno == EAGAIN || errno == EINTR ? 1 : -errno;
}

static int run_follow(struct portjob *j, int fd, struct porttest_run *run)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	int r;

	do {
		if (atomic_load(&j->stop))
			return -ECANCELED;
		if (poll(&p, 1, WAIT_MS) < 0 && errno != EINTR)
			return -errno;
		r = run_read(fd, run);
	} while (r > 0);
	return r;
}

static int run_figures(int fd, struct porttest_run *run)
{
	run->caps.size = sizeof(run->caps);
	run->counters.size = sizeof(run->counters);
	if (ioctl(fd, LRTBF_CAPS, &run->caps) < 0 || ioctl(fd, LRTBF_COUNTERS, &run->counters) < 0)
		return -errno;
	return run->counters.stop == LRTBF_STOP_DETACHED ? -ENODEV : 0;
}

static int job_run(const struct lrtbf_setup *setup, struct porttest_run *ret, void *userdata)
{
	struct portjob *j = userdata;
	g_auto(fd_t) fd = open(j->node, O_RDWR | O_CLOEXEC | O_NONBLOCK);
	int r;

	if (fd < 0)
		return -errno;
	if (ioctl(fd, LRTBF_SETUP, setup) < 0 || ioctl(fd, LRTBF_START) < 0)
		return -errno;
	r = run_follow(j, fd, ret);
	/* nothing more is to come: figures that do not move */
	(void)ioctl(fd, LRTBF_STOP);
	return r < 0 ? r : run_figures(fd, ret);
}

static void job_test(void *userdata)
{
	struct portjob *j = userdata;

	j->r = porttest(&j->plan, job_run, j, &j->result, &j->message);
}

/* --- the event loop --- */

static int on_job_done(sd_event_source *source, int fd, uint32_t revents, void *userdata)
{
	struct portjob *j = userdata;

	quietthread_join(&j->thread);
	(void)sd_event_source_set_enabled(j->source, SD_EVENT_OFF);
	j->done(j->r, j->r < 0 ? NULL : &j->result, j->message, j->userdata);
	return 0;
}

int portjob_new(sd_event *event, const struct porttest_plan *plan, const char *node,
		portjob_done_t done, void *userdata, struct portjob **ret)
{
	struct portjob *j = g_new0(struct portjob, 1);
	int r;

	j->port = g_strdup(plan->port);
	j->node = g_strdup(node);
	j->plan = *plan;
	j->plan.port = j->port;
	j->done = done;
	j->userdata = userdata;
	r = quietthread_init(&j->thread);
	if (r >= 0)
		r = sd_event_add_io(event, &j->source, j->thread.fd, EPOLLIN, on_job_done, j);
	if (r >= 0)
		r = quietthread_start(&j->thread, job_test, j);
	if (r < 0) {
		portjob_free(j);
		return r;
	}
	*ret = j;
	return 0;
}

void portjob_stop(struct portjob *j)
{
	atomic_store(&j->stop, true);
}

struct portjob *portjob_free(struct portjob *j)
{
	if (!j)
		return NULL;
	portjob_stop(j);
	sd_event_source_disable_unref(j->source);
	quietthread_done(&j->thread);
	porttest_done(&j->result);
	g_free(j->message);
	g_free(j->port);
	g_free(j->node);
	g_free(j);
	return NULL;
}
