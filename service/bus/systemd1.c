/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * JobRemoved is listened to only while a job is waited for: somebody always has PID 1 tell all of
 * its jobs to the whole bus, and an idle daemon (or worse, one that measures) shall not be woken by
 * every job of the machine. PID 1 tells whoever queued a job how it ended, without Subscribe().
 * (Nor can it be matched by unit: sd-bus looks at no argument behind one that is no string.)
 *
 * No call has PID 1's name started by the bus: where it is not there, nobody makes it.
 */
#include "systemd1.h"

#include "cleanup-bus.h"
#include "cleanup.h"
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#define SYSTEMD1	     "org.freedesktop.systemd1"
#define SYSTEMD1_PATH	     "/org/freedesktop/systemd1"
#define SYSTEMD1_MANAGER     SYSTEMD1 ".Manager"
#define SYSTEMD1_TIMER	     SYSTEMD1 ".Timer"
#define SYSTEMD1_RELOAD_USEC (30 * G_USEC_PER_SEC) /* every unit and generator of the machine */
#define SYSTEMD1_GET_USEC    (5 * G_USEC_PER_SEC)
#define SYSTEMD1_CLEAR_USEC  (2 * G_USEC_PER_SEC) /* of the whole daemon's start */

struct systemd1_call {
	systemd1_done_t done;
	systemd1_timer_t timer_done; /* of a timer's question, instead */
	void *userdata;
	char *unit;
	sd_bus_slot *asked, *removed;
	sd_event_source *timeout;
	char *job; /* NULL: not answered yet */
};

struct systemd1_call *systemd1_forget(struct systemd1_call *c)
{
	if (!c)
		return NULL;
	sd_bus_slot_unref(c->asked);
	sd_bus_slot_unref(c->removed);
	sd_event_source_disable_unref(c->timeout);
	g_free(c->unit);
	g_free(c->job);
	g_free(c);
	return NULL;
}

/* The call is gone when somebody is told, who may do whatever he likes. */
static void call_end(struct systemd1_call *c, int r, const char *message)
{
	g_autofree char *kept = g_strdup(message);
	systemd1_timer_t timer_done = c->timer_done;
	systemd1_done_t done = c->done;
	void *userdata = c->userdata;

	systemd1_forget(c);
	if (timer_done)
		timer_done(r, NULL, userdata);
	else
		done(r, kept, userdata);
}

static int call_errno(const sd_bus_error *e)
{
	static const struct {
		const char *name;
		int r;
	} known[] = {
		{ SD_BUS_ERROR_SERVICE_UNKNOWN, -EOPNOTSUPP },
		{ SD_BUS_ERROR_NAME_HAS_NO_OWNER, -EOPNOTSUPP },
		{ SD_BUS_ERROR_ACCESS_DENIED, -EACCES },
		{ SD_BUS_ERROR_INTERACTIVE_AUTHORIZATION_REQUIRED, -EACCES },
		{ SD_BUS_ERROR_NO_REPLY, -ETIMEDOUT }, /* it left the bus */
		{ SD_BUS_ERROR_TIMEOUT, -ETIMEDOUT },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(known); i++)
		if (sd_bus_error_has_name(e, known[i].name))
			return known[i].r;
	return -EIO;
}

static void call_refused(struct systemd1_call *c, const sd_bus_error *e)
{
	g_autofree char *text = NULL;
	int r = call_errno(e);

	if (r == -EOPNOTSUPP)
		text = g_strdup("there is no systemd on the bus");
	else if (r == -ETIMEDOUT)
		text = g_strdup("systemd did not answer in time");
	else
		text = g_strdup_printf("systemd refused it (%s)", e->message ?: e->name);
	call_end(c, r, text);
}

static int on_call_timeout(sd_event_source *source, uint64_t usec, void *userdata)
{
	call_end(userdata, -ETIMEDOUT, "systemd did not answer in time");
	return 0;
}

static int on_job_removed(sd_bus_message *m, void *userdata, sd_bus_error *error)
{
	const char *job, *unit, *result;
	struct systemd1_call *c = userdata;
	g_autofree char *text = NULL;
	uint32_t id;

	if (sd_bus_message_read(m, "uoss", &id, &job, &unit, &result) < 0 || !c->job ||
	    strcmp(job, c->job) != 0)
		return 0;
	if (strcmp(result, "done") == 0) {
		call_end(c, 0, NULL);
		return 0;
	}
	text = g_strdup_printf("%s could not be started (%s)", c->unit, result);
	call_end(c, -EIO, text);
	return 0;
}

/*
 * Without a handler of its own, sd-bus gives the connection up when a match is refused. PID 1 tells
 * us all the same; and the time of a job that nobody tells of runs out.
 */
static int on_job_matched(sd_bus_message *m, void *userdata, sd_bus_error *error)
{
	return 0;
}

