/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * News waits in a queue and is told by one event source, one piece a turn: whoever is told may free
 * the set in that moment, so nothing may be touched afterwards, and no handler has to know that.
 *
 * "Gone" is not the nanny's exit: a nanny may be killed, or a load may hang in the kernel. Each
 * nanny hands over pidfds of its guardians, and a guardian's pidfd becomes readable when the last
 * process it guards is gone (the kernel lets the first process of a namespace end only after all
 * others).
 */
#include "loadset.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cleanup.h"
#include "command.h"
#include "errand.h"
#include "scratch.h"

typedef struct errand errand_t;
typedef struct loadset loadset_t;
G_DEFINE_AUTOPTR_CLEANUP_FUNC(errand_t, errand_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(loadset_t, loadset_free)

#define USEC_PER_MS	  1000ULL
#define LOADSET_KILL_USEC (500 * USEC_PER_MS)
/* A process that SIGKILL has not ended by then hangs in the kernel: said, and not waited for. */
#define LOADSET_GIVE_UP_USEC (5000 * USEC_PER_MS)
#define LOADSET_FREE_WAIT_MS 500
/* Descriptors are moved up here before they are put where the nanny looks for them. */
#define LOADSET_FD_MIN 16

struct nanny {
	struct loadset *set;
	char *name;		  /* the load's */
	unsigned wanted, started; /* instances */
	bool troubled;
	pid_t pid;     /* 0: none, or ended and reaped */
	char *scratch; /* folder's name within scratch_dir; NULL: none */
	int status_fd;
	sd_event_source *child_source, *status_source;
	GPtrArray *guards; /* of struct guard: those that live */
};

struct guard {
	struct nanny *nanny;
	int pidfd;
	sd_event_source *source;
};

struct news {
	const char *finding_id;
	char *text;
};

struct loadset {
	/* configuration */
	sd_event *event;
	char *load_path, *scratch_dir;
	bool pinned;
	cpu_set_t cpus;
	loadset_news_t news;
	void *userdata;
	/* changes */
	GPtrArray *nannies;	/* of struct nanny */
	uint64_t scratch_bytes; /* promised to loads of this set */
	GQueue troubles;	/* of struct news */
	bool running_told, stopping, killed, gone_told;
	sd_event_source *news_source, *stop_timer;
};

static void news_free(struct news *n)
{
	g_free(n->text);
	g_free(n);
}

static void guard_free(void *data)
{
	struct guard *g = data;

	sd_event_source_disable_unref(g->source);
	close(g->pidfd);
	g_free(g);
}

static void nanny_free(void *data)
{
	struct nanny *n = data;

	sd_event_source_disable_unref(n->child_source);
	sd_event_source_disable_unref(n->status_source);
	g_ptr_array_unref(n->guards);
	fd_close(n->status_fd);
	g_free(n->scratch);
	g_free(n->name);
	g_free(n);
}

/* --- news --- */

static bool nanny_settled(const struct nanny *n)
{
	return n->troubled || n->started >= n->wanted;
}

static bool nanny_gone(const struct nanny *n)
{
	return n->pid == 0 && n->guards->len == 0;
}

static bool loadset_all(const struct loadset *s, bool (*is)(const struct nanny *n))
{
	for (guint i = 0; i < s->nannies->len; i++)
		if (!is(s->nannies->pdata[i]))
			return false;
	return true;
}

/* Something changed: see whether there is news. */
static void loadset_review(struct loadset *s)
{
	/* cannot fail for a defer source that exists */
	(void)sd_event_source_set_enabled(s->news_source, SD_EVENT_ONESHOT);
}

static void loadset_trouble(struct loadset *s, const char *finding_id, char *text)
{
	struct news *n = g_new0(struct news, 1);

	n->finding_id = finding_id;
	n->text = text;
	g_queue_push_tail(&s->troubles, n);
	loadset_review(s);
}

/* Each trouble ends one load, so only the first is told; none is when the load is meant to end. */
static void nanny_trouble(struct nanny *n, const char *finding_id, const char *text)
{
	if (n->set->stopping || n->troubled)
		return;
	n->troubled = true;
	loadset_trouble(n->set, finding_id, g_strdup_printf("Load %s: %s.", n->name, text));
}

static void loadset_remove_scratch(struct loadset *s, struct nanny *n)
{
	int r;

	if (!n->scratch)
		return;
	r = scratch_remove(s->scratch_dir, n->scratch);
	if (r < 0 && r != -ENOENT)
		loadset_trouble(
			s, "load-left",
			g_strdup_printf("Scratch folder %s/%s of load %s cannot be removed: %s.",
					s->scratch_dir, n->scratch, n->name, g_strerror(-r)));
	g_clear_pointer(&n->scratch, g_free);
}

static int loadset_on_news(sd_event_source *source, void *userdata)
{
	struct loadset *s = userdata;
	loadset_news_t tell = s->news;
	void *listener = s->userdata;
	bool gone = s->stopping && loadset_all(s, nanny_gone);
	struct news *n;

	if (gone)
		for (guint i = 0; i < s->nannies->len; i++)
			loadset_remove_scratch(s, s->nannies->pdata[i]);
	n = g_queue_pop_head(&s->troubles);
	if (n) {
		loadset_review(s);
		tell(LOADSET_TROUBLE, n->finding_id, n->text, listener);
		news_free(n);
	} else if (!s->running_told && !s->stopping && loadset_all(s, nanny_settled)) {
		s->running_told = true;
		tell(LOADSET_RUNNING, NULL, NULL, listener);
	} else if (gone && !s->gone_told) {
		s->gone_told = true;
		tell(LOADSET_GONE, NULL, NULL, listener);
	}
	return 0;
}

/* --- what nannies say --- */

static int guard_on_end(sd_event_source *source, int fd, uint32_t revents, void *userdata)
{
	struct guard *g = userdata;
	struct loadset *s = g->nanny->set;

	g_ptr_array_remove_fast(g->nanny->guards, g);
	loadset_review(s);
	return 0;
}

static void nanny_add_guard(struct nanny *n, int pidfd)
{
	struct guard *g = g_new0(struct guard, 1);

	g->nanny = n;
	g->pidfd = pidfd;
	/* without an event source it cannot be waited for; the nanny's own end still is */
	if (sd_event_add_io(n->set->event, &g->source, pidfd, EPOLLIN, guard_on_end, g) < 0)
		guard_free(g);
	else
		g_ptr_array_add(n->guards, g);
}

static void nanny_on_message(struct nanny *n, const char *text, int fd)
{
	const char *rest = strchr(text, ' ');

	rest = rest ? rest + 1 : "";
	if (g_str_has_prefix(text, "guard ") && fd >= 0) {
		nanny_add_guard(n, fd);
		return;
	}
	fd_close(fd);
	if (g_str_has_prefix(text, "started")) {
		n->started++;
		loadset_review(n->set);
	} else if (g_str_has_prefix(text, "absent ") || g_str_has_prefix(text, "refused ")) {
		nanny_trouble(n, "load-absent", rest);
	} else if (g_str_has_prefix(text, "died ")) {
		nanny_trouble(n, "load-died", rest);
	}
}

/* 1: one message; 0: none waits; -EPIPE: the nanny has closed it. */
static int nanny_receive(struct nanny *n)
{
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control;
	char text[ERRAND_STATUS_MAX + 1];
	struct iovec iov = { .iov_base = text, .iov_len = sizeof(text) - 1 };
	struct msghdr msg = { .msg_iov = &iov,
			      .msg_iovlen = 1,
			      .msg_control = &control,
			      .msg_controllen = sizeof(control) };
	ssize_t size = recvmsg(n->status_fd, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	int fd = -1;

	if (size < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	if (size == 0)
		return -EPIPE;
	for (struct cmsghdr *c = CMSG_FIRSTHDR(&msg); c; c = CMSG_NXTHDR(&msg, c))
		if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS &&
		    c->cmsg_len == CMSG_LEN(sizeof(int)))
			memcpy(&fd, CMSG_DATA(c), sizeof(int));
	text[size] = '\0';
	nanny_on_message(n, text, fd);
	return 1;
}

static int nanny_on_status(sd_event_source *source, int fd, uint32_t revents, void *userdata)
{
	struct nanny *n = userdata;

	if (nanny_receive(n) < 0) {
		/* end-of-file stays readable; the exit is what counts */
		n->status_source = sd_event_source_disable_unref(n->status_source);
	}
	return 0;
}

static int nanny_on_exit(sd_event_source *source, const siginfo_t *si, void *userdata)
{
	struct nanny *n = userdata;

	while (n->status_source && nanny_receive(n) > 0) /* what it said last */
		;
	n->pid = 0;
	n->child_source = sd_event_source_disable_unref(n->child_source);
	if (si->si_code == CLD_EXITED) {
		nanny_trouble(n, "load-died", "its nanny ended");
	} else {
		g_autofree char *text = g_strdup_printf("its nanny was killed by signal %d (%s)",
							si->si_status, strsignal(si->si_status));

		nanny_trouble(n, "load-died", text);
	}
	loadset_review(n->set);
	return 0;
}

/* --- start --- */

/* The errand as an open file at its start. */
static int errand_to_fd(const struct errand *e, int *ret)
{
	g_autofree char *text = errand_to_text(e);
	size_t size = strlen(text);
	g_auto(fd_t) fd = memfd_create("lrtbf-load-errand", MFD_CLOEXEC);

	if (size > ERRAND_TEXT_MAX)
		return -E2BIG;
	if (fd < 0 || pwrite(fd, text, size, 0) != (ssize_t)size)
		return -errno;
	*ret = fd_steal(&fd);
	return 0;
}

/* Moves @fd out of the range that the nanny's descriptors are put into. */
static int fd_move_up(int *fd)
{
	int up;

	if (*fd < 0 || *fd >= LOADSET_FD_MIN)
		return 0;
	up = fcntl(*fd, F_DUPFD_CLOEXEC, LOADSET_FD_MIN);
	if (up < 0)
		return -errno;
	close(*fd);
	*fd = up;
	return 0;
}

static int nanny_spawn_with(const char *path, int errand_fd, int status_fd, int scratch_fd,
			    const posix_spawnattr_t *attributes, pid_t *ret_pid)
{
	char *argv[] = { (char *)"lrtbf-load", NULL };
	posix_spawn_file_actions_t actions;
	int r;

	r = posix_spawn_file_actions_init(&actions);
	if (r != 0)
		return -r;
	r = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDWR, 0);
	if (r == 0)
		r = posix_spawn_file_actions_adddup2(&actions, 0, 1);
	if (r == 0)
		r = posix_spawn_file_actions_adddup2(&actions, errand_fd, ERRAND_FD);
	if (r == 0)
		r = posix_spawn_file_actions_adddup2(&actions, status_fd, ERRAND_STATUS_FD);
	if (r == 0 && scratch_fd >= 0)
		r = posix_spawn_file_actions_adddup2(&actions, scratch_fd, ERRAND_SCRATCH_FD);
	if (r == 0)
		r = posix_spawn(ret_pid, path, &actions, attributes, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	return -r;
}

/* Signals as a new program expects them: the daemon blocks some. */
static int nanny_spawn(const char *path, int errand_fd, int status_fd, int scratch_fd,
		       pid_t *ret_pid)
{
	posix_spawnattr_t attributes;
	sigset_t none, all;
	int r;

	sigemptyset(&none);
	sigfillset(&all);
	r = posix_spawnattr_init(&attributes);
	if (r != 0)
		return -r;
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setsigdefault(&attributes, &all);
	r = nanny_spawn_with(path, errand_fd, status_fd, scratch_fd, &attributes, ret_pid);
	posix_spawnattr_destroy(&attributes);
	return r;
}

static int nanny_make_scratch(struct nanny *n, const struct errand *e, int *ret_fd,
			      char **ret_message)
{
	struct loadset *s = n->set;
	int r;

	if (!e->scratch)
		return 0;
	r = scratch_make(s->scratch_dir, n->name, e->scratch_bytes, 2 * s->scratch_bytes,
			 e->nobody ? ERRAND_NOBODY : (uid_t)-1, &n->scratch, ret_fd, ret_message);
	if (r == 0)
		s->scratch_bytes += e->scratch_bytes;
	return r;
}

static int nanny_watch(struct nanny *n)
{
	int r;

	r = sd_event_add_child(n->set->event, &n->child_source, n->pid, WEXITED, nanny_on_exit, n);
	if (r < 0)
		return r;
	r = sd_event_add_io(n->set->event, &n->status_source, n->status_fd, EPOLLIN,
			    nanny_on_status, n);
	if (r < 0)
		return r;
	/* what it said is heard before its end is */
	return sd_event_source_set_priority(n->child_source, SD_EVENT_PRIORITY_NORMAL + 1);
}

static int nanny_launch(struct nanny *n, struct errand *e, char **ret_message)
{
	g_auto(fd_t) errand_fd = -1, status_fd = -1, scratch_fd = -1;
	int pair[2], r;

	r = nanny_make_scratch(n, e, &scratch_fd, ret_message);
	if (r < 0)
		return r;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return -errno;
	n->status_fd = pair[0];
	status_fd = pair[1];
	r = errand_to_fd(e, &errand_fd);
	if (r == 0)
		r = fd_move_up(&errand_fd);
	if (r == 0)
		r = fd_move_up(&status_fd);
	if (r == 0)
		r = fd_move_up(&scratch_fd);
	if (r == 0)
		r = nanny_spawn(n->set->load_path, errand_fd, status_fd, scratch_fd, &n->pid);
	if (r == 0)
		r = nanny_watch(n);
	return r;
}

static void loadset_add(struct loadset *s, const struct load *l)
{
	g_autoptr(errand_t) e = errand_new(l);
	g_autofree char *message = NULL;
	struct nanny *n = g_new0(struct nanny, 1);
	int r;

	n->set = s;
	n->name = g_strdup(l->name);
	n->wanted = e->instances;
	n->status_fd = -1;
	n->guards = g_ptr_array_new_with_free_func(guard_free);
	g_ptr_array_add(s->nannies, n);
	e->nobody = geteuid() == 0 && !l->as_root;
	e->parent = getpid();
	e->pinned = s->pinned;
	e->cpus = s->cpus;
	e->no_namespace = g_getenv("LRTBF_LOAD_NO_NAMESPACE") != NULL;
	if (l->as_root && geteuid() != 0) {
		nanny_trouble(n, "load-absent",
			      "it needs root's rights and the daemon has not got them");
		return;
	}
	r = nanny_launch(n, e, &message);
	if (r < 0) {
		if (!message)
			message = g_strdup_printf("its nanny %s cannot be started: %s",
						  s->load_path, g_strerror(-r));
		g_strdelimit(g_strchomp(message), "\n", ' ');
		if (g_str_has_suffix(message, "."))
			message[strlen(message) - 1] = '\0';
		nanny_trouble(n, "load-absent", message);
	}
}

int loadset_start(const struct loadset_params *p, const GPtrArray *loads, struct loadset **ret,
		  char **ret_message)
{
	g_autoptr(loadset_t) s = g_new0(struct loadset, 1);
	int r;

	s->event = sd_event_ref(p->event);
	s->load_path = g_strdup(p->load_path);
	s->scratch_dir = g_strdup(p->scratch_dir);
	s->news = p->news;
	s->userdata = p->userdata;
	s->nannies = g_ptr_array_new_with_free_func(nanny_free);
	g_queue_init(&s->troubles);
	if (p->cpus) {
		s->pinned = true;
		s->cpus = *p->cpus;
	}
	r = sd_event_add_defer(s->event, &s->news_source, loadset_on_news, s);
	if (r < 0) {
		if (ret_message)
			*ret_message =
				g_strdup_printf("Loads cannot be watched: %s.", g_strerror(-r));
		return r;
	}
	for (guint i = 0; loads && i < loads->len; i++)
		loadset_add(s, loads->pdata[i]);
	*ret = g_steal_pointer(&s);
	return 0;
}

/* --- end --- */

static void loadset_signal(struct loadset *s, int signo)
{
	for (guint i = 0; i < s->nannies->len; i++) {
		const struct nanny *n = s->nannies->pdata[i];

		/* without the right to signal another user's process: a hang-up ends it as well */
		if (n->pid > 0 && kill(n->pid, signo) < 0 && errno == EPERM)
			shutdown(n->status_fd, SHUT_WR);
	}
}

/* Processes hang in the kernel: they are dead as far as anybody can make them so. */
static void loadset_give_up(struct loadset *s)
{
	for (guint i = 0; i < s->nannies->len; i++) {
		struct nanny *n = s->nannies->pdata[i];

		if (nanny_gone(n))
			continue;
		g_ptr_array_set_size(n->guards, 0);
		loadset_trouble(
			s, "load-left",
			g_strdup_printf(
				"Load %s: a process has not ended %u s after it was killed.",
				n->name, (unsigned)(LOADSET_GIVE_UP_USEC / 1000000)));
	}
}

static int loadset_on_stop_timer(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct loadset *s = userdata;

	if (s->killed) {
		loadset_give_up(s);
		return 0;
	}
	s->killed = true;
	loadset_signal(s, SIGKILL);
	/* cannot fail: the source is there */
	(void)sd_event_source_set_time_relative(source, LOADSET_GIVE_UP_USEC);
	(void)sd_event_source_set_enabled(source, SD_EVENT_ONESHOT);
	return 0;
}

void loadset_stop(struct loadset *s)
{
	if (s->stopping)
		return;
	s->stopping = true;
	loadset_signal(s, SIGTERM);
	if (sd_event_add_time_relative(s->event, &s->stop_timer, CLOCK_MONOTONIC, LOADSET_KILL_USEC,
				       1000, loadset_on_stop_timer, s) < 0)
		loadset_signal(s, SIGKILL); /* no timer, no grace */
	loadset_review(s);
}

/* Guardians end by the nanny's death; their folders are removed after them. */
static void nanny_end_now(struct nanny *n)
{
	n->child_source = sd_event_source_disable_unref(n->child_source);
	if (n->pid > 0) {
		waitpid(n->pid, NULL, 0);
		while (nanny_receive(n) > 0) /* pidfds on their way */
			;
	}
	n->pid = 0;
	for (guint i = 0; i < n->guards->len; i++) {
		const struct guard *g = n->guards->pdata[i];
		struct pollfd p = { .fd = g->pidfd, .events = POLLIN };

		(void)poll(&p, 1, LOADSET_FREE_WAIT_MS); /* not gone by then: not waited for */
	}
}

struct loadset *loadset_free(struct loadset *s)
{
	if (!s)
		return NULL;
	s->stopping = true; /* no news of what is done here */
	s->news_source = sd_event_source_disable_unref(s->news_source);
	s->stop_timer = sd_event_source_disable_unref(s->stop_timer);
	loadset_signal(s, SIGKILL);
	for (guint i = 0; i < s->nannies->len; i++) {
		struct nanny *n = s->nannies->pdata[i];

		nanny_end_now(n);
		if (n->scratch)
			(void)scratch_remove(s->scratch_dir,
					     n->scratch); /* else the next start does */
	}
	g_ptr_array_unref(s->nannies);
	g_queue_clear_full(&s->troubles, (GDestroyNotify)news_free);
	sd_event_unref(s->event);
	g_free(s->load_path);
	g_free(s->scratch_dir);
	g_free(s);
	return NULL;
}

int loadset_probe(const GPtrArray *loads, char **ret_message)
{
	g_autoptr(GString) missing = g_string_new(NULL);

	for (guint i = 0; loads && i < loads->len; i++) {
		const struct load *l = loads->pdata[i];
		g_autofree char *path = NULL;

		if (!l->command || command_find(l->command[0], &path) == 0)
			continue;
		g_string_append_printf(missing, "%s%s (load %s)", missing->len ? ", " : "",
				       l->command[0], l->name);
	}
	if (missing->len == 0)
		return 0;
	if (ret_message)
		*ret_message = g_strdup_printf("Commands that are not there: %s.", missing->str);
	return -ENOENT;
}

int loadset_clean_scratch(const char *scratch_dir, char **ret_message)
{
	int r = scratch_clean(scratch_dir);

	if (r < 0 && ret_message)
		*ret_message = g_strdup_printf("Old scratch folders in %s cannot be removed: %s.",
					       scratch_dir, g_strerror(-r));
	return r;
}
