/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PID 1 is asked about each timer by itself and all at once; the answer goes out when the last one
 * has come, or when none will come. Without a systemd the times are left out and the rest is told.
 */
#include "schedule.h"

#include "bounded.h"
#include "cleanup-bus.h"
#include "dict.h"
#include "errors.h"
#include "options.h"
#include "plan.h"
#include "reply.h"
#include "systemd1.h"
#include <errno.h>
#include <string.h>

#define SCHEDULE_TIMERS_MAX 256 /* that are asked about; the bus has limits */
#define SCHEDULE_LOOKS_MAX  16

struct schedule_entry {
	struct schedules *look;
	char *plan, *unit;
	struct schedule schedule;
	struct result *last; /* its newest session that has ended; NULL: none */
	struct systemd1_call *asked;
	bool known; /* to PID 1 */
	struct systemd1_timer timer;
};

struct schedules {
	struct bus *bus;
	GPtrArray *entries;
	unsigned waiting;
	sd_event_source *now; /* nobody is waited for */
	schedules_done_t done;
	void *userdata;
	GDestroyNotify free;
};

static void schedule_entry_free(gpointer data)
{
	struct schedule_entry *e = data;

	systemd1_forget(e->asked);
	schedule_done(&e->schedule);
	result_free(e->last);
	g_free(e->plan);
	g_free(e->unit);
	g_free(e);
}

void schedules_free(gpointer data)
{
	struct schedules *l = data;

	g_ptr_array_unref(l->entries);
	sd_event_source_disable_unref(l->now);
	if (l->free && l->userdata)
		l->free(l->userdata);
	g_free(l);
}

static void schedules_end(struct schedules *l)
{
	void *userdata = g_steal_pointer(&l->userdata);

	l->done(l->entries, userdata);
	g_ptr_array_remove(l->bus->schedules, l);
}

static int on_schedules_now(sd_event_source *source, void *userdata)
{
	schedules_end(userdata);
	return 0;
}

static void on_schedule_timer(int r, const struct systemd1_timer *t, void *userdata)
{
	struct schedule_entry *e = userdata;

	e->asked = NULL; /* frees itself */
	e->known = r == 0;
	if (e->known)
		e->timer = *t;
	if (--e->look->waiting == 0)
		schedules_end(e->look);
}

/* Its newest session that has ended, skipped ones too; NULL: none, or the store is in trouble. */
static struct result *schedule_last(struct bus *b, const char *plan)
{
	const struct store_filter filter = {
		.plan = plan,
		.state = "done,stopped,failed,interrupted,skipped",
		.owner = -1,
	};
	g_autoptr(GPtrArray) heads = NULL;
	g_autofree char *next = NULL, *message = NULL;

	if (sessions_list(b->model.sessions, &filter, "", 1, &heads, &next, &message) < 0 ||
	    heads->len == 0)
		return NULL;
	return result_copy(heads->pdata[0]);
}

static void schedules_add(struct schedules *l, const struct plan *p)
{
	struct schedule_entry *e = g_new0(struct schedule_entry, 1);

	e->look = l;
	e->plan = g_strdup(p->name);
	e->unit = g_strdup_printf("lrtbf-plan-%s.timer", p->name);
	schedule_copy(&e->schedule, &p->schedule);
	e->last = schedule_last(l->bus, p->name);
	g_ptr_array_add(l->entries, e);
	/* a user's systemd is another one */
	if (l->bus->user || l->waiting >= SCHEDULE_TIMERS_MAX)
		return;
	if (systemd1_get_timer(l->bus->bus, e->unit, on_schedule_timer, e, &e->asked) >= 0)
		l->waiting++;
}

void schedules_look(struct bus *b, const char *plan, schedules_done_t done, void *userdata,
		    GDestroyNotify free)
{
	struct schedules *l = g_new0(struct schedules, 1);
	const struct plan_entry *plans = NULL;
	size_t n = sessions_plans(b->model.sessions, &plans);

	l->bus = b;
	l->entries = g_ptr_array_new_with_free_func(schedule_entry_free);
	l->done = done;
	l->userdata = userdata;
	l->free = free;
	g_ptr_array_add(b->schedules, l);
	for (size_t i = 0; i < n; i++) {
		const struct plan *p = plans[i].plan;

		if (p && (plan ? strcmp(p->name, plan) == 0 : schedule_is_set(&p->schedule)))
			schedules_add(l, p);
	}
	if (l->waiting == 0 &&
	    sd_event_add_defer(sd_bus_get_event(b->bus), &l->now, on_schedules_now, l) < 0)
		schedules_end(l); /* out of memory: then from within */
}

