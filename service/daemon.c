/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The order of things at the start: the bus name first, because it is what a second daemon on the
 * same bus fails at; then locks on the folders, because two buses may share them; only then is the
 * database opened and what an earlier life left taken up. Calls that arrive meanwhile wait in the
 * socket.
 *
 * Interrupts are put in order before sessions are taken up, because one of them may be about to
 * measure, and put back when none measures any more.
 *
 * A new start is not for whoever asks to time: in the middle of a session it would cost that, and
 * between a look at what runs and the restart the next one begins. So SIGUSR1 asks for it, the
 * queue is held, and when nothing measures the daemon ends with a status that has the service
 * manager start it again, which also brings a new version's unit into force.
 *
 * A stop is two steps: sessions end their children, which takes up to two seconds, and the loop
 * goes on meanwhile, so that signals about it still go out. A second signal does not wait.
 */
#include "daemon.h"

#include "bus.h"
#include "cleanup.h"
#include "config.h"
#include "conftree.h"
#include "folders.h"
#include "irqlog.h"
#include "irqpolicy.h"
#include "log.h"
#include "portlog.h"
#include "ports.h"
#include "programs.h"
#include "storelog.h"
#include <errno.h>
#include <inttypes.h>
#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <systemd/sd-daemon.h>

#define DAEMON_STOP_USEC  (5 * G_USEC_PER_SEC)
#define DAEMON_EXIT_AGAIN 133 /* RestartForceExitStatus= of the unit */
/* Who waited for the end of a session asks for its report then. */
#define DAEMON_LINGER_USEC (2 * G_USEC_PER_SEC)
/* Told once a second, but not while a disk writes all of memory that is waiting for it. */
#define DAEMON_EXTEND_USEC (UINT64_C(600) * G_USEC_PER_SEC)

struct daemon {
	/* configuration */
	const char *config_dirs[4];
	struct settings settings;
	int log_level; /* -1: the settings' */
	char *measure, *load;
	/* what is owned */
	sd_event *event;
	fd_t state_lock, runtime_lock; /* of the folders; -1: none */
	struct bus *bus;
	struct store *store;
	struct irqpolicy *irqpolicy;
	struct ports *ports;
	struct sessions *sessions;
	/* what changes */
	bool again; /* it ends when nothing measures, to be started again */
	bool stopping;
	bool ending; /* daemon_free() is at work: news find nobody any more */
	int exit_status;
};

/* Where every user's daemon can lock the same file; a bare system may have no /run/lock. */
static const char *daemon_lock_file(void)
{
	return access("/run/lock", X_OK) == 0 ? "/run/lock/lrtbfd" : "/dev/shm/lrtbfd.lock";
}

void daemon_options_init(struct daemon_options *o)
{
	*o = (struct daemon_options){
		.bus = "system",
		.state_dir = "/var/lib/lrtbfd",
		.runtime_dir = "/run/lrtbfd",
		.root = "/",
		.lock_file = daemon_lock_file(),
		.log_level = -1,
	};
}

int daemon_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGCHLD); /* sd_event_add_child() wants it so */
	if (sigprocmask(SIG_BLOCK, &set, NULL) < 0)
		return -errno;
	return signal(SIGPIPE, SIG_IGN) == SIG_ERR ? -errno : 0;
}

/* Configuration */

static int daemon_set_config_dirs(struct daemon *d, const char *dir, char **ret_message)
{
	if (!dir) {
		d->config_dirs[0] = "/etc/lrtbfd";
		d->config_dirs[1] = "/run/lrtbfd-config";
		d->config_dirs[2] = CONFDIR;
		return 0;
	}
	d->config_dirs[0] = dir;
	if (access(dir, R_OK | X_OK) == 0)
		return 0;
	*ret_message = g_strdup_printf("The configuration folder %s cannot be read: %m.", dir);
	return -errno;
}

static void daemon_read_settings(struct daemon *d, GPtrArray *problems)
{
	struct conftree_file *file = NULL;
	int r, level;

	r = conftree_get(d->config_dirs, "", "lrtbfd", &file);
	if (r < 0 && r != -ENOENT)
		(void)problem_add(problems, "lrtbfd.conf", 0, "It cannot be read: %s.",
				  g_strerror(-r));
	settings_done(&d->settings);
	settings_init(&d->settings);
	(void)settings_read(&d->settings, file, problems); /* the problems say it all */
	conftree_file_free(file);
	level = d->settings.log_level ? log_level_from_string(d->settings.log_level) : LOG_INFO;
	log_set_level(d->log_level >= 0 ? d->log_level : level >= 0 ? level : LOG_INFO);
}

