/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * org.lrtbf1.Manager at /org/lrtbf1. A handler reads its arguments, asks authority when something
 * changes, calls the model once and answers.
 */
#include "bus-internal.h"

#include "changedict.h"
#include "cleanup-bus.h"
#include "compare.h"
#include "config.h"
#include "delete.h"
#include "dict.h"
#include "errors.h"
#include "importing.h"
#include "irqs.h"
#include "log.h"
#include "options.h"
#include "page.h"
#include "plancheck.h"
#include "rendering.h"
#include "reply.h"
#include "schedule.h"
#include "setschedule.h"
#include "start.h"
#include "trending.h"
#include <errno.h>
#include <string.h>

#define MANAGER_WORD_MAX 256 /* ids, words for them */

static int method_get_session(sd_bus_message *m, void *userdata, sd_bus_error *error)
{
	g_autofree char *message = NULL, *id = NULL, *path = NULL;
	struct bus *b = userdata;
	const char *word;
	int r;

	r = sd_bus_message_read_basic(m, 's', &word);
	if (r < 0)
		return bus_error_argument(error, r);
	if (strlen(word) > MANAGER_WORD_MAX)
		return bus_error_setf(error, ENOENT, "There is no session \"%.32s...\".", word);
	r = sessions_resolve(b->model.sessions, word, &id, &message);
	if (r < 0)
		return bus_error_set(error, r, message);
	path = session_path(id);
	r = sd_bus_reply_method_return(m, "o", path);
	return r < 0 ? bus_error_set(error, r, NULL) : 1;
}

/* Plans and the system */

static int method_check_system(sd_bus_message *m, void *userdata, sd_bus_error *error)
{
	g_autoptr(GPtrArray) findings = NULL;
	struct bus *b = userdata;
	int r;

	r = options_read_none(m, error);
	if (r < 0)
		return r;
	findings = sessions_check_system(b->model.sessions);
	return reply_list(m, dict_findings, findings, NULL, error);
}

static int reload_go(sd_bus_message *call, uid_t caller, void *data, sd_bus_error *error)
{
	struct bus *b = data;

	return plancheck_answer(b, call, b->model.reload(b->model.userdata), error);
}

static int method_reload(sd_bus_message *m, void *userdata, sd_bus_error *error)
{
	struct bus *b = userdata;
	struct authority_request request = {
		.action = ACTION_CONFIGURE,
		.owner = AUTHORITY_NO_OWNER,
		.then = reload_go,
		.data = b,
	};
	int r;

	r = options_read_none(m, error);
	return r < 0 ? r : authority_check(b->authority, m, &request, error);
}

/* Properties */

static int property_version(sd_bus *bus, const char *path, const char *interface,
			    const char *property, sd_bus_message *reply, void *userdata,
			    sd_bus_error *error)
{
	return sd_bus_message_append_basic(reply, 's', LRTBFD_VERSION);
}

static int property_kernel_release(sd_bus *bus, const char *path, const char *interface,
				   const char *property, sd_bus_message *reply, void *userdata,
				   sd_bus_error *error)
{
	const struct bus *b = userdata;

	return dict_text(reply, b->kernel_release ?: "");
}

static int property_realtime(sd_bus *bus, const char *path, const char *interface,
			     const char *property, sd_bus_message *reply, void *userdata,
			     sd_bus_error *error)
{
	const struct bus *b = userdata;
	int realtime = b->realtime;

	return sd_bus_message_append_basic(reply, 'b', &realtime);
}

static int property_active_session(sd_bus *bus, const char *path, const char *interface,
				   const char *property, sd_bus_message *reply, void *userdata,
				   sd_bus_error *error)
{
	const struct bus *b = userdata;
	const struct session *active = sessions_active(b->model.sessions);
	g_autofree char *active_path = active ? session_path(session_result(active)->id) : NULL;

	return sd_bus_message_append_basic(reply, 'o', active_path ?: "/");
}

static int property_queue_length(sd_bus *bus, const char *path, const char *interface,
				 const char *property, sd_bus_message *reply, void *userdata,
				 sd_bus_error *error)
{
	const struct bus *b = userdata;
	uint32_t length = sessions_queue_length(b->model.sessions);

	return sd_bus_message_append_basic(reply, 'u', &length);
}

static const char *manager_format_name(size_t i)
{
	return report_formats[i] ? report_formats[i]->name : NULL;
}

static int property_formats(sd_bus *bus, const char *path, const char *interface,
			    const char *property, sd_bus_message *reply, void *userdata,
			    sd_bus_error *error)
{
	return rendering_append_formats(reply, manager_format_name);
}

static int property_trouble(sd_bus *bus, const char *path, const char *interface,
			    const char *property, sd_bus_message *reply, void *userdata,
			    sd_bus_error *error)
{
	const struct bus *b = userdata;

	return dict_text(reply, store_trouble(b->model.store) ?: "");
}

