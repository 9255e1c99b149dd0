/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lrtbf-load: the nanny of one load. Reads its errand on descriptor 3, starts a guardian for each
 * instance (shelter.c, instance.c), says how it goes on descriptor 4 and is told by SIGTERM to end.
 *
 * Three generations, and the death of any one ends all below it, by the kernel's hand and not by a
 * program's good will:
 *
 *	lrtbfd -> lrtbf-load (the nanny) -> a guardian per instance -> the command and all it starts
 *
 * The nanny asks for SIGKILL when the daemon dies, a guardian when the nanny dies, and the process
 * namespace goes with its guardian. The kernel sends such a signal with the rights of the one who
 * dies: a root without CAP_KILL has none over nobody's processes. Both therefore also watch a
 * descriptor whose other end goes with the one above. Where no namespace is permitted the signal is
 * SIGTERM: a guardian then ends its tree itself; only its own SIGKILL leaves orphans, which become
 * children of the nanny.
 *
 * As a unit of PID 1 (--stdio) it has no daemon above it but the one at the other end of its status
 * socket, and PID 1 ends whatever is left in the unit when it is gone. --sweep, afterwards, empties
 * the scratch folder on descriptor 2, as the user whose files they are.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cleanup.h"
#include "command.h"
#include "instance.h"
#include "rights.h"
#include "scratch.h"
#include "shelter.h"
#include "status.h"
#include "tree.h"

/* What lrtbfd has it do otherwise than as its child. */
#define NANNY_STDIO "--stdio"
#define NANNY_SWEEP "--sweep"

/* A guardian gives its command 100 ms; one that has not ended by then is killed with all it guards.
 */
#define NANNY_GRACE_MS	      300
#define NANNY_KILL_TIMEOUT_NS 2000000000ULL

struct nanny {
	struct errand *errand;
	char *path;
	enum shelter_kind kind;
	int life[2]; /* guardians see the writing end close when this process dies */
	int signal_fd;
	pid_t *guard;
	unsigned n_guards, n_alive;
	bool ending;
};

static int nanny_read_errand(struct errand **ret, char **ret_message)
{
	g_autofree char *text = g_malloc(ERRAND_TEXT_MAX);
	size_t size = 0;
	ssize_t n;

	do {
		n = read(ERRAND_FD, text + size, ERRAND_TEXT_MAX - size);
		if (n > 0)
			size += n;
	} while (n > 0 || (n < 0 && errno == EINTR));
	if (n < 0) {
		*ret_message = g_strdup_printf("No errand on descriptor %d: %s.", ERRAND_FD,
					       g_strerror(errno));
		return -errno;
	}
	return errand_parse(text, size, ret, ret_message);
}

static int nanny_find_command(struct nanny *n)
{
	const char *name = n->errand->command[0];
	int r = command_find(name, &n->path);

	if (r == -ENOENT)
		status_send("absent", "%s is not there (looked in %s)", name, COMMAND_PATH);
	else if (r < 0)
		status_send("refused", "%s cannot be executed: %s", name, g_strerror(-r));
	return r;
}

static _Noreturn void nanny_be_guardian(const struct nanny *n)
{
	struct instance i = { .errand = n->errand,
			      .path = n->path,
			      .life_fd = n->life[0],
			      .namespaced = n->kind != SHELTER_TREE };

	prctl(PR_SET_NAME, "lrtbf-guard", 0, 0, 0);
	close(n->signal_fd);
	instance_guard(&i);
	_exit(0);
}

static int nanny_start_guardians(struct nanny *n)
{
	g_autofree char *message = NULL;

	n->guard = g_new0(pid_t, n->errand->instances);
	if (n->errand->no_namespace)
		n->kind = SHELTER_TREE;
	for (unsigned i = 0; i < n->errand->instances; i++) {
		g_auto(fd_t) pidfd = -1;
		pid_t pid = shelter_fork(n->errand, n->life[1], &n->kind, &pidfd, &message);

		if (pid == 0)
			nanny_be_guardian(n);
		if (pid < 0) {
			status_send("refused", "%s", message);
			return pid;
		}
		status_send_fd("guard", n->kind == SHELTER_TREE ? "tree" : "namespace", pidfd);
		n->guard[n->n_guards++] = pid;
		n->n_alive++;
	}
	return 0;
}

static void nanny_signal_guardians(const struct nanny *n, int signo)
{
	for (unsigned i = 0; i < n->n_guards; i++)
		if (n->guard[i] > 0)
			kill(n->guard[i], signo);
}

/* A guardian of a tree cannot end it any more: what it guarded is now below this process. */
static void nanny_end_orphans(const struct nanny *n)
{
	if (n->kind == SHELTER_TREE && n->n_alive == 0)
		(void)tree_kill(false,
				NANNY_KILL_TIMEOUT_NS); /* nobody is left who could do more */
}

static void nanny_on_guard_end(struct nanny *n, unsigned i, int status)
{
	n->guard[i] = 0;
	n->n_alive--;
	if (WIFSIGNALED(status) && !n->ending) {
		status_send("died", "its guardian was killed by signal %d (%s)", WTERMSIG(status),
			    strsignal(WTERMSIG(status)));
		/* the orphans of one cannot be told from those of others: all instances end */
		if (n->kind == SHELTER_TREE)
			nanny_signal_guardians(n, SIGTERM);
	}
}

static void nanny_reap(struct nanny *n)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		for (unsigned i = 0; i < n->n_guards; i++)
			if (n->guard[i] == pid)
				nanny_on_guard_end(n, i, status);
}

