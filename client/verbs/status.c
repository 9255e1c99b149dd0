/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Asked by monitoring every few minutes: it never starts the service, neither by the name on the
 * bus (NameHasOwner first, then calls that do not activate) nor by anything else. A session that
 * was skipped measured nothing and does not count as the newest; a plan whose sessions are all
 * skipped goes stale instead.
 */
#include "args.h"
#include "client.h"
#include "duration.h"
#include "plans.h"
#include "session.h"
#include "statusmetrics.h"
#include "text.h"
#include <string.h>

static int status_check_running(struct client *c)
{
	sd_bus_error e = SD_BUS_ERROR_NULL;
	sd_bus_message *reply = NULL;
	int owned = 0, r = client_open(c);

	if (r)
		return r;
	r = sd_bus_call_method(c->bus, "org.freedesktop.DBus", "/org/freedesktop/DBus",
			       "org.freedesktop.DBus", "NameHasOwner", &e, &reply, "s",
			       CLIENT_SERVICE);
	if (r >= 0)
		r = sd_bus_message_read(reply, "b", &owned);
	r = r < 0 ? client_fail(&e, r) : OUTCOME_DONE;
	sd_bus_message_unref(reply);
	sd_bus_error_free(&e);
	if (r || owned)
		return r;
	say("lrtbfd is not running.");
	return OUTCOME_NO_DAEMON;
}

/* The newest that has ended and measured, of @plan (NULL: any). *ret NULL: there is none. */
static int status_newest(struct client *c, const char *plan, json_t **ret)
{
	json_t *filter = json_pack("{s:s}", "state", "done,stopped,failed,interrupted"), *page;
	g_autofree char *next = NULL;
	int r = plan ? client_check_text(plan) : OUTCOME_DONE;

	if (plan && !r)
		json_object_set_new(filter, "plan", json_string(plan));
	if (!r)
		r = session_list_page(c, filter, "", 1, &page, &next);
	json_decref(filter);
	if (r)
		return r;
	*ret = json_incref(json_array_get(page, 0));
	json_decref(page);
	return OUTCOME_DONE;
}

/* --- the service as a whole --- */

static int status_active(struct client *c, const char *path, json_t **ret)
{
	json_t *properties;
	int r;

	*ret = NULL;
	if (strlen(path) < 2)
		return OUTCOME_DONE;
	r = client_properties(c, path, CLIENT_SESSION, &properties);
	if (r)
		return r;
	*ret = session_properties_json(path, properties);
	json_decref(properties);
	return OUTCOME_DONE;
}

static void status_line(GString *out, const struct client *c, const char *key, const char *value)
{
	g_autofree char *clean = text_clean(value, c->terminal.utf8);

	g_string_append_printf(out, "%8s: %s\n", key, clean);
}

static void status_print_active(GString *out, const struct client *c, const json_t *s)
{
	const char *stage = field_text(s, "stage");
	g_autofree char *text = NULL;

	if (!json_is_object(s)) {
		status_line(out, c, "Active", "none");
		return;
	}
	text = g_strdup_printf("%s (%s), %s%s%s, %d %%", field_text(s, "id"), field_text(s, "plan"),
			       field_text(s, "state"), *stage ? ", stage " : "", stage,
			       (int)(CLAMP(field_real(s, "progress", 0), 0, 1) * 100));
	status_line(out, c, "Active", text);
}

static void status_print_last(GString *out, const struct client *c, const json_t *s)
{
	g_autofree char *when = NULL, *text = NULL;
	const char *verdict, *reason;

	if (!json_is_object(s)) {
		status_line(out, c, "Last", "none");
		return;
	}
	verdict = field_text(s, "verdict");
	reason = field_text(s, "reason");
	when = text_time(MAX(session_ended_usec(s), 0));
	text = g_strdup_printf("%s (%s), %s, verdict %s, ended %s", field_text(s, "id"),
			       field_text(s, "plan"), field_text(s, "state"),
			       *verdict ? verdict : "none", when);
	status_line(out, c, "Last", text);
	if (*reason)
		status_line(out, c, "Reason", reason);
}

static void status_print(struct client *c, const json_t *status)
{
	g_autoptr(GString) out = g_string_new(NULL);
	g_autofree char *kernel = NULL, *queue = NULL;

	kernel = g_strdup_printf("%s%s", field_text(status, "kernel_release"),
				 field_true(status, "realtime") ? ", PREEMPT_RT" : "");
	queue = g_strdup_printf("%d waiting", (int)field_number(status, "queue_length", 0));
	status_line(out, c, "lrtbfd", field_text(status, "version"));
	status_line(out, c, "Kernel", kernel);
	status_print_active(out, c, json_object_get(status, "active"));
	status_line(out, c, "Queue", queue);
	status_print_last(out, c, json_object_get(status, "last"));
	if (*field_text(status, "trouble"))
		status_line(out, c, "Trouble", field_text(status, "trouble"));
	client_print(c, out);
}

