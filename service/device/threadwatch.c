/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Process events alone would do, if they were there from the beginning and never lost. So the list
 * of kernel threads is read once when they begin, which tells of who came while we waited for the
 * acknowledgement, and again whenever events were lost. The same list is the poll.
 *
 * Newcomers from either way settle in the same place. Reasons to look at everything end in one
 * timer: whoever looks reads the whole table, so ten reasons are one.
 */
#include "threadwatch.h"

#include "newcomers.h"
#include "procevents.h"
#include "resume.h"
#include "threadlist.h"
#include "uevents.h"

#include <errno.h>

#define THREADWATCH_SLACK_USEC 1000
#define THREADWATCH_DEFERRALS  10 /* looks put off because newcomers are settling, in a row */

enum threadwatch_mode {
	MODE_STARTING,
	MODE_EVENTS,
	MODE_POLL,
};

struct threadwatch {
	sd_event *event;
	threadwatch_news_t news;
	void *userdata;
	enum threadwatch_mode mode;
	char *why; /* MODE_POLL */
	struct threadlist *list;
	struct newcomers *newcomers;
	struct procevents *procevents; /* not in MODE_POLL */
	struct uevents *uevents;       /* NULL: cannot be had */
	struct resume *resume;	       /* NULL: cannot be had */
	sd_event_source *poll;	       /* MODE_POLL */
	sd_event_source *look;	       /* off: nobody has a reason */
	uint64_t looked_usec;	       /* when it was told of last */
	unsigned deferrals;
};

static void threadwatch_tell(struct threadwatch *w, enum threadwatch_news what)
{
	w->news(what, NULL, w->userdata);
}

static int threadwatch_arm_look(struct threadwatch *w, uint64_t at)
{
	int r = sd_event_source_set_time(w->look, at);

	return r < 0 ? r : sd_event_source_set_enabled(w->look, SD_EVENT_ONESHOT);
}

/* There is a reason to look at everything, soon. */
static void threadwatch_want_look(struct threadwatch *w)
{
	uint64_t now;
	int enabled;

	if (sd_event_source_get_enabled(w->look, &enabled) >= 0 && enabled != SD_EVENT_OFF)
		return;
	w->deferrals = 0;
	(void)sd_event_now(w->event, CLOCK_MONOTONIC, &now); /* has this clock */
	(void)threadwatch_arm_look(
		w, MAX(now + THREADWATCH_LOOK_USEC, w->looked_usec + THREADWATCH_REST_USEC));
}

static int on_threadwatch_look(sd_event_source *s, uint64_t usec, void *userdata)
{
	struct threadwatch *w = userdata;
	uint64_t now;
	int r = sd_event_now(w->event, CLOCK_MONOTONIC, &now);

	if (r < 0)
		return r;
	if (newcomers_waiting(w->newcomers) > 0 && w->deferrals < THREADWATCH_DEFERRALS) {
		w->deferrals++;
		return threadwatch_arm_look(w, now + THREADWATCH_LOOK_USEC);
	}
	w->looked_usec = now;
	threadwatch_tell(w, THREADWATCH_LOOK);
	return 0;
}

static void on_threadwatch_reset(void *userdata)
{
	threadwatch_tell(userdata, THREADWATCH_RESET);
	threadwatch_want_look(userdata);
}

static void on_threadwatch_device(enum uevents_what what, void *userdata)
{
	if (what == UEVENTS_CPU)
		on_threadwatch_reset(userdata);
	else
		threadwatch_want_look(userdata);
}

static void on_threadwatch_settled(const struct threadwatch_newcomer *n, void *userdata)
{
	struct threadwatch *w = userdata;

	if (n)
		w->news(THREADWATCH_THREAD, n, w->userdata);
	else
		threadwatch_want_look(w);
}

static void threadwatch_newcomer(struct threadwatch *w, pid_t tid, uint64_t created_ns)
{
	if (newcomers_add(w->newcomers, tid, created_ns) < 0)
		threadwatch_want_look(w);
}

/* Who has come since the list was read last. */
static void threadwatch_compare(struct threadwatch *w)
{
	g_autoptr(GArray) new = NULL;
	int r = threadlist_read(w->list, &new);

	for (guint i = 0; r >= 0 && i < new->len; i++)
		threadwatch_newcomer(w, g_array_index(new, pid_t, i), 0);
	if (r == -EOPNOTSUPP) /* as good as the kernel lets us: whoever looks reads every process */
		threadwatch_want_look(w);
}