static void nanny_end(struct nanny *n)
{
	n->ending = true;
	nanny_signal_guardians(n, SIGTERM);
}

static void nanny_on_signals(struct nanny *n)
{
	struct signalfd_siginfo si;

	while (read(n->signal_fd, &si, sizeof(si)) == sizeof(si))
		if (si.ssi_signo == SIGTERM)
			nanny_end(n);
	nanny_reap(n);
}

static void nanny_run(struct nanny *n)
{
	while (n->n_alive > 0) {
		struct pollfd p[] = { { .fd = n->signal_fd, .events = POLLIN },
				      { .fd = n->ending ? -1 : ERRAND_STATUS_FD,
					.events = POLLRDHUP } };
		int r = poll(p, G_N_ELEMENTS(p), n->ending ? NANNY_GRACE_MS : -1);

		if (r > 0 && p[1].revents)
			nanny_end(n);
		if (r > 0 && p[0].revents)
			nanny_on_signals(n);
		if (r == 0)
			nanny_signal_guardians(n, SIGKILL);
	}
	nanny_end_orphans(n);
}

static int nanny_set_up(struct nanny *n)
{
	sigset_t watched;

	sigemptyset(&watched);
	sigaddset(&watched, SIGTERM);
	sigaddset(&watched, SIGCHLD);
	if (sigprocmask(SIG_SETMASK, &watched, NULL) < 0)
		return -errno;
	signal(SIGPIPE, SIG_IGN);
	(void)setsid(); /* fails for a group leader, which is as well */
	n->signal_fd = signalfd(-1, &watched, SFD_CLOEXEC | SFD_NONBLOCK);
	if (n->signal_fd < 0 || pipe2(n->life, O_CLOEXEC) < 0)
		return -errno;
	if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) < 0)
		return -errno;
	return rights_bound(n->errand);
}

/* Nothing but what the errand brings may reach a load. */
static int nanny_close_others(const struct errand *e)
{
	int last = e->scratch ? ERRAND_SCRATCH_FD : ERRAND_STATUS_FD;

	if (syscall(SYS_close_range, last + 1, ~0U, 0) < 0)
		return -errno;
	for (int fd = ERRAND_FD; fd <= last; fd++)
		if (fcntl(fd, F_SETFD, FD_CLOEXEC) < 0)
			return -errno;
	return 0;
}

/* PID 1 gives a service its descriptors as 0, 1 and 2. */
static int nanny_take_stdio(void)
{
	for (int fd = 0; fd < 3; fd++)
		if (dup2(fd, ERRAND_FD + fd) < 0)
			return -errno;
	if (syscall(SYS_close_range, 0, 2, 0) < 0 || open("/dev/null", O_RDWR) != 0 ||
	    dup2(0, 1) < 0 || dup2(0, 2) < 0)
		return -errno;
	return 0;
}

/* Whoever sent the errand has gone away, or has thought better of it. */
static bool nanny_is_late(void)
{
	struct pollfd p = { .fd = ERRAND_STATUS_FD, .events = POLLRDHUP };

	return poll(&p, 1, 0) > 0 && p.revents;
}

static int nanny_begin(struct nanny *n)
{
	int r;

	r = nanny_close_others(n->errand);
	if (r == 0)
		r = nanny_set_up(n);
	if (r < 0) {
		status_send("refused", "its nanny cannot be set up: %s", g_strerror(-r));
		return r;
	}
	r = nanny_find_command(n);
	if (r < 0)
		return r;
	r = nanny_start_guardians(n);
	if (r == 0)
		r = rights_drop(n->errand);
	/* the daemon may have died before this line: then there is another parent already */
	if (r == 0 &&
	    prctl(PR_SET_PDEATHSIG, n->kind == SHELTER_TREE ? SIGTERM : SIGKILL, 0, 0, 0) < 0)
		r = -errno;
	return r;
}

int main(int argc, char **argv)
{
	g_autoptr(errand_t) e = NULL;
	g_autofree char *message = NULL;
	struct nanny n = { .kind = SHELTER_NAMESPACE, .life = { -1, -1 }, .signal_fd = -1 };
	int r;

	if (argc == 2 && strcmp(argv[1], NANNY_SWEEP) == 0)
		return scratch_empty(STDERR_FILENO) < 0 ? 1 : 0;
	if (argc > 2 || (argc == 2 && strcmp(argv[1], NANNY_STDIO) != 0)) {
		fprintf(stderr, "lrtbf-load is started by lrtbfd and not by hand.\n");
		return 64;
	}
	r = argc == 2 ? nanny_take_stdio() : 0;
	if (r == 0)
		r = nanny_read_errand(&e, &message);
	if (r < 0) {
		fprintf(stderr, "lrtbf-load: %s\n", message ?: g_strerror(-r));
		return 1;
	}
	if (nanny_is_late())
		return 0;
	n.errand = e;
	r = nanny_begin(&n);
	if (r < 0 || (e->parent && getppid() != e->parent))
		nanny_end(&n);
	nanny_run(&n);
	if (e->scratch)
		(void)scratch_empty(ERRAND_SCRATCH_FD); /* the daemon removes it and reports */
	/* PID 1 holds the socket, too, and may have to wait before it lets go */
	(void)shutdown(ERRAND_STATUS_FD, SHUT_WR); /* with the daemon gone nobody looks */
	g_free(n.guard);
	g_free(n.path);
	return r < 0 ? 1 : 0;
}