static json_t *status_or_null(json_t *j)
{
	return j ? json_incref(j) : json_null();
}

/* *ret: what --json prints, json_decref(). An outcome; OUTCOME_ERROR with *ret: there is trouble.
 */
static int status_read(struct client *c, json_t **ret)
{
	json_t *m, *active = NULL, *last = NULL;
	int r = client_properties(c, CLIENT_PATH, CLIENT_MANAGER, &m);

	if (r)
		return r;
	r = status_active(c, field_text(m, "ActiveSession"), &active);
	if (!r)
		r = status_newest(c, NULL, &last);
	if (r) {
		json_decref(active);
		json_decref(m);
		return r;
	}
	*ret = json_pack("{s:O?, s:O?, s:O?, s:O?, s:s, s:o, s:o}", "version",
			 json_object_get(m, "Version"), "kernel_release",
			 json_object_get(m, "KernelRelease"), "realtime",
			 json_object_get(m, "Realtime"), "queue_length",
			 json_object_get(m, "QueueLength"), "trouble", field_text(m, "Trouble"),
			 "active", status_or_null(active), "last", status_or_null(last));
	r = *field_text(m, "Trouble") ? OUTCOME_ERROR : OUTCOME_DONE;
	json_decref(active);
	json_decref(last);
	json_decref(m);
	return r;
}

static int status_service(struct client *c)
{
	json_t *status = NULL;
	int r = status_read(c, &status);

	if (!status)
		return r;
	if (c->json) {
		client_print_json(status);
		return r;
	}
	status_print(c, status);
	json_decref(status);
	return r;
}

/* --- one plan, for monitoring --- */

struct status_plan {
	const char *plan;
	json_t *session; /* NULL: none yet */
	int64_t age_ns;	 /* since its end; -1: none */
	bool stale;
	const char *result; /* "missing", "stale", its verdict, or its state when not done */
	int outcome;
};

static void status_judge(struct status_plan *p, uint64_t max_age_ns)
{
	int64_t ended, now = g_get_real_time();
	const char *state, *verdict;

	p->age_ns = -1;
	if (!p->session) {
		p->result = "missing";
		p->outcome = OUTCOME_INCONCLUSIVE;
		return;
	}
	/* An end in the future (the clock was set back) is as new as can be. */
	ended = session_ended_usec(p->session);
	p->age_ns = ended > 0 ? MIN(MAX(now - ended, 0), INT64_MAX / 1000) * 1000 : INT64_MAX;
	state = field_text(p->session, "state");
	verdict = field_text(p->session, "verdict");
	p->stale = (uint64_t)p->age_ns > max_age_ns;
	if (p->stale) {
		p->result = "stale";
		p->outcome = OUTCOME_INCONCLUSIVE;
		return;
	}
	if (strcmp(state, "done") != 0)
		p->result = state;
	else
		p->result = *verdict ? verdict : "none";
	p->outcome = outcome_of_session(state, verdict);
}

static void status_print_plan(struct client *c, const struct status_plan *p)
{
	g_autoptr(GString) out = g_string_new(NULL);
	g_autofree char *age = NULL, *line = NULL, *clean = NULL;

	if (!p->session) {
		line = g_strdup_printf("%s: missing: no session of this plan has ended", p->plan);
	} else {
		age = p->age_ns == INT64_MAX ? g_strdup("an unknown time")
					     : text_span(p->age_ns / 1000000000 * 1000000000);
		line = g_strdup_printf("%s: %s: %s, ended %s ago, verdict %s", p->plan, p->result,
				       field_text(p->session, "id"), age,
				       *field_text(p->session, "verdict")
					       ? field_text(p->session, "verdict")
					       : "none");
	}
	clean = text_clean(line, c->terminal.utf8);
	g_string_append_printf(out, "%s\n", clean);
	client_print(c, out);
}

static int status_plan(struct client *c, const char *plan, uint64_t max_age_ns)
{
	struct status_plan p = { .plan = plan };
	int r = status_newest(c, plan, &p.session);

	if (r)
		return r;
	status_judge(&p, max_age_ns);
	if (c->json) {
		json_t *age = p.age_ns < 0 || p.age_ns == INT64_MAX ? json_null()
								    : json_integer(p.age_ns);

		client_print_json(json_pack("{s:s, s:s, s:b, s:o, s:o}", "plan", plan, "result",
					    p.result, "stale", p.stale, "age_ns", age, "session",
					    status_or_null(p.session)));
	} else {
		status_print_plan(c, &p);
	}
	json_decref(p.session);
	return p.outcome;
}

/* --- gauges --- */

/* Without the service there is one gauge, which says so. */
static int status_metrics_down(struct client *c, int outcome)
{
	g_autoptr(GString) out = g_string_new(NULL);

	statusmetrics_append(out, NULL, NULL, 0);
	client_print(c, out);
	return outcome;
}

