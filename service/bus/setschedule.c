/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * In steps, each of which waits for somebody else, in this order so that nothing is written that
 * would not stand: the drop-in as it would be and the plan that comes of it; whether its calendar
 * means something (systemd-analyze); the file (a thread); our own plans again; then PID 1, which
 * runs the generator, and starts or stops the timer. What PID 1 says is no error of ours: the
 * choice is kept, and counts from its next start.
 *
 * Only a drop-in of our own name in the strongest folder is ever written, never a plan.
 */
#include "setschedule.h"

#include "calendars.h"
#include "cleanup-bus.h"
#include "cleanup.h"
#include "conftree.h"
#include "dict.h"
#include "errors.h"
#include "filejob.h"
#include "log.h"
#include "message.h"
#include "options.h"
#include "plan.h"
#include "schedule.h"
#include "scheduledropin.h"
#include "systemd1.h"
#include <errno.h>
#include <string.h>

#define SETSCHEDULE_JOB_USEC (30 * G_USEC_PER_SEC)
#define SETSCHEDULE_KEYS     9

static const struct option_spec setschedule_options[] = {
	{ "enabled", 'b' },	     { "persistent", 'b' },
	{ "wake_system", 'b' },	     { "on_boot", 's' },
	{ "randomized_delay", 's' }, { "accuracy", 's' },
	{ "start_within", 's' },     { NULL },
};

struct setschedule {
	struct bus *bus;
	char *name, *wish; /* of the plan; its schedule: "" as it is */
	json_t *options;
	/* under way */
	sd_bus_message *call; /* NULL: not begun */
	char *dir, *text;     /* of the drop-in; @text NULL: none any more */
	bool on;	      /* the timer is to run */
	bool again;	      /* it was begun anew */
	struct filejob *job;
	struct systemd1_call *asked;
	char *note; /* what the caller should know; NULL: nothing */
};

struct setschedule *setschedule_free(struct setschedule *s)
{
	if (!s)
		return NULL;
	filejob_free(s->job);
	systemd1_forget(s->asked);
	sd_bus_message_unref(s->call);
	json_decref(s->options);
	g_free(s->name);
	g_free(s->wish);
	g_free(s->dir);
	g_free(s->text);
	g_free(s->note);
	g_free(s);
	return NULL;
}

static void setschedule_drop(gpointer data)
{
	setschedule_free(data);
}

/* --- the answer --- */

static void setschedule_end(struct setschedule *s)
{
	s->bus->setting = NULL;
	setschedule_free(s);
}

static void setschedule_fail(struct setschedule *s, int r, const char *message)
{
	sd_bus_error error = SD_BUS_ERROR_NULL;

	(void)bus_error_set(&error, r, message);
	bus_reply_error(s->call, &error);
	sd_bus_error_free(&error);
	setschedule_end(s);
}

static int setschedule_reply(const struct setschedule *s, const GPtrArray *entries)
{
	g_autoptr(sd_bus_message) reply = NULL;
	int r;

	r = sd_bus_message_new_method_return(s->call, &reply);
	if (r >= 0)
		r = sd_bus_message_open_container(reply, 'a', "{sv}");
	if (r >= 0 && entries->len > 0)
		r = schedule_append(reply, entries->pdata[0]);
	if (r >= 0)
		r = dict_optional(reply, "note", s->note);
	if (r >= 0)
		r = sd_bus_message_close_container(reply);
	return r < 0 ? r : sd_bus_send(NULL, reply, NULL);
}

static void setschedule_note(struct setschedule *s, const char *what, const char *why)
{
	s->note = g_strdup_printf("%s%s%s.", what, why ? ": " : "", why ?: "");
	log_notice("Schedule of plan %s: %s", s->name, s->note);
}

/* --- PID 1 --- */

static int setschedule_job(struct setschedule *s, const char *member, systemd1_done_t done)
{
	g_autofree char *unit = g_strdup_printf("lrtbf-plan-%s.timer", s->name);
	g_autoptr(sd_bus_message) m = NULL;
	int r;

	r = systemd1_message(s->bus->bus, member, &m);
	if (r >= 0)
		r = sd_bus_message_append(m, "ss", unit, "replace");
	if (r >= 0)
		r = systemd1_job(s->bus->bus, m, unit, SETSCHEDULE_JOB_USEC, done, s, &s->asked);
	return r;
}