static void daemon_log_problems(const GPtrArray *problems)
{
	for (guint i = 0; i < problems->len; i++) {
		const struct problem *p = problems->pdata[i];

		if (p->line)
			log_warning("%s:%u: %s", p->file, p->line, p->text);
		else
			log_warning("%s: %s", p->file, p->text);
	}
}

/* Plans and loads again; their problems go to @problems. */
static void daemon_read_plans(struct daemon *d, GPtrArray *problems)
{
	GPtrArray *others = sessions_reload(d->sessions);

	g_ptr_array_extend_and_steal(problems, others);
}

/* Everything again; problems of all files, logged. g_ptr_array_unref(). */
static GPtrArray *daemon_read_all(struct daemon *d)
{
	GPtrArray *problems = problems_new();

	daemon_read_settings(d, problems);
	daemon_read_plans(d, problems);
	irqpolicy_reload(d->irqpolicy, problems);
	daemon_log_problems(problems);
	return problems;
}

static GPtrArray *daemon_reload(void *userdata)
{
	struct daemon *d = userdata;
	GPtrArray *problems;

	(void)sd_notifyf(0, "RELOADING=1\nMONOTONIC_USEC=%" PRIi64, g_get_monotonic_time());
	problems = daemon_read_all(d);
	log_info("Configuration read again: %u problem%s.", problems->len,
		 problems->len == 1 ? "" : "s");
	bus_irq_state_changed(d->bus);
	(void)sd_notify(0, "READY=1"); /* nobody may be listening */
	return problems;
}

static void daemon_tell_status(struct daemon *d)
{
	const struct session *active = sessions_active(d->sessions);
	const struct result *r = active ? session_result(active) : NULL;

	if (r)
		(void)sd_notifyf(0, "STATUS=Measuring: plan %s, session %s.%s", r->plan, r->id,
				 d->again ? " Starts again after it." : "");
	else
		(void)sd_notify(0, "STATUS=Idle.");
}

/* Stop */

static int on_post(sd_event_source *source, void *userdata)
{
	struct daemon *d = userdata;

	if (sessions_idle(d->sessions))
		(void)sd_event_exit(d->event, d->exit_status);
	return 0;
}

static int on_stop_timeout(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct daemon *d = userdata;

	log_warning("The session that runs did not end in time: its children are killed.");
	return sd_event_exit(d->event, d->exit_status);
}

static void daemon_stop(struct daemon *d, int exit_status)
{
	int r;

	if (d->stopping) {
		(void)sd_event_exit(d->event, exit_status);
		return;
	}
	d->stopping = true;
	d->exit_status = exit_status;
	(void)sd_notify(0, "STOPPING=1");
	sessions_shutdown(d->sessions);
	/* asked after every event from now on; before, nobody asks */
	r = sd_event_add_post(d->event, NULL, on_post, d);
	if (r >= 0)
		r = sd_event_add_time_relative(d->event, NULL, CLOCK_MONOTONIC, DAEMON_STOP_USEC, 0,
					       on_stop_timeout, d);
	if (r < 0 || sessions_idle(d->sessions))
		(void)sd_event_exit(d->event, exit_status);
}

static int on_linger(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct daemon *d = userdata;

	if (!d->stopping)
		daemon_stop(d, DAEMON_EXIT_AGAIN);
	return 0;
}

static void daemon_end_after_session(struct daemon *d)
{
	if (sd_event_add_time_relative(d->event, NULL, CLOCK_MONOTONIC, DAEMON_LINGER_USEC, 0,
				       on_linger, d) < 0)
		daemon_stop(d, DAEMON_EXIT_AGAIN);
}

static void daemon_begin_again(struct daemon *d)
{
	const struct session *active = sessions_active(d->sessions);

	if (d->again || d->stopping)
		return;
	d->again = true;
	sessions_hold(d->sessions);
	if (active) {
		log_notice("Asked to start again: after session %s.", session_result(active)->id);
		daemon_tell_status(d);
		return;
	}
	log_info("Asked to start again: stopping.");
	daemon_stop(d, DAEMON_EXIT_AGAIN);
}

static int on_signal(sd_event_source *source, const struct signalfd_siginfo *si, void *userdata)
{
	struct daemon *d = userdata;

	if (si->ssi_signo == SIGHUP) {
		g_ptr_array_unref(daemon_reload(d));
		return 0;
	}
	if (si->ssi_signo == SIGUSR1) {
		daemon_begin_again(d);
		return 0;
	}
	log_info("%s from process %u: stopping.", si->ssi_signo == SIGTERM ? "SIGTERM" : "SIGINT",
		 si->ssi_pid);
	daemon_stop(d, EXIT_SUCCESS);
	return 0;
}

