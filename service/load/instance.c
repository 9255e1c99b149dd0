/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One guardian for each instance, instead of one for all: "every process below me" then is exactly
 * what this instance has started, and can be ended at each end of the command, so that a command
 * which leaves processes behind and is begun again a thousand times is no fork bomb.
 *
 * The command's errors go through a pipe and its first line is kept: "dd: invalid number: '1m'" is
 * the whole answer to why a stage ran unloaded, and it stands nowhere else.
 */
#include "instance.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cleanup.h"
#include "command.h"
#include "monotonic.h"
#include "status.h"
#include "tree.h"

/* Between SIGTERM and SIGKILL at the end. */
#define INSTANCE_GRACE_NS (100 * NS_PER_MS)
/* A command that ends sooner than this is begun again only after it. */
#define INSTANCE_SHORTEST_NS NS_PER_MS
/* How long ended processes may take to go (writing to a slow disk, say). */
#define INSTANCE_KILL_TIMEOUT_NS (2000 * NS_PER_MS)
#define INSTANCE_COMPLAINT_MAX	 200

enum instance_state {
	INSTANCE_WAITING, /* to begin, at due_ns */
	INSTANCE_RUNNING, /* restart at due_ns, 0: never */
	INSTANCE_ENDING,  /* has got SIGTERM, gets SIGKILL at due_ns */
	INSTANCE_OVER,
};

struct guard {
	const struct instance *instance;
	const struct errand *errand;
	enum instance_state state;
	uint64_t due_ns, begun_ns;
	bool started_told;
	pid_t pid; /* the command's; 0: not running */
	int signal_fd, null_fd;
	int error_fd; /* reading end of its standard error; -1: none */
	char complaint[INSTANCE_COMPLAINT_MAX + 1]; /* its first line of the present run */
	size_t complaint_len;
	bool complaint_full;
};

/* Keeps the first line that says something, as far as it can be shown. */
static void guard_note(struct guard *g, const char *data, size_t size)
{
	for (size_t i = 0; i < size && !g->complaint_full; i++) {
		char c = data[i];

		if (c == '\n') {
			g->complaint_full = g->complaint_len > 0;
			continue;
		}
		if (c == ' ' && g->complaint_len == 0)
			continue;
		g->complaint[g->complaint_len++] = g_ascii_isprint(c) ? c : '?';
		g->complaint_full = g->complaint_len == INSTANCE_COMPLAINT_MAX;
	}
	g->complaint[g->complaint_len] = '\0';
}

static void guard_read_errors(struct guard *g)
{
	char buf[4096];
	ssize_t n;

	if (g->error_fd < 0)
		return;
	/* bounded: a command that complains endlessly must not keep the guardian from its signals
	 */
	for (int i = 0; i < 16; i++) {
		n = read(g->error_fd, buf, sizeof(buf));
		if (n > 0) {
			guard_note(g, buf, n);
			continue;
		}
		if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
			close(g->error_fd);
			g->error_fd = -1;
		}
		return;
	}
}

static _Noreturn void guard_exec(const struct guard *g, int error_fd, int report_fd)
{
	static const char *const environment[] = { "PATH=" COMMAND_PATH, "LANG=C", "LC_ALL=C",
						   "HOME=/nonexistent",	 NULL,	   NULL };
	const char *env[G_N_ELEMENTS(environment)];
	sigset_t none;
	int e;

	memcpy(env, environment, sizeof(env));
	/* relative: the folders above the scratch folder may be closed to this user */
	env[4] = g->errand->scratch ? "TMPDIR=." : "TMPDIR=/tmp";
	sigemptyset(&none);
	signal(SIGPIPE, SIG_DFL);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (setsid() < 0 || prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0 ||
	    (g->errand->scratch ? fchdir(ERRAND_SCRATCH_FD) : chdir("/")) < 0 ||
	    dup2(g->null_fd, 0) < 0 || dup2(g->null_fd, 1) < 0 || dup2(error_fd, 2) < 0)
		goto fail;
	execve(g->instance->path, g->errand->command, (char *const *)env);
fail:
	e = errno;
	(void)!write(report_fd, &e, sizeof(e)); /* nobody else to tell */
	_exit(127);
}