static void setschedule_look(struct setschedule *s);

static void on_setschedule_started(int r, const char *message, void *userdata)
{
	struct setschedule *s = userdata;

	s->asked = NULL; /* frees itself */
	if (r < 0)
		setschedule_note(s, "The timer was not started", message);
	setschedule_look(s);
}

/*
 * To start a timer that runs changes nothing, and one that had no time to come any more does not
 * look at its new ones: it is begun anew, once.
 */
static bool setschedule_again(struct setschedule *s, const GPtrArray *entries)
{
	if (!s->on || s->again || s->note || entries->len == 0 ||
	    !schedule_elapsed(entries->pdata[0]))
		return false;
	s->again = true;
	return setschedule_job(s, "RestartUnit", on_setschedule_started) >= 0;
}

/* An expression may be sound and name no time that is to come: "*-02-30", a day of last year. */
static void setschedule_see_never(struct setschedule *s, const GPtrArray *entries)
{
	if (s->on && !s->note && entries->len > 0 && schedule_never(entries->pdata[0]))
		setschedule_note(s, "No time that is to come is named, so no session will begin",
				 NULL);
}

static void on_setschedule_looked(const GPtrArray *entries, void *userdata)
{
	struct setschedule *s = userdata;
	int r;

	if (setschedule_again(s, entries))
		return;
	setschedule_see_never(s, entries);
	r = setschedule_reply(s, entries);
	if (r < 0)
		setschedule_fail(s, r, NULL);
	else
		setschedule_end(s);
}

static void setschedule_look(struct setschedule *s)
{
	schedules_look(s->bus, s->name, on_setschedule_looked, s, NULL);
}

static void on_setschedule_reloaded(int r, const char *message, void *userdata)
{
	struct setschedule *s = userdata;

	s->asked = NULL;
	if (r == -EOPNOTSUPP)
		setschedule_note(s, "There is no systemd here that would keep the time", NULL);
	else if (r < 0)
		setschedule_note(s, "systemd did not take it over", message);
	if (r >= 0 && s->on) {
		r = setschedule_job(s, "StartUnit", on_setschedule_started);
		if (r >= 0)
			return;
		setschedule_note(s, "The timer was not started", g_strerror(-r));
	}
	setschedule_look(s);
}

static void setschedule_reload(struct setschedule *s)
{
	if (systemd1_reload(s->bus->bus, on_setschedule_reloaded, s, &s->asked) >= 0)
		return;
	setschedule_note(s, "There is no systemd here that would keep the time", NULL);
	setschedule_look(s);
}

/* There may have been none to be stopped: how it went is of no interest. */
static void on_setschedule_stopped(int r, const char *message, void *userdata)
{
	struct setschedule *s = userdata;

	s->asked = NULL;
	setschedule_reload(s);
}

/*
 * A timer is stopped before its unit goes: PID 1 would call it failed, remember it, and make up for
 * all that it missed when it is started again.
 */
static void setschedule_tell_systemd(struct setschedule *s)
{
	if (s->bus->user) {
		setschedule_note(s, "There is no systemd here that would keep the time", NULL);
		setschedule_look(s);
	} else if (s->on || setschedule_job(s, "StopUnit", on_setschedule_stopped) < 0) {
		setschedule_reload(s);
	}
}

/* --- the file --- */

static void on_setschedule_written(int r, void *userdata)
{
	struct setschedule *s = userdata;
	g_autoptr(GPtrArray) problems = NULL;

	s->job = filejob_free(s->job);
	if (r < 0) {
		g_autofree char *message =
			g_strdup_printf("%s/" SCHEDULEDROPIN_NAME ".conf cannot be written: %s.",
					s->dir, g_strerror(-r));

		setschedule_fail(s, r == -EACCES || r == -EROFS ? -EPERM : -EIO, message);
		return;
	}
	log_info("Schedule of plan %s set by its drop-in in %s.", s->name, s->dir);
	problems = sessions_reload(s->bus->model.sessions); /* of others; Reload tells them */
	setschedule_tell_systemd(s);
}