/* News from below */

static void on_bus_lost(void *userdata)
{
	log_error("The message bus closed the connection: stopping.");
	daemon_stop(userdata, EXIT_FAILURE);
}

/* An upgrade copies and rewrites what may be gigabytes: the start has as long as that goes on. */
static void daemon_tell_slow(const char *text)
{
	(void)sd_notifyf(0, "EXTEND_TIMEOUT_USEC=%" PRIu64 "\nSTATUS=%s", DAEMON_EXTEND_USEC, text);
}

static void daemon_take_retained(struct daemon *d, const char *id, bool gone)
{
	if (!d->sessions || d->ending)
		return;
	sessions_retained(d->sessions, id, gone);
	bus_session_retained(d->bus, id, gone);
}

static void on_store_news(enum store_news what, const char *text, void *userdata)
{
	struct daemon *d = userdata;

	storelog_write(what, text);
	if (what == STORE_SLOW)
		daemon_tell_slow(text);
	else if ((what == STORE_TROUBLE || what == STORE_WELL) && d->bus && d->store && !d->ending)
		bus_trouble_changed(d->bus);
	else if (what == STORE_THINNED || what == STORE_REMOVED)
		daemon_take_retained(d, text, what == STORE_REMOVED);
}

static void on_sessions_news(enum sessions_news what, struct session *s, void *userdata)
{
	struct daemon *d = userdata;

	/* while sessions_new() takes up what was left, there is nobody to tell */
	if (!d->sessions || d->ending)
		return;
	bus_news(d->bus, what, s);
	if (what != SESSIONS_ACTIVE)
		return;
	daemon_tell_status(d);
	if (d->again && sessions_idle(d->sessions) && !d->stopping)
		daemon_end_after_session(d);
}

static void on_irq_news(const struct irq_change *c, void *userdata)
{
	struct daemon *d = userdata;
	bool left = !d->irqpolicy; /* irqpolicy_new() takes it up: there is nobody to tell */

	irqlog_write(c, left);
	if (!left && !d->ending)
		bus_irq_news(d->bus, c);
}

static void on_irq_changed(void *userdata)
{
	struct daemon *d = userdata;

	if (d->irqpolicy && !d->ending)
		bus_irq_state_changed(d->bus);
}

static void on_ports_news(enum ports_news news, const struct port *p, unsigned what, void *userdata)
{
	struct daemon *d = userdata;

	portlog_write(news, p, what);
	if (!d->ending)
		bus_port_news(d->bus, news, p, what);
}

/* Start */

static int daemon_open_event(struct daemon *d)
{
	static const int signals[] = { SIGTERM, SIGINT, SIGHUP, SIGUSR1 };
	int r;

	r = sd_event_default(&d->event);
	for (size_t i = 0; r >= 0 && i < G_N_ELEMENTS(signals); i++)
		r = sd_event_add_signal(d->event, NULL, signals[i], on_signal, d);
	/* a timer only when the service manager asks for it: else an idle daemon sleeps */
	if (r >= 0)
		r = sd_event_set_watchdog(d->event, true);
	return r;
}

static int daemon_open_folders(struct daemon *d, const struct daemon_options *o, char **ret_message)
{
	int r;

	r = folder_make(o->state_dir, 0755, ret_message);
	if (r >= 0)
		r = folder_make(o->runtime_dir, 0755, ret_message);
	if (r >= 0)
		r = folder_lock(o->state_dir, &d->state_lock, ret_message);
	/* one folder may be both: a second lock on it would be refused to ourselves */
	if (r >= 0 && !folder_same(o->state_dir, o->runtime_dir))
		r = folder_lock(o->runtime_dir, &d->runtime_lock, ret_message);
	return r;
}

static void daemon_open_irqpolicy(struct daemon *d, const struct daemon_options *o,
				  GPtrArray *problems)
{
	const struct irqpolicy_params params = {
		.event = d->event,
		.root = o->root,
		.runtime_dir = o->runtime_dir,
		.config_dirs = d->config_dirs,
		.problems = problems,
		.news = on_irq_news,
		.changed = on_irq_changed,
		.userdata = d,
	};

	d->irqpolicy = irqpolicy_new(&params);
}