static int on_threadwatch_poll(sd_event_source *s, uint64_t usec, void *userdata)
{
	struct threadwatch *w = userdata;
	int r;

	threadwatch_compare(w);
	r = sd_event_source_set_time_relative(s, THREADWATCH_POLL_USEC);
	return r < 0 ? r : sd_event_source_set_enabled(s, SD_EVENT_ONESHOT);
}

/* Takes @why. */
static int threadwatch_fall_back(struct threadwatch *w, char *why)
{
	w->procevents = procevents_free(w->procevents);
	w->mode = MODE_POLL;
	w->why = why;
	return sd_event_add_time_relative(w->event, &w->poll, CLOCK_MONOTONIC,
					  THREADWATCH_POLL_USEC, THREADWATCH_POLL_USEC / 10,
					  on_threadwatch_poll, w);
}

static void on_threadwatch_procevents(const struct procevents_news *n, void *userdata)
{
	struct threadwatch *w = userdata;

	switch (n->what) {
	case PROCEVENTS_THREAD:
		threadwatch_newcomer(w, n->child, n->at_ns);
		break;
	case PROCEVENTS_LOST:
		threadwatch_compare(w);
		threadwatch_want_look(w);
		break;
	case PROCEVENTS_READY:
		w->mode = MODE_EVENTS;
		threadwatch_compare(w);
		threadwatch_tell(w, THREADWATCH_MODE);
		break;
	case PROCEVENTS_REFUSED:
		/* a timer cannot be refused to a loop that runs; one that could not be made would
		 * leave the look that follows, and the devices' events */
		(void)threadwatch_fall_back(w, g_strdup(n->why));
		threadwatch_want_look(w);
		threadwatch_tell(w, THREADWATCH_MODE);
		break;
	}
}

static int threadwatch_start(struct threadwatch *w)
{
	char *why;
	int r;

	r = sd_event_add_time(w->event, &w->look, CLOCK_MONOTONIC, 0, THREADWATCH_SLACK_USEC,
			      on_threadwatch_look, w);
	if (r >= 0)
		r = sd_event_source_set_enabled(w->look, SD_EVENT_OFF);
	if (r >= 0)
		r = newcomers_new(w->event, "/", on_threadwatch_settled, w, &w->newcomers);
	if (r < 0)
		return r;
	/* without these two, process events and the poll still see every thread come */
	(void)uevents_new(w->event, UEVENTS_INTERRUPTS, on_threadwatch_device, w, &w->uevents);
	(void)resume_new(w->event, on_threadwatch_reset, w, &w->resume);
	r = procevents_new(w->event, on_threadwatch_procevents, w, &w->procevents, &why);
	return r < 0 ? threadwatch_fall_back(w, why) : 0;
}

int threadwatch_new(sd_event *event, threadwatch_news_t news, void *userdata,
		    struct threadwatch **ret)
{
	struct threadwatch *w = g_new0(struct threadwatch, 1);
	int r;

	w->event = sd_event_ref(event);
	w->news = news;
	w->userdata = userdata;
	w->list = threadlist_new("/");
	r = threadwatch_start(w);
	if (r < 0) {
		threadwatch_free(w);
		return r;
	}
	*ret = w;
	return 0;
}

struct threadwatch *threadwatch_free(struct threadwatch *w)
{
	if (!w)
		return NULL;
	sd_event_source_disable_unref(w->poll);
	sd_event_source_disable_unref(w->look);
	procevents_free(w->procevents);
	uevents_free(w->uevents);
	resume_free(w->resume);
	newcomers_free(w->newcomers);
	threadlist_free(w->list);
	sd_event_unref(w->event);
	g_free(w->why);
	g_free(w);
	return NULL;
}

const char *threadwatch_mode(const struct threadwatch *w, const char **ret_why)
{
	static const char *const modes[] = {
		[MODE_STARTING] = "starting", [MODE_EVENTS] = "process-events", [MODE_POLL] = "poll"
	};

	*ret_why = w->why;
	return modes[w->mode];
}