static int on_job(sd_bus_message *m, void *userdata, sd_bus_error *error)
{
	const sd_bus_error *e = sd_bus_message_get_error(m);
	struct systemd1_call *c = userdata;
	const char *job;

	if (e)
		call_refused(c, e);
	else if (sd_bus_message_read_basic(m, 'o', &job) <= 0)
		call_end(c, -EIO, "systemd's answer is none");
	else
		c->job = g_strdup(job);
	return 0;
}

int systemd1_message(sd_bus *bus, const char *member, sd_bus_message **ret)
{
	g_autoptr(sd_bus_message) m = NULL;
	int r;

	r = sd_bus_message_new_method_call(bus, &m, SYSTEMD1, SYSTEMD1_PATH, SYSTEMD1_MANAGER,
					   member);
	if (r >= 0)
		r = sd_bus_message_set_auto_start(m, false);
	if (r < 0)
		return r;
	*ret = g_steal_pointer(&m);
	return 0;
}

static int call_send(sd_bus *bus, struct systemd1_call *c, sd_bus_message *m,
		     sd_bus_message_handler_t answered, uint64_t usec)
{
	int r;

	/* our own timer tells the same, and goes on after the answer */
	r = sd_bus_call_async(bus, &c->asked, m, answered, c, UINT64_MAX);
	if (r >= 0)
		r = sd_event_add_time_relative(sd_bus_get_event(bus), &c->timeout, CLOCK_MONOTONIC,
					       usec, 0, on_call_timeout, c);
	return r;
}

static int call_finish(struct systemd1_call *c, int r, struct systemd1_call **ret)
{
	if (r < 0) {
		systemd1_forget(c);
		return r;
	}
	*ret = c;
	return 0;
}

int systemd1_job(sd_bus *bus, sd_bus_message *m, const char *unit, uint64_t usec,
		 systemd1_done_t done, void *userdata, struct systemd1_call **ret)
{
	struct systemd1_call *c = g_new0(struct systemd1_call, 1);
	int r;

	c->done = done;
	c->userdata = userdata;
	c->unit = g_strdup(unit);
	/* before the call: the job may have ended before its reply is read */
	r = sd_bus_match_signal_async(bus, &c->removed, SYSTEMD1, SYSTEMD1_PATH, SYSTEMD1_MANAGER,
				      "JobRemoved", on_job_removed, on_job_matched, c);
	if (r >= 0)
		r = call_send(bus, c, m, on_job, usec);
	return call_finish(c, r, ret);
}

int systemd1_start_unit(sd_bus *bus, const char *unit, uint64_t usec, systemd1_done_t done,
			void *userdata, struct systemd1_call **ret)
{
	g_autoptr(sd_bus_message) m = NULL;
	int r;

	r = systemd1_message(bus, "StartUnit", &m);
	if (r >= 0)
		r = sd_bus_message_append(m, "ss", unit, "replace");
	return r < 0 ? r : systemd1_job(bus, m, unit, usec, done, userdata, ret);
}

/* --- what is no job --- */

static int on_plain_answer(sd_bus_message *m, void *userdata, sd_bus_error *error)
{
	const sd_bus_error *e = sd_bus_message_get_error(m);

	if (e)
		call_refused(userdata, e);
	else
		call_end(userdata, 0, NULL);
	return 0;
}

int systemd1_reload(sd_bus *bus, systemd1_done_t done, void *userdata, struct systemd1_call **ret)
{
	struct systemd1_call *c = g_new0(struct systemd1_call, 1);
	g_autoptr(sd_bus_message) m = NULL;
	int r;

	c->done = done;
	c->userdata = userdata;
	r = systemd1_message(bus, "Reload", &m);
	if (r >= 0)
		r = call_send(bus, c, m, on_plain_answer, SYSTEMD1_RELOAD_USEC);
	return call_finish(c, r, ret);
}

static int timer_read_is(sd_bus_message *m, const char *state, bool *ret)
{
	const char *text;
	int r;

	r = sd_bus_message_read(m, "v", "s", &text);
	*ret = r >= 0 && strcmp(text, state) == 0;
	return r;
}

static int timer_read_one(sd_bus_message *m, struct systemd1_timer *t, uint64_t *ret_monotonic_usec)
{
	const char *name;
	int r;

	r = sd_bus_message_read_basic(m, 's', &name);
	if (r < 0)
		return r;
	if (strcmp(name, "NextElapseUSecRealtime") == 0)
		return sd_bus_message_read(m, "v", "t", &t->next_usec);
	if (strcmp(name, "NextElapseUSecMonotonic") == 0)
		return sd_bus_message_read(m, "v", "t", ret_monotonic_usec);
	if (strcmp(name, "LastTriggerUSec") == 0)
		return sd_bus_message_read(m, "v", "t", &t->last_usec);
	if (strcmp(name, "ActiveState") == 0)
		return timer_read_is(m, "active", &t->active);
	if (strcmp(name, "SubState") == 0)
		return timer_read_is(m, "elapsed", &t->elapsed);
	return sd_bus_message_skip(m, "v");
}

