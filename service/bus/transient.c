/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * BindsTo= the daemon's own unit: PID 1 then ends the work when the daemon is gone, however it
 * went (PartOf= would not after a crash). Before= it: at an orderly stop PID 1 waits with the work
 * until the daemon has ended it in its own order; side by side the measurement would be killed
 * before the daemon has read its SIGTERM, and `stopped` become `failed`. For the same reason the
 * daemon ends units by KillUnit and never by StopUnit: a stop job would wait for the daemon's own,
 * which waits for the units.
 *
 * No CPUWeight= and no IOWeight=: the first would have the cpu controller put on the measurement's
 * neighbours and so on the measurement, which kernels with real-time group scheduling answer by
 * refusing it any real-time priority; loads are there to be as heavy as they can. Numbers of
 * processes and bytes are bounded: past them a load is a mistake that takes the machine down.
 *
 * Not in a unit of its own (started by hand) the daemon has nothing to bind to. Then loads end by
 * the hang-up of their socket and the measurement by the signal of its parent's death, as without
 * systemd.
 */
#include "transient.h"

#include "cleanup-bus.h"
#include "cleanup.h"
#include "log.h"
#include "systemd1.h"
#include <errno.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <systemd/sd-login.h>
#include <unistd.h>

#define TRANSIENT_START_USEC (5 * G_USEC_PER_SEC)
#define TRANSIENT_STOP_USEC  G_USEC_PER_SEC /* PID 1, between SIGTERM and SIGKILL */
#define TRANSIENT_USER	     "lrtbf-load"
#define TRANSIENT_NOBODY     "65534" /* where there is no such user */
/* Of one load: hackbench has 800 processes; RLIMIT_NPROC of all loads' user is the same. */
#define TRANSIENT_TASKS	     8192
#define TRANSIENT_MEMORY_PCT 80

struct transient {
	sd_bus *bus;
	struct cage cage;
	char *own;   /* unit; NULL: none that could be bound to */
	bool nobody; /* the user for loads is not there */
};

struct cage_unit {
	struct transient *transient;
	char *name;
	bool service;		    /* a scope else */
	struct systemd1_call *call; /* NULL: it has started, or will not */
	cage_started_t started;
	void *userdata;
};

static struct cage_unit *unit_leave(struct cage_unit *u)
{
	if (!u)
		return NULL;
	systemd1_forget(u->call);
	g_free(u->name);
	g_free(u);
	return NULL;
}

static void unit_kill(struct cage_unit *u, int signo)
{
	systemd1_kill_unit(u->transient->bus, u->name, signo == SIGKILL ? "all" : "main", signo);
}

static void on_unit_started(int r, const char *message, void *userdata)
{
	struct cage_unit *u = userdata;

	u->call = NULL;
	/* PID 1 reads that after what it has not answered yet; what a scope holds goes on without
	 * it */
	if (r == -ETIMEDOUT && u->service)
		unit_kill(u, SIGKILL);
	u->started(r, message, u->userdata);
}

/* --- properties --- */

static int unit_put_string(sd_bus_message *m, const char *property, const char *value)
{
	return sd_bus_message_append(m, "(sv)", property, "s", value);
}

static int unit_put_number(sd_bus_message *m, const char *property, uint64_t value)
{
	return sd_bus_message_append(m, "(sv)", property, "t", value);
}

static int unit_put_common(sd_bus_message *m, const struct transient *t, const char *description,
			   const char *slice)
{
	int r;

	r = unit_put_string(m, "Description", description);
	if (r >= 0)
		r = unit_put_string(m, "Slice", slice);
	if (r >= 0)
		r = unit_put_string(m, "CollectMode", "inactive-or-failed");
	if (r >= 0)
		r = unit_put_number(m, "TimeoutStopUSec", TRANSIENT_STOP_USEC);
	if (r >= 0 && t->own)
		r = sd_bus_message_append(m, "(sv)(sv)", "BindsTo", "as", 1, t->own, "Before", "as",
					  1, t->own);
	return r;
}

