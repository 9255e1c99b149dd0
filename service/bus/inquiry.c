/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reading a session of many CPUs takes some ten milliseconds, and a comparison may want thousands:
 * each is a turn of the event loop, behind everything else that wants one. What is worked out from
 * them touches nothing else, so a thread does it; it cannot be broken off, and when nobody waits
 * for it any more it comes to its end for nothing.
 */
#include "inquiry.h"

#include "bus-internal.h"
#include "cleanup-bus.h"
#include "errors.h"
#include "leaver.h"
#include "log.h"
#include "threadjob.h"

#include <errno.h>

#define INQUIRY_MAX	       16
#define INQUIRY_MAX_PER_SENDER 4

struct inquiry {
	struct bus *bus;
	sd_bus_message *call;
	const struct inquiry_kind *kind;
	void *data;
	struct rendering_way way;
	struct leaver *leaver;
	sd_event_source *turn;
	struct threadjob *job; /* NULL: the data is the event loop's */
	bool left;	       /* the caller, the bus */
	/* the thread's, until it has ended */
	int r;
	char *message;
};

static void inquiry_free(gpointer data)
{
	struct inquiry *q = data;

	leaver_free(q->leaver);
	sd_event_source_disable_unref(q->turn);
	threadjob_free(q->job);
	q->kind->free(q->data);
	g_free(q->message);
	sd_bus_message_unref(q->call);
	g_free(q);
}

GPtrArray *inquiries_new(void)
{
	return g_ptr_array_new_with_free_func(inquiry_free);
}

/* @q is gone afterwards, as in the others that end it. */
static void inquiry_end(struct inquiry *q)
{
	g_ptr_array_remove_fast(q->bus->inquiries, q);
}

static void inquiry_fail(struct inquiry *q, int r, const char *message)
{
	g_auto(sd_bus_error) error = SD_BUS_ERROR_NULL;

	bus_error_set(&error, r, message);
	bus_reply_error(q->call, &error);
	inquiry_end(q);
}

static void inquiry_answer(struct inquiry *q)
{
	g_auto(sd_bus_error) error = SD_BUS_ERROR_NULL;

	if (rendering_reply(q->call, &q->way, q->kind->rendered(q->data), &error) < 0)
		bus_reply_error(q->call, &error);
	inquiry_end(q);
}

static void inquiry_run(void *userdata)
{
	struct inquiry *q = userdata;

	q->r = q->kind->work(q->data, &q->message);
}

static void on_inquiry_worked(void *userdata)
{
	struct inquiry *q = userdata;
	int r = q->r;

	q->job = threadjob_free(q->job);
	if (q->left) {
		inquiry_end(q);
		return;
	}
	if (r >= 0)
		r = sd_event_source_set_enabled(q->turn, SD_EVENT_ONESHOT);
	if (r < 0)
		inquiry_fail(q, r, q->message);
}

static int on_inquiry_turn(sd_event_source *source, void *userdata)
{
	g_autofree char *message = NULL;
	struct inquiry *q = userdata;
	int r = q->kind->step(q->data, &message);

	switch (r) {
	case INQUIRY_ANSWER:
		inquiry_answer(q);
		return 0;
	case INQUIRY_STEP:
		r = sd_event_source_set_enabled(q->turn, SD_EVENT_ONESHOT);
		break;
	case INQUIRY_THREAD:
		r = threadjob_new(sd_bus_get_event(q->bus->bus), inquiry_run, on_inquiry_worked, q,
				  &q->job);
		break;
	}
	if (r < 0)
		inquiry_fail(q, r, message);
	return 0;
}

static void on_inquiry_left(void *userdata)
{
	struct inquiry *q = userdata;

	log_debug("A caller has left before his answer");
	q->left = true;
	if (!q->job)
		inquiry_end(q);
}

static int inquiry_check_number(const struct bus *b, sd_bus_message *call, sd_bus_error *error)
{
	const char *sender = sd_bus_message_get_sender(call);
	unsigned own = 0;

	for (guint i = 0; i < b->inquiries->len; i++) {
		const struct inquiry *q = b->inquiries->pdata[i];

		own += g_strcmp0(sd_bus_message_get_sender(q->call), sender) == 0;
	}
	if (b->inquiries->len < INQUIRY_MAX && own < INQUIRY_MAX_PER_SENDER)
		return 0;
	return bus_error_limit(error, "Too many comparisons and trends are under way; wait for "
				      "answers.");
}

/* Signals and calls come first: of what is ready, the event loop takes the lowest number. */
static int inquiry_start(struct inquiry *q)
{
	int r;

	r = sd_event_add_defer(sd_bus_get_event(q->bus->bus), &q->turn, on_inquiry_turn, q);
	if (r >= 0)
		r = sd_event_source_set_priority(q->turn, SD_EVENT_PRIORITY_IDLE);
	if (r >= 0)
		r = leaver_new(q->call, on_inquiry_left, q, &q->leaver);
	return r;
}

int inquiry_begin(struct bus *b, sd_bus_message *call, const struct inquiry_kind *kind, void *data,
		  const struct rendering_way *way, sd_bus_error *error)
{
	struct inquiry *q;
	int r = inquiry_check_number(b, call, error);

	if (r < 0) {
		kind->free(data);
		return r;
	}
	q = g_new0(struct inquiry, 1);
	q->bus = b;
	q->call = sd_bus_message_ref(call);
	q->kind = kind;
	q->data = data;
	q->way = *way;
	r = inquiry_start(q);
	if (r < 0) {
		inquiry_free(q);
		return bus_error_set(error, r, NULL);
	}
	g_ptr_array_add(b->inquiries, q);
	return 1;
}