/* A time of CLOCK_MONOTONIC that is to come, by the clock on the wall; 0: none. */
static uint64_t timer_real(uint64_t monotonic_usec)
{
	uint64_t now_usec = (uint64_t)g_get_monotonic_time();

	if (monotonic_usec <= now_usec || monotonic_usec == UINT64_MAX)
		return 0;
	return (uint64_t)g_get_real_time() + (monotonic_usec - now_usec);
}

static int timer_read(sd_bus_message *m, struct systemd1_timer *t)
{
	uint64_t monotonic_usec = 0, real_usec;
	int r;

	r = sd_bus_message_enter_container(m, 'a', "{sv}");
	while (r >= 0 && (r = sd_bus_message_enter_container(m, 'e', "sv")) > 0) {
		r = timer_read_one(m, t, &monotonic_usec);
		if (r >= 0)
			r = sd_bus_message_exit_container(m);
	}
	if (t->next_usec == UINT64_MAX)
		t->next_usec = 0; /* PID 1's word for never */
	real_usec = timer_real(monotonic_usec);
	if (real_usec && (!t->next_usec || real_usec < t->next_usec))
		t->next_usec = real_usec;
	return r < 0 ? -EIO : 0;
}

static int on_timer(sd_bus_message *m, void *userdata, sd_bus_error *error)
{
	const sd_bus_error *e = sd_bus_message_get_error(m);
	struct systemd1_call *c = userdata;
	systemd1_timer_t done = c->timer_done;
	struct systemd1_timer t = { 0 };
	void *told = c->userdata;
	int r;

	if (e) {
		call_refused(c, e);
		return 0;
	}
	r = timer_read(m, &t);
	systemd1_forget(c);
	done(r, r < 0 ? NULL : &t, told);
	return 0;
}

int systemd1_get_timer(sd_bus *bus, const char *unit, systemd1_timer_t done, void *userdata,
		       struct systemd1_call **ret)
{
	struct systemd1_call *c = g_new0(struct systemd1_call, 1);
	g_autoptr(sd_bus_message) m = NULL;
	g_autofree char *path = NULL;
	int r;

	c->timer_done = done;
	c->userdata = userdata;
	r = sd_bus_path_encode(SYSTEMD1_PATH "/unit", unit, &path);
	if (r >= 0)
		r = sd_bus_message_new_method_call(bus, &m, SYSTEMD1, path,
						   "org.freedesktop.DBus.Properties", "GetAll");
	if (r >= 0)
		r = sd_bus_message_set_auto_start(m, false);
	if (r >= 0)
		r = sd_bus_message_append(m, "s", ""); /* of all its interfaces */
	if (r >= 0)
		r = call_send(bus, c, m, on_timer, SYSTEMD1_GET_USEC);
	return call_finish(c, r, ret);
}

void systemd1_kill_unit(sd_bus *bus, const char *unit, const char *whom, int signo)
{
	g_autoptr(sd_bus_message) m = NULL;
	int r;

	r = systemd1_message(bus, "KillUnit", &m);
	if (r >= 0)
		r = sd_bus_message_append(m, "ssi", unit, whom, (int32_t)signo);
	if (r >= 0)
		r = sd_bus_message_set_expect_reply(m, false);
	if (r >= 0)
		(void)sd_bus_send(bus, m, NULL); /* a bus that is lost: whoever waits has a timer */
}

/* --- at the start --- */

static int clear_read(sd_bus *bus, sd_bus_message *list)
{
	const char *name;
	int r, n = 0;

	r = sd_bus_message_enter_container(list, 'a', "(ssssssouso)");
	while (r >= 0 && (r = sd_bus_message_read(list, "(ssssssouso)", &name, NULL, NULL, NULL,
						  NULL, NULL, NULL, NULL, NULL, NULL)) > 0) {
		systemd1_kill_unit(bus, name, "all", SIGKILL);
		n++;
	}
	return r < 0 ? r : n;
}

int systemd1_clear(sd_bus *bus, const char *const *patterns)
{
	g_autoptr(sd_bus_message) m = NULL;
	g_autoptr(sd_bus_message) list = NULL;
	g_auto(sd_bus_error) e = SD_BUS_ERROR_NULL;
	int r;

	r = systemd1_message(bus, "ListUnitsByPatterns", &m);
	if (r >= 0)
		r = sd_bus_message_append_strv(m, NULL); /* in any state */
	if (r >= 0)
		r = sd_bus_message_append_strv(m, (char **)patterns);
	if (r < 0)
		return r;
	if (sd_bus_call(bus, m, SYSTEMD1_CLEAR_USEC, &e, &list) < 0)
		return call_errno(&e);
	return clear_read(bus, list);
}