static int unit_put_command(sd_bus_message *m, const char *property, const char *const *command)
{
	int r;

	r = sd_bus_message_open_container(m, 'r', "sv");
	if (r >= 0)
		r = sd_bus_message_append_basic(m, 's', property);
	if (r >= 0)
		r = sd_bus_message_open_container(m, 'v', "a(sasb)");
	if (r >= 0)
		r = sd_bus_message_open_container(m, 'a', "(sasb)");
	if (r >= 0)
		r = sd_bus_message_open_container(m, 'r', "sasb");
	if (r >= 0)
		r = sd_bus_message_append_basic(m, 's', command[0]);
	if (r >= 0)
		r = sd_bus_message_append_strv(m, (char **)command);
	if (r >= 0)
		r = sd_bus_message_append(m, "b", false); /* that it fails is no secret */
	for (int i = 0; r >= 0 && i < 4; i++)
		r = sd_bus_message_close_container(m);
	return r;
}

static int unit_put_descriptors(sd_bus_message *m, const int fds[3])
{
	int r;

	r = sd_bus_message_append(m, "(sv)(sv)", "StandardInputFileDescriptor", "h", fds[0],
				  "StandardOutputFileDescriptor", "h", fds[1]);
	if (r < 0)
		return r;
	if (fds[2] < 0) /* it would be a copy of the one before */
		return unit_put_string(m, "StandardError", "null");
	return sd_bus_message_append(m, "(sv)", "StandardErrorFileDescriptor", "h", fds[2]);
}

static int unit_put_user(sd_bus_message *m, const struct transient *t)
{
	int r;

	r = unit_put_string(m, "User", t->nobody ? TRANSIENT_NOBODY : TRANSIENT_USER);
	if (r >= 0 && t->nobody)
		r = unit_put_string(m, "Group", TRANSIENT_NOBODY);
	if (r >= 0)
		r = sd_bus_message_append(m, "(sv)", "NoNewPrivileges", "b", true);
	return r;
}

/*
 * A restart of the daemon's unit is one of all that is bound to it; a service may be started again,
 * other than a scope. Not when the daemon that it was made for is no more.
 */
static int unit_put_once(sd_bus_message *m)
{
	g_autofree char *us = g_strdup_printf("/proc/%d", getpid());

	return sd_bus_message_append(m, "(sv)", "Conditions", "a(sbbs)", 1, "ConditionPathExists",
				     false, false, us);
}

static int unit_put_limits(sd_bus_message *m)
{
	uint64_t memory = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
	int r;

	r = unit_put_number(m, "TasksMax", TRANSIENT_TASKS);
	if (r >= 0)
		r = unit_put_number(m, "MemoryMax", memory / 100 * TRANSIENT_MEMORY_PCT);
	return r;
}

static int unit_put_service(sd_bus_message *m, const struct transient *t,
			    const struct cage_service *s)
{
	int r;

	r = unit_put_common(m, t, s->description, "lrtbf-load.slice");
	if (r >= 0)
		r = unit_put_string(m, "Type", "exec"); /* its job fails when it cannot be run */
	if (r >= 0)
		r = unit_put_string(m, "KillMode", "mixed"); /* the nanny ends its load itself */
	if (r >= 0 && t->own)
		r = unit_put_once(m);
	if (r >= 0)
		r = unit_put_limits(m);
	if (r >= 0 && !s->root)
		r = unit_put_user(m, t);
	if (r >= 0)
		r = unit_put_descriptors(m, s->fds);
	if (r >= 0)
		r = unit_put_command(m, "ExecStart", s->command);
	if (r >= 0 && s->after)
		r = unit_put_command(m, "ExecStopPost", s->after);
	return r;
}

static int unit_put_scope(sd_bus_message *m, const struct transient *t, const struct cage_scope *s)
{
	int r;

	r = unit_put_common(m, t, s->description, "lrtbf-measure.slice");
	if (r >= 0)
		r = sd_bus_message_append(m, "(sv)", "PIDs", "au", 1, (uint32_t)s->pid);
	return r;
}

/* --- asking --- */

static int unit_message(sd_bus *bus, const char *name, sd_bus_message **ret)
{
	int r;

	r = systemd1_message(bus, "StartTransientUnit", ret);
	if (r >= 0)
		r = sd_bus_message_append(*ret, "ss", name, "fail");
	if (r >= 0)
		r = sd_bus_message_open_container(*ret, 'a', "(sv)");
	return r;
}