static void setschedule_write(struct setschedule *s)
{
	int r = filejob_new(sd_bus_get_event(s->bus->bus), s->dir, SCHEDULEDROPIN_NAME ".conf",
			    s->text, on_setschedule_written, s, &s->job);

	if (r < 0)
		setschedule_fail(s, r, "The file could not be begun.");
}

/* --- what it would be --- */

/* The old drop-in's text, borrowed; NULL: there is none. */
static const struct conftree_file *setschedule_old(const struct conftree_file *f, const char *path)
{
	for (guint i = 0; i < f->dropins->len; i++) {
		const struct conftree_file *d = f->dropins->pdata[i];

		if (strcmp(d->path, path) == 0)
			return d;
	}
	return NULL;
}

/* What is wished, as changes; their values are borrowed. How many. */
static size_t setschedule_changes(const struct setschedule *s,
				  struct schedule_change changes[static SETSCHEDULE_KEYS])
{
	const char *key;
	json_t *value;
	size_t n = 0;

	if (*s->wish)
		changes[n++] = (struct schedule_change){ "schedule", s->wish };
	json_object_foreach (s->options, key, value) {
		const char *text = json_string_value(value);

		if (!text)
			text = json_is_true(value) ? "true" : "false";
		changes[n].key = strcmp(key, "enabled") == 0 ? "schedule_enabled" : key;
		changes[n++].value = text;
	}
	return n;
}

/* @f as it would be read then: 0, or an errno of reason.h with a sentence. */
static int setschedule_compose(struct setschedule *s, struct conftree_file *f, char **ret_message)
{
	g_autofree char *path = g_build_filename(s->dir, SCHEDULEDROPIN_NAME ".conf", NULL);
	const struct conftree_file *old = setschedule_old(f, path);
	struct schedule_change changes[SETSCHEDULE_KEYS];
	size_t n = setschedule_changes(s, changes);
	g_autofree char *why = NULL;
	int r = 0;

	if (n > 0)
		r = scheduledropin_change(old ? old->text : NULL, old ? old->size : 0, changes, n,
					  &s->text, &why);
	else if (old && !scheduledropin_is_ours(old->text ?: "", old->size))
		r = message_fail(&why, -EKEYREJECTED, "%s", SCHEDULEDROPIN_FOREIGN);
	if (r < 0)
		return message_fail(ret_message, r, "%s: %s", path, why);
	conftree_file_set_dropin(f, SCHEDULEDROPIN_NAME, path, s->text);
	return 0;
}

static int setschedule_check(struct setschedule *s, const struct plan *p, char **ret_message)
{
	s->on = p->schedule.enabled && schedule_is_set(&p->schedule);
	if (schedule_is_set(&p->schedule) || !options_bool(s->options, "enabled", false))
		return 0;
	*ret_message = g_strdup_printf("The plan %s has no schedule; \"lrtbfctl plan schedule %s "
				       "EXPRESSION\" gives it one.",
				       s->name, s->name);
	return -EINVAL;
}

/* The caller is to blame for what is in the drop-in, the plan for the rest. */
static int setschedule_blame(const struct setschedule *s, const GPtrArray *problems,
			     char **ret_message)
{
	const struct problem *first = problems->pdata[0];

	*ret_message = problems_format(problems);
	return g_str_has_prefix(first->file, s->dir) ? -EINVAL : -EBADMSG;
}

/* Files that cannot be read, or may be written by others, are put right by their owner first. */
static int setschedule_unread(const struct conftree_file *f, char **ret_message)
{
	*ret_message = problems_format(f->problems);
	return -EBADMSG;
}