/* Names of all plans, or @plan's alone. */
static int status_metrics_names(struct client *c, const char *plan, GPtrArray *names)
{
	json_t *plans, *p;
	size_t i;
	int r;

	if (plan) {
		g_ptr_array_add(names, g_strdup(plan));
		return OUTCOME_DONE;
	}
	r = plans_read(c, &plans);
	if (r)
		return r;
	json_array_foreach (plans, i, p)
		g_ptr_array_add(names, g_strdup(field_text(p, "name")));
	json_decref(plans);
	return OUTCOME_DONE;
}

/* *ret_outcome: of the last one. */
static int status_metrics_judge(struct client *c, const GPtrArray *names, uint64_t max_age_ns,
				struct statusmetrics_plan *plans, int *ret_outcome)
{
	for (guint i = 0; i < names->len; i++) {
		struct status_plan p = { .plan = names->pdata[i] };
		int r = status_newest(c, p.plan, &p.session);

		if (r)
			return r;
		status_judge(&p, max_age_ns);
		plans[i] = (struct statusmetrics_plan){
			.plan = p.plan,
			.session = p.session,
			.age_ns = p.age_ns,
			.good = p.outcome == OUTCOME_DONE,
		};
		*ret_outcome = p.outcome;
	}
	return OUTCOME_DONE;
}

static int status_metrics(struct client *c, const char *plan, uint64_t max_age_ns)
{
	g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
	g_autofree struct statusmetrics_plan *plans = NULL;
	g_autoptr(GString) out = g_string_new(NULL);
	json_t *status = NULL;
	int r = status_read(c, &status), outcome = OUTCOME_DONE, failed = 0;

	if (!status)
		return status_metrics_down(c, r);
	failed = status_metrics_names(c, plan, names);
	plans = g_new0(struct statusmetrics_plan, names->len);
	if (!failed)
		failed = status_metrics_judge(c, names, max_age_ns, plans, &outcome);
	if (!failed) {
		statusmetrics_append(out, status, plans, names->len);
		client_print(c, out);
	}
	for (guint i = 0; i < names->len; i++)
		json_decref((json_t *)plans[i].session);
	json_decref(status);
	if (failed)
		return status_metrics_down(c, failed);
	return plan ? outcome : r;
}

/* Who watches sees standard output alone. */
static int status_unknown(struct client *c, const char *plan, int outcome)
{
	g_autoptr(GString) out = g_string_new(NULL);
	g_autofree char *clean = text_clean(plan, c->terminal.utf8);

	g_string_printf(out, "%s: unknown: lrtbfd cannot be asked\n", clean);
	if (!c->json)
		client_print(c, out);
	return outcome;
}

/* For who completes a command line: the names alone, asked of nobody. */
static int status_formats(struct client *c)
{
	g_autoptr(GString) out = g_string_new("text\njson\nopenmetrics\n");

	client_print(c, out);
	return OUTCOME_DONE;
}

static int status_run(struct client *c, const struct args *a)
{
	const char *plan = args_value(a, "plan"), *max_age = args_value(a, "max-age");
	const char *format = args_value(a, "format");
	bool metrics = g_strcmp0(format, "openmetrics") == 0;
	g_autofree char *message = NULL;
	uint64_t max_age_ns = UINT64_MAX;
	int r;

	if (g_strcmp0(format, "help") == 0)
		return status_formats(c);
	if (format && !metrics && strcmp(format, "text") != 0 && strcmp(format, "json") != 0)
		return say_usage("--format: text, json or openmetrics.");
	if (c->json && format && strcmp(format, "json") != 0)
		return say_usage("--json contradicts --format=%s.", format);
	c->json = c->json || g_strcmp0(format, "json") == 0;

	if (max_age && !plan)
		return say_usage("--max-age goes with --plan.");
	if (max_age && duration_parse(max_age, 0, &max_age_ns, &message) < 0)
		return say_usage("--max-age: %s", message);
	c->no_start = true;
	r = status_check_running(c);
	if (metrics)
		return r ? status_metrics_down(c, r) : status_metrics(c, plan, max_age_ns);
	if (r)
		return plan ? status_unknown(c, plan, r) : r;
	return plan ? status_plan(c, plan, max_age_ns) : status_service(c);
}

static const struct option_spec status_options[] = {
	{ "plan", 0, "PLAN", "Only whether this plan's newest session is good" },
	{ "max-age", 0, "TIME", "and not older than this: 26h" },
	{ "format", 0, "FORMAT", "text, json, or openmetrics: gauges for Prometheus" },
	{ NULL },
};

const struct verb verb_status = {
	.name = "status",
	.operands = "",
	.help = "Show the service, or a plan's newest result; never starts the service",
	.options = status_options,
	.run = status_run,
};