static int unit_ask(struct transient *t, sd_bus_message *m, const char *name, bool service,
		    cage_started_t started, void *userdata, struct cage_unit **ret)
{
	struct cage_unit *u;
	int r;

	r = sd_bus_message_close_container(m);
	if (r >= 0)
		r = sd_bus_message_append(m, "a(sa(sv))", 0); /* no unit beside it */
	if (r < 0)
		return r;
	u = g_new0(struct cage_unit, 1);
	u->transient = t;
	u->name = g_strdup(name);
	u->service = service;
	u->started = started;
	u->userdata = userdata;
	r = systemd1_job(t->bus, m, name, TRANSIENT_START_USEC, on_unit_started, u, &u->call);
	if (r < 0) {
		unit_leave(u);
		return r;
	}
	*ret = u;
	return 0;
}

static int transient_scope(void *cage, const struct cage_scope *s, cage_started_t started,
			   void *userdata, struct cage_unit **ret)
{
	g_autoptr(sd_bus_message) m = NULL;
	struct transient *t = cage;
	int r;

	r = unit_message(t->bus, s->name, &m);
	if (r >= 0)
		r = unit_put_scope(m, t, s);
	return r < 0 ? r : unit_ask(t, m, s->name, false, started, userdata, ret);
}

static int transient_service(void *cage, const struct cage_service *s, cage_started_t started,
			     void *userdata, struct cage_unit **ret)
{
	g_autoptr(sd_bus_message) m = NULL;
	struct transient *t = cage;
	int r;

	r = unit_message(t->bus, s->name, &m);
	if (r >= 0)
		r = unit_put_service(m, t, s);
	return r < 0 ? r : unit_ask(t, m, s->name, true, started, userdata, ret);
}

/* --- life --- */

/* Our own service, which the work is bound to. */
static char *transient_own_unit(void)
{
	g_autofree char *unit = NULL;

	if (sd_pid_get_unit(0, &unit) < 0 || !g_str_has_suffix(unit, ".service"))
		return NULL;
	return g_steal_pointer(&unit);
}

/*
 * A user of the system stands in the file that sysusers writes to. getpwnam() might ask a server
 * for it, and wait.
 */
static bool transient_has_user(const char *name)
{
	FILE *f = fopen("/etc/passwd", "re");
	const struct passwd *p;
	bool found = false;

	while (f && !found && (p = fgetpwent(f)))
		found = strcmp(p->pw_name, name) == 0;
	if (f)
		(void)fclose(f); /* only read */
	return found;
}

struct transient *transient_new(sd_bus *bus)
{
	struct transient *t;

	if (geteuid() != 0)
		return NULL;
	t = g_new0(struct transient, 1);
	t->bus = sd_bus_ref(bus);
	t->own = transient_own_unit();
	t->nobody = !transient_has_user(TRANSIENT_USER);
	t->cage = (struct cage){
		.userdata = t,
		.scope = transient_scope,
		.service = transient_service,
		.kill = unit_kill,
		.leave = unit_leave,
	};
	return t;
}

struct transient *transient_free(struct transient *t)
{
	if (!t)
		return NULL;
	sd_bus_unref(t->bus);
	g_free(t->own);
	g_free(t);
	return NULL;
}

const struct cage *transient_cage(const struct transient *t)
{
	return t ? &t->cage : NULL;
}

/* PID 1 has ended what was bound to a daemon that was killed; this is for what was not. */
void transient_clear(const struct transient *t)
{
	static const char *const patterns[] = { "lrtbf-load-*.service", "lrtbf-measure-*.scope",
						NULL };
	int r;

	if (!t)
		return;
	r = systemd1_clear(t->bus, patterns);
	if (r > 0)
		log_notice("Killed %d unit%s that an earlier lrtbfd left.", r, r == 1 ? "" : "s");
	else if (r < 0 && r != -EOPNOTSUPP)
		log_warning("Whether an earlier lrtbfd left loads cannot be asked of systemd: %s",
			    g_strerror(-r));
}