/* The errno that kept the child from executing; 0: it runs. */
static int guard_read_report(int fd)
{
	ssize_t n;
	int e = 0;

	do {
		n = read(fd, &e, sizeof(e));
	} while (n < 0 && errno == EINTR);
	return n == sizeof(e) ? e : 0;
}

static int guard_spawn(struct guard *g)
{
	int report[2], errors[2], e;
	pid_t pid;

	if (pipe2(report, O_CLOEXEC) < 0)
		return -errno;
	if (pipe2(errors, O_CLOEXEC) < 0) {
		e = errno;
		close(report[0]);
		close(report[1]);
		return -e;
	}
	pid = fork();
	if (pid == 0)
		guard_exec(g, errors[1], report[1]);
	e = pid < 0 ? errno : 0;
	close(report[1]);
	close(errors[1]);
	if (pid > 0)
		e = guard_read_report(report[0]);
	close(report[0]);
	if (e != 0) {
		close(errors[0]);
		if (pid > 0)
			waitpid(pid, NULL, 0);
		return -e;
	}
	(void)fcntl(errors[0], F_SETFL, O_NONBLOCK);
	fd_close(g->error_fd);
	g->error_fd = errors[0];
	g->pid = pid;
	return 0;
}

static void guard_begin(struct guard *g, uint64_t now_ns)
{
	int r;

	g->complaint_len = 0;
	g->complaint[0] = '\0';
	g->complaint_full = false;
	r = guard_spawn(g);
	if (r < 0) {
		/* found a moment ago, so the interpreter of a script is what is missing */
		if (r == -ENOENT)
			status_send("absent", "%s or its interpreter is not there",
				    g->instance->path);
		else
			status_send("refused", "%s cannot be executed: %s", g->instance->path,
				    g_strerror(-r));
		g->state = INSTANCE_OVER;
		return;
	}
	if (!g->started_told)
		status_send("started", " ");
	g->started_told = true;
	g->state = INSTANCE_RUNNING;
	g->begun_ns = now_ns;
	g->due_ns = g->errand->restart_after_ns ? now_ns + g->errand->restart_after_ns : 0;
}

/* Nothing of the ended run may live on into the next one. */
static bool guard_clear(struct guard *g)
{
	if (tree_kill(g->instance->namespaced, INSTANCE_KILL_TIMEOUT_NS) == 0)
		return true;
	status_send("died", "%s left processes behind that cannot be ended", g->errand->command[0]);
	g->state = INSTANCE_OVER;
	return false;
}

static void guard_again(struct guard *g, uint64_t pause_ns)
{
	uint64_t now_ns = monotonic_ns();

	g->state = INSTANCE_WAITING;
	g->due_ns = MAX(now_ns + pause_ns, g->begun_ns + INSTANCE_SHORTEST_NS);
}

static void guard_tell_death(const struct guard *g, int status)
{
	const char *command = g->errand->command[0];
	const char *colon = g->complaint_len > 0 ? ": " : "";

	if (WIFSIGNALED(status))
		status_send("died", "%s was killed by signal %d (%s)%s%s", command,
			    WTERMSIG(status), strsignal(WTERMSIG(status)), colon, g->complaint);
	else
		status_send("died", "%s ended with status %d%s%s", command, WEXITSTATUS(status),
			    colon, g->complaint);
}

static bool guard_ended_well(const struct guard *g, int status)
{
	return WIFEXITED(status) && WEXITSTATUS(status) < 64 &&
	       g->errand->end_statuses >> WEXITSTATUS(status) & 1;
}

