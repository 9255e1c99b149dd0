/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "schedule.h"

#include "duration.h"
#include "text.h"
#include <string.h>

static void schedule_complete(json_t *schedule)
{
	static const char *const keys[] = { "plan",	   "schedule",	   "enabled",
					    "persistent",  "on_boot_ns",   "start_within_ns",
					    "timer",	   "active",	   "next_usec",
					    "last_usec",   "last_session", "last_state",
					    "last_verdict" };

	for (size_t i = 0; i < G_N_ELEMENTS(keys); i++)
		if (!json_object_get(schedule, keys[i]))
			json_object_set_new(schedule, keys[i], json_null());
}

int schedule_read(struct client *c, json_t **ret)
{
	json_t *reply;
	int r = client_call(c, CLIENT_PATH, CLIENT_MANAGER, "GetSchedule", &reply, "a{sv}", 0);

	if (r)
		return r;
	*ret = json_incref(json_array_get(reply, 0));
	json_decref(reply);
	for (size_t i = 0; i < json_array_size(*ret); i++)
		schedule_complete(json_array_get(*ret, i));
	return OUTCOME_DONE;
}

const json_t *schedule_find(const json_t *schedules, const char *plan)
{
	for (size_t i = 0; i < json_array_size(schedules); i++) {
		const json_t *s = json_array_get(schedules, i);

		if (strcmp(field_text(s, "plan"), plan) == 0)
			return s;
	}
	return NULL;
}

char *schedule_when(const json_t *schedule)
{
	const char *when = field_text(schedule, "schedule");
	int64_t boot_ns = field_number(schedule, "on_boot_ns", 0);
	g_autofree char *boot = boot_ns > 0 ? duration_format((uint64_t)boot_ns) : NULL;

	if (!*when && !boot)
		return g_strdup("");
	return g_strdup_printf("%s%s%s%s%s", field_true(schedule, "enabled") ? "" : "off: ", when,
			       *when && boot ? "; " : "", boot ?: "", boot ? " after boot" : "");
}

/* --- one of them, for people --- */

static void schedule_line(GString *out, const struct client *c, const char *key, const char *value)
{
	g_autofree char *clean = text_clean(value, c->terminal.utf8);

	g_string_append_printf(out, "%8s: %s\n", key, clean);
}

static void schedule_line_time(GString *out, const struct client *c, const char *key,
			       const json_t *schedule, const char *field)
{
	int64_t usec = field_number(schedule, field, 0);
	g_autofree char *time = usec > 0 ? text_time((uint64_t)usec) : NULL;

	if (time)
		schedule_line(out, c, key, time);
}

static void schedule_print(struct client *c, const json_t *s)
{
	g_autoptr(GString) out = g_string_new(NULL);
	g_autofree char *when = schedule_when(s);
	int64_t within_ns = field_number(s, "start_within_ns", 0);

	schedule_line(out, c, "Plan", field_text(s, "plan"));
	schedule_line(out, c, "Schedule", *when ? when : "none");
	if (within_ns > 0) {
		g_autofree char *within = duration_format((uint64_t)within_ns);

		schedule_line(out, c, "Within", within);
	}
	if (field_has(s, "active"))
		schedule_line(out, c, "Timer",
			      field_true(s, "active") ? field_text(s, "timer") : "not running");
	schedule_line_time(out, c, "Next", s, "next_usec");
	schedule_line_time(out, c, "Last", s, "last_usec");
	if (field_has(s, "last_session")) {
		g_autofree char *last =
			g_strdup_printf("%s, %s, verdict %s", field_text(s, "last_session"),
					field_text(s, "last_state"), field_text(s, "last_verdict"));

		schedule_line(out, c, "Session", last);
	}
	client_print(c, out);
}

int schedule_show(struct client *c, json_t *schedule)
{
	if (c->json)
		return client_print_json(schedule);
	schedule_print(c, schedule);
	json_decref(schedule);
	return OUTCOME_DONE;
}

/* --- setting it --- */

static int schedule_message(struct client *c, const char *plan, const char *schedule,
			    client_fill_t fill, const void *data, sd_bus_message **ret)
{
	sd_bus_message *m = NULL;
	int r = client_check_text(plan);

	if (!r)
		r = client_check_text(schedule);
	if (!r)
		r = client_message(c, CLIENT_PATH, CLIENT_MANAGER, "SetSchedule", &m);
	if (r)
		return r;
	r = sd_bus_message_append(m, "ss", plan, schedule);
	r = r < 0 ? client_fail(NULL, r) : client_append_options(m, fill, data);
	if (r) {
		sd_bus_message_unref(m);
		return r;
	}
	*ret = m;
	return OUTCOME_DONE;
}

int schedule_set(struct client *c, const char *plan, const char *schedule, client_fill_t fill,
		 const void *data)
{
	sd_bus_message *m;
	json_t *reply, *set;
	int r = schedule_message(c, plan, schedule, fill, data, &m);

	if (r)
		return r;
	client_may_ask(c);
	r = client_send(c, m, &reply);
	sd_bus_message_unref(m);
	if (r)
		return r;
	set = json_incref(json_array_get(reply, 0));
	json_decref(reply);
	schedule_complete(set);
	if (*field_text(set, "note") && !c->json)
		say("%s", field_text(set, "note"));
	return schedule_show(c, set);
}

static int schedule_fill_enabled(sd_bus_message *m, const void *data)
{
	return client_append_flag(m, "enabled", *(const bool *)data);
}

int schedule_enable(struct client *c, const char *plan, bool on)
{
	return schedule_set(c, plan, "", schedule_fill_enabled, &on);
}