/* --- the answer --- */

bool schedule_elapsed(const struct schedule_entry *e)
{
	return e->known && e->timer.active && e->timer.elapsed && e->schedule.calendars->len > 0;
}

bool schedule_never(const struct schedule_entry *e)
{
	return schedule_elapsed(e) && e->schedule.on_boot_ns == 0;
}

static int schedule_append_u64(sd_bus_message *m, const char *key, uint64_t value)
{
	return value ? dict_u64(m, key, value) : 0;
}

static int schedule_append_plan(sd_bus_message *m, const struct schedule_entry *e)
{
	const struct schedule *s = &e->schedule;
	g_autofree char *when = schedule_join(s);
	int r;

	r = dict_string(m, "schedule", when);
	if (r >= 0)
		r = dict_bool(m, "enabled", s->enabled && schedule_is_set(s));
	if (r >= 0)
		r = dict_bool(m, "persistent", s->persistent);
	if (r >= 0)
		r = schedule_append_u64(m, "on_boot_ns", s->on_boot_ns);
	if (r >= 0)
		r = schedule_append_u64(m, "start_within_ns", s->start_within_ns);
	return r < 0 ? r : dict_string(m, "timer", e->unit);
}

static int schedule_append_timer(sd_bus_message *m, const struct schedule_entry *e)
{
	int r;

	if (!e->known)
		return 0;
	r = dict_bool(m, "active", e->timer.active);
	if (r >= 0 && e->timer.active)
		r = schedule_append_u64(m, "next_usec", e->timer.next_usec);
	return r < 0 ? r : schedule_append_u64(m, "last_usec", e->timer.last_usec);
}

int schedule_append(sd_bus_message *m, const struct schedule_entry *e)
{
	int r;

	r = dict_string(m, "plan", e->plan);
	if (r >= 0)
		r = schedule_append_plan(m, e);
	if (r >= 0)
		r = schedule_append_timer(m, e);
	if (r < 0 || !e->last)
		return r;
	r = dict_string(m, "last_session", e->last->id);
	if (r >= 0)
		r = dict_string(m, "last_state", session_state_to_string(e->last->state));
	return r < 0 ? r : dict_string(m, "last_verdict", verdict_to_string(e->last->verdict));
}

static int schedule_append_member(sd_bus_message *m, const void *member, const void *data)
{
	return schedule_append(m, member);
}

static size_t schedule_size(const void *member, const void *data)
{
	const struct schedule_entry *e = member;
	g_autofree char *when = schedule_join(&e->schedule);

	return 1024 + bounded_text_size(when);
}

static int schedules_append(sd_bus_message *m, const void *data)
{
	const struct bounded_list list = {
		.members = data,
		.size = schedule_size,
		.append = schedule_append_member,
	};

	return bounded_append(m, &list);
}

static void on_schedules_known(const GPtrArray *entries, void *userdata)
{
	g_autoptr(sd_bus_message) call = userdata;
	sd_bus_error error = SD_BUS_ERROR_NULL;

	if (reply_list(call, schedules_append, entries, NULL, &error) < 0)
		bus_reply_error(call, &error);
	sd_bus_error_free(&error);
}

static void schedule_drop_call(gpointer data)
{
	sd_bus_message_unref(data);
}

int schedule_method_get_schedule(sd_bus_message *m, void *userdata, sd_bus_error *error)
{
	struct bus *b = userdata;
	int r;

	r = options_read_none(m, error);
	if (r < 0)
		return r;
	if (b->schedules->len >= SCHEDULE_LOOKS_MAX)
		return bus_error_limit(error, "Too many such calls wait for an answer already.");
	schedules_look(b, NULL, on_schedules_known, sd_bus_message_ref(m), schedule_drop_call);
	return 1;
}