static const sd_bus_vtable manager_vtable[] = {
	SD_BUS_VTABLE_START(0),
	SD_BUS_METHOD_WITH_ARGS("StartSession", SD_BUS_ARGS("s", plan, "a{sv}", options),
				SD_BUS_RESULT("s", id, "o", session), start_method_start_session,
				SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_METHOD_WITH_ARGS("ListSessions",
				SD_BUS_ARGS("a{sv}", filter, "s", cursor, "u", limit),
				SD_BUS_RESULT("aa{sv}", sessions, "s", next),
				page_method_list_sessions, SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_METHOD_WITH_ARGS("GetSession", SD_BUS_ARGS("s", id), SD_BUS_RESULT("o", session),
				method_get_session, SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_METHOD_WITH_ARGS("DeleteSession", SD_BUS_ARGS("s", id, "a{sv}", options),
				SD_BUS_NO_RESULT, delete_method_delete_session,
				SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_METHOD_WITH_ARGS(
		"Compare", SD_BUS_ARGS("as", sessions, "s", format, "a{sv}", options),
		SD_BUS_RESULT("s", report), compare_method_compare, SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_METHOD_WITH_ARGS("OpenCompare",
				SD_BUS_ARGS("as", sessions, "s", format, "a{sv}", options),
				SD_BUS_RESULT("h", report), compare_method_open_compare,
				SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_METHOD_WITH_ARGS("Trend", SD_BUS_ARGS("s", plan, "s", format, "a{sv}", options),
				SD_BUS_RESULT("s", report), trending_method_trend,
				SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_METHOD_WITH_ARGS("OpenTrend", SD_BUS_ARGS("s", plan, "s", format, "a{sv}", options),
				SD_BUS_RESULT("h", report), trending_method_open_trend,
				SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_METHOD_WITH_ARGS("Import", SD_BUS_ARGS("s", format, "ay", content, "a{sv}", options),
				SD_BUS_RESULT("as", ids), importing_method_import,
				SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_METHOD_WITH_ARGS("ListPlans", SD_BUS_ARGS("a{sv}", options),
				SD_BUS_RESULT("aa{sv}", plans), plancheck_method_list_plans,
				SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_METHOD_WITH_ARGS("CheckPlan", SD_BUS_ARGS("s", text, "a{sv}", options),
				SD_BUS_RESULT("aa{sv}", problems), plancheck_method_check_plan,
				SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_METHOD_WITH_ARGS("GetSchedule", SD_BUS_ARGS("a{sv}", options),
				SD_BUS_RESULT("aa{sv}", schedules), schedule_method_get_schedule,
				SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_METHOD_WITH_ARGS("SetSchedule",
				SD_BUS_ARGS("s", plan, "s", schedule, "a{sv}", options),
				SD_BUS_RESULT("a{sv}", set), setschedule_method_set_schedule,
				SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_METHOD_WITH_ARGS("CheckSystem", SD_BUS_ARGS("a{sv}", options),
				SD_BUS_RESULT("aa{sv}", findings), method_check_system,
				SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_METHOD_WITH_ARGS("ListIrqs", SD_BUS_ARGS("a{sv}", options),
				SD_BUS_RESULT("aa{sv}", irqs), irqs_method_list_irqs,
				SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_METHOD_WITH_ARGS("ListThreads", SD_BUS_ARGS("a{sv}", options),
				SD_BUS_RESULT("aa{sv}", threads), irqs_method_list_threads,
				SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_METHOD_WITH_ARGS("CheckIrqRules", SD_BUS_ARGS("a{sv}", options),
				SD_BUS_RESULT("aa{sv}", problems, "aa{sv}", changes),
				irqs_method_check_irq_rules, SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_METHOD_WITH_ARGS("ListIrqRules", SD_BUS_ARGS("a{sv}", options),
				SD_BUS_RESULT("aa{sv}", rules), irqs_method_list_irq_rules,
				SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_METHOD_WITH_ARGS("ApplyIrqPolicy", SD_BUS_ARGS("a{sv}", options),
				SD_BUS_RESULT("aa{sv}", changes), irqs_method_apply_irq_policy,
				SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_METHOD_WITH_ARGS("RestoreIrqPolicy", SD_BUS_ARGS("a{sv}", options),
				SD_BUS_RESULT("aa{sv}", changes), irqs_method_restore_irq_policy,
				SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_METHOD_WITH_ARGS("OpenIrqCapture", SD_BUS_ARGS("a{sv}", options),
				SD_BUS_RESULT("h", archive), irqs_method_open_irq_capture,
				SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_METHOD_WITH_ARGS("Reload", SD_BUS_ARGS("a{sv}", options),
				SD_BUS_RESULT("aa{sv}", problems), method_reload,
				SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_SIGNAL_WITH_ARGS("SessionNew", SD_BUS_ARGS("s", id, "o", session), 0),
	SD_BUS_SIGNAL_WITH_ARGS("SessionFinished",
				SD_BUS_ARGS("s", id, "o", session, "s", state, "s", verdict), 0),
	SD_BUS_SIGNAL_WITH_ARGS("IrqEvent", SD_BUS_ARGS("a{sv}", change), 0),
	SD_BUS_PROPERTY("Version", "s", property_version, 0, SD_BUS_VTABLE_PROPERTY_CONST),
	SD_BUS_PROPERTY("KernelRelease", "s", property_kernel_release, 0,
			SD_BUS_VTABLE_PROPERTY_CONST),
	SD_BUS_PROPERTY("Realtime", "b", property_realtime, 0, SD_BUS_VTABLE_PROPERTY_CONST),
	SD_BUS_PROPERTY("ActiveSession", "o", property_active_session, 0,
			SD_BUS_VTABLE_PROPERTY_EMITS_CHANGE),
	SD_BUS_PROPERTY("QueueLength", "u", property_queue_length, 0,
			SD_BUS_VTABLE_PROPERTY_EMITS_CHANGE),
	SD_BUS_PROPERTY("Formats", "as", property_formats, 0, SD_BUS_VTABLE_PROPERTY_CONST),
	SD_BUS_PROPERTY("CompareFormats", "as", compare_property_formats, 0,
			SD_BUS_VTABLE_PROPERTY_CONST),
	SD_BUS_PROPERTY("TrendFormats", "as", trending_property_formats, 0,
			SD_BUS_VTABLE_PROPERTY_CONST),
	SD_BUS_PROPERTY("ImportFormats", "as", importing_property_formats, 0,
			SD_BUS_VTABLE_PROPERTY_CONST),
	SD_BUS_PROPERTY("Trouble", "s", property_trouble, 0, SD_BUS_VTABLE_PROPERTY_EMITS_CHANGE),
	SD_BUS_PROPERTY("IrqWatching", "s", irqs_property_watching, 0,
			SD_BUS_VTABLE_PROPERTY_EMITS_CHANGE),
	SD_BUS_PROPERTY("IrqPaused", "b", irqs_property_paused, 0,
			SD_BUS_VTABLE_PROPERTY_EMITS_CHANGE),
	SD_BUS_VTABLE_END,
};

/* News */

void manager_changed(struct bus *b, const char *property)
{
	int r = sd_bus_emit_properties_changed(b->bus, BUS_PATH, BUS_MANAGER_IFACE, property, NULL);

	if (r < 0)
		log_debug("A change of %s could not be told, ignoring: %s", property,
			  g_strerror(-r));
}

static void manager_session_new(struct bus *b, const struct result *result)
{
	g_autofree char *path = session_path(result->id);
	int r;

	r = sd_bus_emit_signal(b->bus, BUS_PATH, BUS_MANAGER_IFACE, "SessionNew", "so", result->id,
			       path);
	if (r < 0)
		log_debug("SessionNew could not be sent, ignoring: %s", g_strerror(-r));
}

static void manager_session_finished(struct bus *b, const struct result *result)
{
	g_autofree char *path = session_path(result->id);
	int r;

	r = sd_bus_emit_signal(b->bus, BUS_PATH, BUS_MANAGER_IFACE, "SessionFinished", "soss",
			       result->id, path, session_state_to_string(result->state),
			       verdict_to_string(result->verdict));
	if (r < 0)
		log_debug("SessionFinished could not be sent, ignoring: %s", g_strerror(-r));
}

void manager_news(struct bus *b, enum sessions_news what, struct session *s)
{
	switch (what) {
	case SESSIONS_ADDED:
		manager_session_new(b, session_result(s));
		manager_changed(b, "QueueLength");
		break;
	case SESSIONS_ENDED:
		manager_session_finished(b, session_result(s));
		manager_changed(b, "QueueLength");
		break;
	case SESSIONS_ACTIVE:
		inhibit_hold(b->inhibit, sessions_active(b->model.sessions));
		manager_changed(b, "ActiveSession");
		manager_changed(b, "QueueLength");
		break;
	default:
		break;
	}
}

void bus_trouble_changed(struct bus *b)
{
	manager_changed(b, "Trouble");
}

static int manager_irq_event(struct bus *b, const struct irq_change *c)
{
	g_autoptr(sd_bus_message) m = NULL;
	int r;

	r = sd_bus_message_new_signal(b->bus, &m, BUS_PATH, BUS_MANAGER_IFACE, "IrqEvent");
	if (r >= 0)
		r = changedict_append(m, c);
	return r < 0 ? r : sd_bus_send(b->bus, m, NULL);
}

void bus_irq_news(struct bus *b, const struct irq_change *c)
{
	int r;

	if (!b->authority)
		return; /* nothing is shown yet: who looks later sees it as it is then */
	r = manager_irq_event(b, c);
	if (r < 0)
		log_debug("IrqEvent could not be sent, ignoring: %s", g_strerror(-r));
}

int manager_publish(struct bus *b)
{
	return sd_bus_add_object_vtable(b->bus, NULL, BUS_PATH, BUS_MANAGER_IFACE, manager_vtable,
					b);
}
