/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Holds a service's descriptors until its process is gone and what comes after it has run, as PID 1
 * does. A unit that is left goes on; it is the fake's until the end.
 */
#include "fake-cage.h"

#include "clock.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct cage_unit {
	struct fake_cage *fake;
	enum fake_asked asked;
	cage_started_t started; /* NULL: nobody wants to know */
	void *userdata;
	GStrv command, after;
	int fds[3];
	pid_t pid; /* of a service that runs */
	sd_event_source *timer, *child;
};

static void unit_close(struct cage_unit *u)
{
	for (int i = 0; i < 3; i++) {
		if (u->fds[i] >= 0)
			close(u->fds[i]);
		u->fds[i] = -1;
	}
}

static pid_t unit_spawn(const struct cage_unit *u, char **argv)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	sigset_t none;
	pid_t pid;

	sigemptyset(&none);
	posix_spawn_file_actions_init(&actions);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK);
	posix_spawnattr_setsigmask(&attr, &none);
	for (int i = 0; i < 3; i++)
		if (u->fds[i] >= 0)
			posix_spawn_file_actions_adddup2(&actions, u->fds[i], i);
	g_assert_cmpint(posix_spawn(&pid, argv[0], &actions, &attr, argv, environ), ==, 0);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&actions);
	return pid;
}

static void unit_end(struct cage_unit *u)
{
	u->pid = 0;
	if (u->after)
		waitpid(unit_spawn(u, u->after), NULL, 0);
	unit_close(u);
}

static int on_unit_exit(sd_event_source *source, const siginfo_t *si, void *userdata)
{
	struct cage_unit *u = userdata;

	u->child = sd_event_source_disable_unref(u->child);
	unit_end(u);
	return 0;
}

static int on_unit_due(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct cage_unit *u = userdata;
	const struct fake_behaviour *b = &u->fake->behaviour[u->asked];

	u->timer = sd_event_source_disable_unref(u->timer);
	if (u->started && !b->silent) {
		u->fake->answered++;
		if (u->asked == FAKE_SERVICE && b->answer == 0) {
			u->pid = unit_spawn(u, u->command);
			g_assert_cmpint(sd_event_add_child(*u->fake->event, &u->child, u->pid,
							   WEXITED, on_unit_exit, u),
					>=, 0);
		}
		u->started(b->answer, b->answer ? "it was refused" : NULL, u->userdata);
	}
	if (b->starts) { /* so late that whoever asked has gone another way */
		u->pid = unit_spawn(u, u->command);
		waitpid(u->pid, NULL, 0);
		unit_end(u);
	} else if (u->pid == 0) {
		unit_close(u);
	}
	return 0;
}

static int unit_ask(struct fake_cage *f, enum fake_asked asked, const char *name,
		    cage_started_t started, void *userdata, struct cage_unit **ret)
{
	struct cage_unit *u;

	g_ptr_array_add(f->names[asked], g_strdup(name));
	if (f->behaviour[asked].error < 0)
		return f->behaviour[asked].error;
	u = g_new0(struct cage_unit, 1);
	u->fake = f;
	u->asked = asked;
	u->started = started;
	u->userdata = userdata;
	u->fds[0] = u->fds[1] = u->fds[2] = -1;
	g_ptr_array_add(f->units, u);
	g_assert_cmpint(
		clock_timer(*f->event, &u->timer, f->behaviour[asked].delay_ns, on_unit_due, u), >=,
		0);
	*ret = u;
	return 0;
}

static int fake_scope(void *cage, const struct cage_scope *s, cage_started_t started,
		      void *userdata, struct cage_unit **ret)
{
	struct fake_cage *f = cage;

	f->scope_pid = s->pid;
	return unit_ask(f, FAKE_SCOPE, s->name, started, userdata, ret);
}

static int fake_service(void *cage, const struct cage_service *s, cage_started_t started,
			void *userdata, struct cage_unit **ret)
{
	int r = unit_ask(cage, FAKE_SERVICE, s->name, started, userdata, ret);

	if (r < 0)
		return r;
	(*ret)->command = g_strdupv((char **)s->command);
	(*ret)->after = g_strdupv((char **)s->after);
	for (int i = 0; i < 3; i++)
		if (s->fds[i] >= 0)
			(*ret)->fds[i] = fcntl(s->fds[i], F_DUPFD_CLOEXEC, 16);
	return 0;
}

static void fake_kill(struct cage_unit *u, int signo)
{
	if (signo == SIGKILL)
		u->fake->kills++;
	else
		u->fake->terms++;
	if (u->pid > 0)
		kill(u->pid, signo);
}

static struct cage_unit *fake_leave(struct cage_unit *u)
{
	if (u)
		u->started = NULL;
	return NULL;
}

struct fake_cage *fake_cage_new(sd_event **event)
{
	struct fake_cage *f = g_new0(struct fake_cage, 1);

	f->event = event;
	f->units = g_ptr_array_new();
	for (int i = 0; i < 2; i++)
		f->names[i] = g_ptr_array_new_with_free_func(g_free);
	f->cage = (struct cage){
		.userdata = f,
		.scope = fake_scope,
		.service = fake_service,
		.kill = fake_kill,
		.leave = fake_leave,
	};
	return f;
}

void fake_cage_free(struct fake_cage *f)
{
	for (guint i = 0; i < f->units->len; i++) {
		struct cage_unit *u = f->units->pdata[i];

		sd_event_source_disable_unref(u->timer);
		sd_event_source_disable_unref(u->child);
		if (u->pid > 0) {
			kill(u->pid, SIGKILL);
			waitpid(u->pid, NULL, 0);
		}
		unit_close(u);
		g_strfreev(u->command);
		g_strfreev(u->after);
		g_free(u);
	}
	g_ptr_array_unref(f->units);
	for (int i = 0; i < 2; i++)
		g_ptr_array_unref(f->names[i]);
	g_free(f);
}

static bool unit_lives(const struct cage_unit *u)
{
	siginfo_t si = { 0 };

	return u->pid > 0 && waitid(P_PID, u->pid, &si, WEXITED | WNOHANG | WNOWAIT) == 0 &&
	       si.si_pid == 0;
}

unsigned fake_cage_living(const struct fake_cage *f)
{
	unsigned n = 0;

	for (guint i = 0; i < f->units->len; i++)
		n += unit_lives(f->units->pdata[i]);
	return n;
}

void fake_cage_murder(const struct fake_cage *f)
{
	for (guint i = 0; i < f->units->len; i++)
		if (unit_lives(f->units->pdata[i]))
			kill(((struct cage_unit *)f->units->pdata[i])->pid, SIGKILL);
}
