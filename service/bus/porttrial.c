/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One test at a time, and none while something measures: it holds the machine's lock, which
 * sessions of this and of other daemons wait for. The call is kept and answered when the test has
 * ended; in between the module may have to be loaded. When nobody is left to be answered the test
 * is broken off, so that the machine is free.
 */
#include "porttrial.h"

#include "cleanup-bus.h"
#include "cleanup.h"
#include "dict.h"
#include "duration.h"
#include "errors.h"
#include "leaver.h"
#include "log.h"
#include "module.h"
#include "options.h"
#include "portjob.h"
#include "ports.h"
#include <errno.h>
#include <string.h>

struct porttrial {
	struct bus *bus;
	char *name;
	struct porttest_plan plan;
	sd_bus_message *call; /* NULL: not begun */
	fd_t lock;	      /* of the machine; -1: not held */
	bool role;	      /* the port is said to be ours */
	bool left;	      /* the caller, the bus */
	struct leaver *leaver;
	struct portjob *job;
};

static const struct option_spec trial_options[] = { { "pulses", 'u' },
						    { "interval", 's' },
						    { NULL } };

struct porttrial *porttrial_free(struct porttrial *t)
{
	if (!t)
		return NULL;
	leaver_free(t->leaver);
	portjob_free(t->job);
	if (t->role)
		ports_set_role(t->bus->model.ports, t->name, NULL);
	fd_close(t->lock);
	sd_bus_message_unref(t->call);
	g_free(t->name);
	g_free(t);
	return NULL;
}

static void trial_drop(gpointer data)
{
	porttrial_free(data);
}

/* --- the answer --- */

static int trial_append_latencies(sd_bus_message *m, const struct porttest_run *run)
{
	uint64_t samples = run->counters.samples;
	int r;

	if (samples == 0)
		return 0;
	r = dict_u64(m, "min_ns", run->min_ns);
	if (r >= 0)
		r = dict_u64(m, "avg_ns", run->sum_ns / samples);
	return r < 0 ? r : dict_u64(m, "max_ns", run->max_ns);
}

static int trial_append_run(sd_bus_message *m, const struct porttest_result *t)
{
	const struct lrtbf_counters *c = &t->run.counters;
	const struct {
		const char *key;
		uint64_t value;
	} counts[] = {
		{ "pulses", c->pulses },
		{ "answers", c->samples },
		{ "lost", c->lost },
		{ "late", c->late },
		{ "strays", c->strays },
		{ "interrupts", c->interrupts },
		{ "access_ns", t->run.caps.access_ns },
	};
	bool logger = t->setup.role == LRTBF_ROLE_LOGGER;
	int r;

	r = dict_string(m, "role", logger ? "logger" : "loopback");
	if (r >= 0 && logger)
		r = dict_string(m, "receive",
				t->setup.receive == LRTBF_RECEIVE_POLL ? "poll" : "irq");
	for (size_t i = 0; r >= 0 && i < G_N_ELEMENTS(counts); i++)
		r = dict_u64(m, counts[i].key, counts[i].value);
	return r < 0 ? r : trial_append_latencies(m, &t->run);
}

static int trial_reply(sd_bus_message *call, const struct porttest_result *t)
{
	g_autoptr(sd_bus_message) reply = NULL;
	int r;

	r = sd_bus_message_new_method_return(call, &reply);
	if (r >= 0)
		r = sd_bus_message_open_container(reply, 'a', "{sv}");
	if (r >= 0)
		r = dict_string(reply, "verdict", porttest_verdict_to_string(t->verdict));
	if (r >= 0)
		r = dict_string(reply, "text", t->text);
	if (r >= 0 && t->setup.role)
		r = trial_append_run(reply, t);
	if (r >= 0)
		r = sd_bus_message_close_container(reply);
	return r < 0 ? r : sd_bus_send(NULL, reply, NULL);
}

/* The end of every test that was begun: @result, or an error. Frees it. */
static void trial_end(struct porttrial *t, int r, const struct porttest_result *result,
		      const char *message)
{
	sd_bus_error error = SD_BUS_ERROR_NULL;

	if (r >= 0)
		r = trial_reply(t->call, result);
	if (r < 0) {
		(void)bus_error_set(&error, r, message);
		bus_reply_error(t->call, &error);
		sd_bus_error_free(&error);
	}
	if (t->bus->trial == t)
		t->bus->trial = NULL;
	porttrial_free(t);
}

static void trial_end_with(struct porttrial *t, struct porttest_result *result)
{
	trial_end(t, 0, result, NULL);
	porttest_done(result);
}

/* --- the test --- */

static void on_trial_job(int r, const struct porttest_result *result, const char *message,
			 void *userdata)
{
	trial_end(userdata, r, result, message);
}