static void guard_on_end(struct guard *g, int status)
{
	enum instance_state was = g->state;

	g->pid = 0;
	guard_read_errors(g);
	if (!guard_clear(g))
		return;
	if (was == INSTANCE_ENDING) {
		g->state = INSTANCE_OVER;
	} else if (g->errand->repeat && guard_ended_well(g, status)) {
		guard_again(g, g->errand->pause_ns);
	} else {
		guard_tell_death(g, status);
		g->state = INSTANCE_OVER;
	}
}

static void guard_reap(struct guard *g)
{
	int status, ended = 0;
	bool mine = false;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		if (pid != g->pid)
			continue;
		mine = true;
		ended = status;
	}
	if (mine)
		guard_on_end(g, ended);
}

static void guard_terminate(struct guard *g)
{
	if (g->state == INSTANCE_RUNNING) {
		kill(-g->pid, SIGTERM);
		g->state = INSTANCE_ENDING;
		g->due_ns = monotonic_ns() + INSTANCE_GRACE_NS;
	} else if (g->state == INSTANCE_WAITING) {
		g->state = INSTANCE_OVER;
	}
}

static void guard_on_signals(struct guard *g)
{
	struct signalfd_siginfo si;

	while (read(g->signal_fd, &si, sizeof(si)) == sizeof(si))
		if (si.ssi_signo == SIGTERM)
			guard_terminate(g);
	guard_reap(g);
}

static void guard_on_time(struct guard *g, uint64_t now_ns)
{
	switch (g->state) {
	case INSTANCE_WAITING:
		guard_begin(g, now_ns);
		break;
	case INSTANCE_RUNNING: /* its time is up: end all of it, begin again */
		g->pid = 0;
		if (guard_clear(g))
			guard_again(g, 0);
		break;
	case INSTANCE_ENDING:
		g->pid = 0;
		if (guard_clear(g))
			g->state = INSTANCE_OVER;
		break;
	case INSTANCE_OVER:
		break;
	}
}

static int guard_timeout_ms(const struct guard *g)
{
	uint64_t now_ns = monotonic_ns();

	if (g->due_ns == 0)
		return -1;
	if (g->due_ns <= now_ns)
		return 0;
	return MIN((g->due_ns - now_ns + NS_PER_MS - 1) / NS_PER_MS, 60000);
}

static void guard_turn(struct guard *g)
{
	struct pollfd p[] = { { .fd = g->signal_fd, .events = POLLIN },
			      { .fd = g->instance->life_fd, .events = POLLIN },
			      { .fd = g->error_fd, .events = POLLIN } };
	uint64_t now_ns;

	if (poll(p, G_N_ELEMENTS(p), guard_timeout_ms(g)) < 0)
		return;
	if (p[2].revents)
		guard_read_errors(g);
	if (p[0].revents)
		guard_on_signals(g);
	if (p[1].revents) { /* the nanny is gone: no grace for a load nobody watches */
		g->state = INSTANCE_OVER;
		return;
	}
	now_ns = monotonic_ns();
	if (g->due_ns && now_ns >= g->due_ns)
		guard_on_time(g, now_ns);
}

void instance_guard(const struct instance *i)
{
	struct guard g = { .instance = i, .errand = i->errand, .error_fd = -1 };
	sigset_t watched;

	sigemptyset(&watched);
	sigaddset(&watched, SIGTERM);
	sigaddset(&watched, SIGCHLD);
	g.signal_fd = signalfd(-1, &watched, SFD_CLOEXEC | SFD_NONBLOCK);
	g.null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (g.signal_fd < 0 || g.null_fd < 0) {
		status_send("refused", "a load's guardian cannot be set up: %s", g_strerror(errno));
		return;
	}
	g.due_ns = monotonic_ns();
	while (g.state != INSTANCE_OVER)
		guard_turn(&g);
	if (tree_kill(i->namespaced, INSTANCE_KILL_TIMEOUT_NS) < 0)
		status_send("died", "%s left processes behind that cannot be ended",
			    i->errand->command[0]);
}
