/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The stack's pages cost nothing until they are used: JSON of 2048 levels is read by a function
 * that calls itself as often.
 */
#include "threadjob.h"

#include "cleanup.h"
#include "quietthread.h"

#define THREADJOB_STACK (8 << 20)

struct threadjob {
	struct quietthread thread;
	sd_event_source *source;
	void (*done)(void *userdata);
	void *userdata;
};

static int on_threadjob(sd_event_source *source, int fd, uint32_t revents, void *userdata)
{
	struct threadjob *j = userdata;

	quietthread_join(&j->thread);
	(void)sd_event_source_set_enabled(j->source, SD_EVENT_OFF); /* it has told what it knows */
	j->done(j->userdata);
	return 0;
}

int threadjob_new(sd_event *event, void (*run)(void *userdata), void (*done)(void *userdata),
		  void *userdata, struct threadjob **ret)
{
	struct threadjob *j = g_new0(struct threadjob, 1);
	int r;

	j->done = done;
	j->userdata = userdata;
	r = quietthread_init(&j->thread);
	j->thread.stack_size = THREADJOB_STACK;
	if (r >= 0)
		r = sd_event_add_io(event, &j->source, j->thread.fd, EPOLLIN, on_threadjob, j);
	if (r >= 0)
		r = quietthread_start(&j->thread, run, userdata);
	if (r < 0) {
		threadjob_free(j);
		return r;
	}
	*ret = j;
	return 0;
}

struct threadjob *threadjob_free(struct threadjob *j)
{
	if (!j)
		return NULL;
	sd_event_source_disable_unref(j->source);
	quietthread_done(&j->thread);
	g_free(j);
	return NULL;
}