/* The module is there, as far as it can be. @why: half a sentence about why it is not. */
static void trial_run(struct porttrial *t, const char *why)
{
	struct ports *ports = t->bus->model.ports;
	const struct port *p = ports_find(ports, t->name);
	struct porttest_result result = { 0 };
	int r;

	if (t->left) {
		trial_end(t, -ECANCELED, NULL, "Who asked for the test has left.");
		return;
	}
	if (!p || p->state == PORT_ABSENT) {
		trial_end(t, -ENODEV, NULL, "The port was taken away.");
		return;
	}
	if (!p->node) {
		porttest_no_module(t->name, why, &result);
		trial_end_with(t, &result);
		return;
	}
	r = portjob_new(sd_bus_get_event(t->bus->bus), &t->plan, p->node, on_trial_job, t, &t->job);
	if (r < 0) {
		trial_end(t, r, NULL, "The test could not be begun.");
		return;
	}
	t->role = true;
	ports_set_role(ports, t->name, "test");
}

/* What waits for the module sees it then. */
static void on_trial_left(void *userdata)
{
	struct porttrial *t = userdata;

	t->left = true;
	if (t->job)
		portjob_stop(t->job);
}

static void trial_watch_caller(struct porttrial *t)
{
	int r = leaver_new(t->call, on_trial_left, t, &t->leaver);

	if (r < 0)
		log_warning("Whether who tests %s leaves the bus cannot be seen, ignoring: %s",
			    t->name, g_strerror(-r));
}

static void on_trial_module(int r, const char *message, void *userdata)
{
	struct porttrial *t = userdata;

	ports_read(t->bus->model.ports);
	t->bus->trial = t;
	trial_run(t, r < 0 ? message : "although it was loaded");
}

static void trial_load_module(struct porttrial *t)
{
	const char *why;

	/* it belongs to who waits for the module meanwhile */
	t->bus->trial = NULL;
	if (module_load(t->bus, on_trial_module, t, trial_drop, &why) < 0) {
		t->bus->trial = t;
		trial_run(t, why);
	}
}

static void trial_begin(struct porttrial *t, const struct port *p)
{
	struct porttest_result result = { 0 };

	t->bus->trial = t;
	if (p->state == PORT_BUSY || p->state == PORT_MEASURING) {
		porttest_busy(t->name, p->holder, &result);
		trial_end_with(t, &result);
	} else if (p->node) {
		trial_run(t, NULL);
	} else {
		trial_load_module(t);
	}
}

static int trial_go(sd_bus_message *call, uid_t caller, void *data, sd_bus_error *error)
{
	struct porttrial *asked = data, *t;
	struct bus *b = asked->bus;
	g_autofree char *message = NULL;
	const struct port *p;
	fd_t lock = -1;
	int r;

	ports_refresh(b->model.ports);
	p = ports_find(b->model.ports, asked->name);
	if (!p || p->state == PORT_ABSENT)
		return bus_error_setf(error, ENODEV, "There is no parallel port %s any more.",
				      asked->name);
	r = sessions_take_machine(b->model.sessions, &lock, &message);
	if (r < 0)
		return bus_error_set(error, r, message);
	/* @asked is freed when this returns */
	t = g_new0(struct porttrial, 1);
	t->bus = b;
	t->name = g_strdup(asked->name);
	t->plan = asked->plan;
	t->plan.port = t->name;
	t->call = sd_bus_message_ref(call);
	t->lock = lock;
	trial_watch_caller(t);
	trial_begin(t, p);
	return 0;
}

static int trial_read(sd_bus_message *m, struct porttest_plan *plan, sd_bus_error *error)
{
	g_autoptr(json_t) options = NULL;
	g_autofree char *message = NULL;
	const char *interval;
	int r;

	r = options_read(m, trial_options, &options, error);
	if (r < 0)
		return r;
	plan->pulses = (uint32_t)options_integer(options, "pulses", PORTTEST_PULSES);
	plan->interval_ns = PORTTEST_INTERVAL_NS;
	interval = options_string(options, "interval");
	if (interval && duration_parse(interval, 0, &plan->interval_ns, &message) < 0)
		return bus_error_set(error, EINVAL, message);
	r = porttest_check(plan, &message);
	return r < 0 ? bus_error_set(error, r, message) : 0;
}

int porttrial_method_test(sd_bus_message *m, void *userdata, sd_bus_error *error)
{
	const struct port_view *v = userdata;
	struct porttrial *t = g_new0(struct porttrial, 1);
	struct authority_request request = {
		.action = ACTION_MEASURE,
		.owner = AUTHORITY_NO_OWNER,
		.then = trial_go,
		.data = t,
		.free = trial_drop,
	};
	int r;

	t->bus = v->bus;
	t->lock = -1;
	t->name = g_strdup(v->port->name);
	t->plan.port = t->name;
	r = trial_read(m, &t->plan, error);
	if (r < 0) {
		porttrial_free(t);
		return r;
	}
	return authority_check(t->bus->authority, m, &request, error);
}