static int daemon_open_ports(struct daemon *d, const struct daemon_options *o, char **ret_message)
{
	const struct ports_params params = {
		.event = d->event,
		.root = o->root,
		.news = on_ports_news,
		.userdata = d,
	};
	int r;

	r = ports_new(&params, &d->ports);
	if (r < 0)
		*ret_message =
			g_strdup_printf("Parallel ports cannot be looked at: %s.", g_strerror(-r));
	else if (!ports_watching(d->ports) && strcmp(o->root, "/") == 0)
		log_notice("udev cannot be listened to here: parallel ports are looked at when "
			   "somebody asks.");
	return r;
}

static int daemon_open_sessions(struct daemon *d, const struct daemon_options *o,
				GPtrArray *problems, char **ret_message)
{
	struct sessions_params params = {
		.event = d->event,
		.store = d->store,
		.settings = &d->settings,
		.config_dirs = d->config_dirs,
		.state_dir = o->state_dir,
		.runtime_dir = o->runtime_dir,
		.root = o->root,
		.measure_path = d->measure,
		.load_path = d->load,
		.lock_path = o->lock_file,
		.irqpolicy = d->irqpolicy,
		.ports = d->ports,
		.cage = bus_cage(d->bus),
		.news = on_sessions_news,
		.userdata = d,
	};
	int r;

	r = sessions_new(&params, &d->sessions);
	if (r >= 0)
		daemon_read_plans(d, problems);
	else
		*ret_message = g_strdup_printf("What an earlier run left cannot be taken up: %s.",
					       g_strerror(-r));
	return r;
}

static int daemon_publish(struct daemon *d, const struct daemon_options *o, char **ret_message)
{
	struct bus_model model = {
		.sessions = d->sessions,
		.store = d->store,
		.irqpolicy = d->irqpolicy,
		.ports = d->ports,
		.root = o->root,
		.reload = daemon_reload,
		.lost = on_bus_lost,
		.userdata = d,
	};

	return bus_publish(d->bus, &model, ret_message);
}

static int daemon_start(struct daemon *d, const struct daemon_options *o, char **ret_message)
{
	g_autoptr(GPtrArray) problems = problems_new();
	int r;

	r = daemon_set_config_dirs(d, o->config_dir, ret_message);
	if (r >= 0)
		r = program_measure(o->measure, &d->measure, ret_message);
	if (r >= 0)
		r = program_load(o->load, &d->load, ret_message);
	if (r >= 0)
		r = daemon_open_event(d);
	if (r >= 0)
		r = bus_connect(o->bus, d->event, &d->bus, ret_message);
	if (r >= 0)
		r = daemon_open_folders(d, o, ret_message);
	if (r >= 0) {
		daemon_read_settings(d, problems);
		r = store_open(o->state_dir, d->event, on_store_news, d, &d->store, ret_message);
	}
	if (r >= 0)
		r = daemon_open_ports(d, o, ret_message);
	if (r >= 0) {
		daemon_open_irqpolicy(d, o, problems);
		r = daemon_open_sessions(d, o, problems, ret_message);
	}
	daemon_log_problems(problems);
	if (r >= 0)
		r = daemon_publish(d, o, ret_message);
	return r;
}

int daemon_new(const struct daemon_options *o, struct daemon **ret, char **ret_message)
{
	struct daemon *d = g_new0(struct daemon, 1);
	int r;

	d->state_lock = d->runtime_lock = -1;
	d->log_level = o->log_level;
	settings_init(&d->settings);
	r = daemon_start(d, o, ret_message);
	if (r < 0) {
		if (!*ret_message)
			*ret_message = g_strdup_printf("%s.", g_strerror(-r));
		daemon_free(d);
		return r;
	}
	*ret = d;
	return 0;
}

int daemon_run(struct daemon *d)
{
	int r;

	(void)sd_notify(0, "READY=1");
	daemon_tell_status(d);
	(void)malloc_trim(0); /* parsing the configuration took more than what it left */
	r = sd_event_loop(d->event);
	if (r < 0) {
		log_error("The event loop failed: %s", g_strerror(-r));
		return EXIT_FAILURE;
	}
	return r;
}

struct daemon *daemon_free(struct daemon *d)
{
	if (!d)
		return NULL;
	d->ending = true;
	/* sessions still write to the store, and the store still answers calls: the bus goes last
	 */
	sessions_free(d->sessions);
	irqpolicy_free(d->irqpolicy); /* after the sessions, whose rules end with them */
	store_close(d->store);
	bus_free(d->bus);
	ports_free(d->ports); /* the bus may still have had a test of one */
	fd_close(d->state_lock);
	fd_close(d->runtime_lock);
	settings_done(&d->settings);
	g_free(d->measure);
	g_free(d->load);
	sd_event_unref(d->event);
	g_free(d);
	return NULL;
}