/* The plan that comes of it. plan_free(). */
static int setschedule_plan(struct setschedule *s, struct plan **ret, char **ret_message)
{
	g_autoptr(GPtrArray) problems = problems_new();
	const char *const *dirs = sessions_config_dirs(s->bus->model.sessions);
	struct conftree_file *f = NULL;
	struct plan *p = NULL;
	int r = conftree_get(dirs, "plans.d", s->name, &f);

	if (r < 0) {
		*ret_message = g_strdup_printf("There is no plan \"%.64s\"; \"lrtbfctl plan list\" "
					       "shows those there are.",
					       s->name);
		return -ESRCH;
	}
	s->dir = g_strdup_printf("%s/plans.d/%s.conf.d", dirs[0], s->name);
	if (f->problems->len > 0)
		r = setschedule_unread(f, ret_message);
	else
		r = setschedule_compose(s, f, ret_message);
	if (r == 0) {
		p = plan_from_file(f, problems);
		r = p ? setschedule_check(s, p, ret_message)
		      : setschedule_blame(s, problems, ret_message);
	}
	conftree_file_free(f);
	if (r < 0) {
		plan_free(p);
		return r;
	}
	*ret = p;
	return 0;
}

/* --- the calendar --- */

static void setschedule_refuse_calendar(struct setschedule *s, const char *text)
{
	g_autofree char *message = g_strdup_printf("\"%s\" is no calendar expression, such as "
						   "\"Mon..Fri 02:00\"; see systemd.time(7).",
						   text);

	setschedule_fail(s, -EINVAL, message);
}

/* What is known by now decides; the plan is made once more, as files may have changed meanwhile. */
static void on_setschedule_learned(void *userdata)
{
	struct setschedule *s = userdata;
	g_autoptr(GPtrArray) texts = g_ptr_array_new();
	g_autofree char *message = NULL;
	struct plan *p = NULL;
	int r;

	g_clear_pointer(&s->dir, g_free);
	g_clear_pointer(&s->text, g_free);
	r = setschedule_plan(s, &p, &message);
	if (r < 0) {
		setschedule_fail(s, r, message);
		return;
	}
	calendars_collect(p, texts);
	for (guint i = 0; i < texts->len; i++)
		if (calendars_meaningless(s->bus->calendars, texts->pdata[i])) {
			setschedule_refuse_calendar(s, texts->pdata[i]);
			plan_free(p);
			return;
		}
	plan_free(p);
	setschedule_write(s);
}

static int setschedule_go(sd_bus_message *call, uid_t caller, void *data, sd_bus_error *error)
{
	struct setschedule *asked = data, *s;
	struct bus *b = asked->bus;
	g_autoptr(GPtrArray) texts = g_ptr_array_new();
	g_autofree char *message = NULL;
	struct plan *p = NULL;
	int r;

	if (b->setting)
		return bus_error_set(error, EBUSY, "Another schedule is being set.");
	r = setschedule_plan(asked, &p, &message);
	if (r < 0)
		return bus_error_set(error, r, message);
	/* @asked is freed when this returns: what it has goes on */
	s = g_memdup2(asked, sizeof(*asked));
	*asked = (struct setschedule){ 0 };
	s->call = sd_bus_message_ref(call);
	b->setting = s;
	calendars_collect(p, texts);
	r = calendars_learn(b->calendars, texts, on_setschedule_learned, s, NULL);
	plan_free(p);
	if (r < 0)
		setschedule_fail(s, -EBUSY, "Too many calendar expressions are being checked.");
	else if (r == 0)
		on_setschedule_learned(s);
	return 0;
}

int setschedule_method_set_schedule(sd_bus_message *m, void *userdata, sd_bus_error *error)
{
	struct setschedule *s;
	struct authority_request request = {
		.action = ACTION_CONFIGURE,
		.owner = AUTHORITY_NO_OWNER,
		.then = setschedule_go,
		.free = setschedule_drop,
	};
	struct bus *b = userdata;
	json_t *options = NULL;
	const char *plan, *schedule;
	int r;

	r = sd_bus_message_read(m, "ss", &plan, &schedule);
	if (r < 0)
		return bus_error_argument(error, r);
	if (strlen(schedule) > OPTION_VALUE_MAX)
		return bus_error_set(error, EINVAL, "The schedule is too long.");
	if (!conftree_name_valid(plan))
		return bus_error_setf(error, ESRCH, "\"%.64s\" is no plan's name.", plan);
	r = options_read(m, setschedule_options, &options, error);
	if (r < 0)
		return r;
	s = g_new0(struct setschedule, 1);
	s->bus = b;
	s->name = g_strdup(plan);
	s->wish = g_strstrip(g_strdup(schedule));
	s->options = options;
	request.data = s;
	return authority_check(b->authority, m, &request, error);
}
