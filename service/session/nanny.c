/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * "Gone" is not the process's exit: it may be killed, or a load may hang in the kernel. Each nanny
 * hands over pidfds of its guardians, and a guardian's pidfd becomes readable when the last process
 * it guards is gone (the kernel lets the first process of a namespace end only after all others).
 *
 * In a unit of PID 1 it is no child of ours, and there is no exit to wait for. The nanny closes the
 * status socket when it has ended its load; that of one that is killed is held open by PID 1 until
 * no process of the unit is left: so its end-of-file is the end of all. To close our side ends a
 * nanny too, whatever PID 1 is busy with.
 */
#include "nanny.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "broom.h"
#include "cleanup.h"
#include "scratch.h"

struct nanny {
	sd_event *event;
	nanny_news_t news;
	void *userdata;
	char *name; /* the load's */
	char *load_path;
	struct errand *errand;
	unsigned wanted, started; /* instances */
	bool troubled, ending;
	pid_t pid; /* 0: none, or ended and reaped */
	const struct cage *cage;
	struct cage_unit *unit; /* NULL: none, or no process of it is left */
	bool unit_asked;	/* whether it starts is not known yet */
	char *scratch_dir;
	char *scratch;	     /* folder's name within scratch_dir; NULL: none */
	struct broom *broom; /* removes it; NULL: not yet, or done */
	uint64_t scratch_bytes, taken_bytes;
	int status_fd;
	sd_event_source *child_source, *status_source;
	GPtrArray *guards; /* of struct guard: those that live */
};

struct guard {
	struct nanny *nanny;
	int pidfd;
	sd_event_source *source;
};

static void guard_free(void *data)
{
	struct guard *g = data;

	sd_event_source_disable_unref(g->source);
	close(g->pidfd);
	g_free(g);
}

void nanny_free(struct nanny *n)
{
	if (!n)
		return;
	sd_event_source_disable_unref(n->child_source);
	sd_event_source_disable_unref(n->status_source);
	if (n->unit)
		n->cage->leave(n->unit);
	broom_free(n->broom);
	g_ptr_array_unref(n->guards);
	fd_close(n->status_fd);
	sd_event_unref(n->event);
	errand_free(n->errand);
	g_free(n->load_path);
	g_free(n->scratch_dir);
	g_free(n->scratch);
	g_free(n->name);
	g_free(n);
}

bool nanny_settled(const struct nanny *n)
{
	return n->troubled || n->started >= n->wanted;
}

bool nanny_gone(const struct nanny *n)
{
	return n->pid == 0 && !n->unit && n->guards->len == 0;
}

const char *nanny_name(const struct nanny *n)
{
	return n->name;
}

uint64_t nanny_scratch_bytes(const struct nanny *n)
{
	return n->scratch_bytes;
}

static void nanny_changed(struct nanny *n)
{
	n->news(NULL, NULL, n->userdata);
}

/* Each trouble ends the load, so only the first is told; none is when it is meant to end. */
static void nanny_trouble(struct nanny *n, const char *finding_id, const char *why)
{
	g_autofree char *text = NULL;

	if (n->ending || n->troubled)
		return;
	n->troubled = true;
	text = g_strdup_printf("Load %s: %s.", n->name, why);
	n->news(finding_id, text, n->userdata);
}

/* --- what it says --- */

static int guard_on_end(sd_event_source *source, int fd, uint32_t revents, void *userdata)
{
	struct guard *g = userdata;
	struct nanny *n = g->nanny;

	g_ptr_array_remove_fast(n->guards, g);
	nanny_changed(n);
	return 0;
}

static void nanny_add_guard(struct nanny *n, int pidfd)
{
	struct guard *g = g_new0(struct guard, 1);

	g->nanny = n;
	g->pidfd = pidfd;
	/* without an event source it cannot be waited for; the nanny's own end still is */
	if (sd_event_add_io(n->event, &g->source, pidfd, EPOLLIN, guard_on_end, g) < 0)
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
		nanny_changed(n);
	} else if (g_str_has_prefix(text, "absent ") || g_str_has_prefix(text, "refused ")) {
		nanny_trouble(n, "load-absent", rest);
	} else if (g_str_has_prefix(text, "died ")) {
		nanny_trouble(n, "load-died", rest);
	}
}

/* 1: one message; 0: none waits; -EPIPE: the nanny has closed it. */
static int nanny_receive(struct nanny *n)
{
	char text[ERRAND_STATUS_MAX + 1];
	int fd, r;

	r = nanny_read_status(n->status_fd, text, &fd);
	if (r > 0)
		nanny_on_message(n, text, fd);
	return r;
}

static void nanny_unit_gone(struct nanny *n)
{
	n->unit = n->cage->leave(n->unit);
	nanny_trouble(n, "load-died", "its nanny ended");
	nanny_changed(n);
}

static int nanny_on_status(sd_event_source *source, int fd, uint32_t revents, void *userdata)
{
	struct nanny *n = userdata;

	if (nanny_receive(n) >= 0)
		return 0;
	/* end-of-file stays readable; of a child of ours the exit is what counts */
	n->status_source = sd_event_source_disable_unref(n->status_source);
	if (n->unit)
		nanny_unit_gone(n);
	return 0;
}

static int nanny_on_exit(sd_event_source *source, const siginfo_t *si, void *userdata)
{
	struct nanny *n = userdata;
	g_autofree char *killed = NULL;

	while (n->status_source && nanny_receive(n) > 0) /* what it said last */
		;
	n->pid = 0;
	n->child_source = sd_event_source_disable_unref(n->child_source);
	if (si->si_code != CLD_EXITED)
		killed = g_strdup_printf("its nanny was killed by signal %d (%s)", si->si_status,
					 strsignal(si->si_status));
	nanny_trouble(n, "load-died", killed ?: "its nanny ended");
	nanny_changed(n);
	return 0;
}

/* --- start --- */

static int nanny_make_scratch(struct nanny *n, int *ret_fd, char **ret_message)
{
	const struct errand *e = n->errand;
	int r;

	if (!e->scratch)
		return 0;
	r = scratch_make(n->scratch_dir, n->name, e->scratch_bytes, n->taken_bytes,
			 e->nobody ? ERRAND_NOBODY : (uid_t)-1, &n->scratch, ret_fd, ret_message);
	if (r == 0)
		n->scratch_bytes = e->scratch_bytes;
	return r;
}

static int nanny_watch_status(struct nanny *n)
{
	return sd_event_add_io(n->event, &n->status_source, n->status_fd, EPOLLIN, nanny_on_status,
			       n);
}

static int nanny_watch(struct nanny *n)
{
	int r;

	r = sd_event_add_child(n->event, &n->child_source, n->pid, WEXITED, nanny_on_exit, n);
	if (r < 0)
		return r;
	r = nanny_watch_status(n);
	if (r < 0)
		return r;
	/* what it said is heard before its end is */
	return sd_event_source_set_priority(n->child_source, SD_EVENT_PRIORITY_NORMAL + 1);
}

/* Its scratch folder, and a socket whose other end is in @ret_status_fd. */
static int nanny_prepare(struct nanny *n, int *ret_status_fd, int *ret_scratch_fd,
			 char **ret_message)
{
	int pair[2], r;

	r = nanny_make_scratch(n, ret_scratch_fd, ret_message);
	if (r < 0)
		return r;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return -errno;
	n->status_fd = pair[0];
	*ret_status_fd = pair[1];
	return 0;
}

static int nanny_start_child(struct nanny *n, char **ret_message)
{
	g_auto(fd_t) status_fd = -1, scratch_fd = -1;
	int r;

	n->errand->nobody = geteuid() == 0 && !n->errand->keep_rights;
	n->errand->parent = getpid();
	r = nanny_prepare(n, &status_fd, &scratch_fd, ret_message);
	if (r < 0)
		return r;
	r = nanny_spawn(n->load_path, n->errand, status_fd, scratch_fd, &n->pid);
	return r < 0 ? r : nanny_watch(n);
}

/* A sentence of its own becomes part of the trouble's. */
static void sentence_embed(char *text)
{
	g_strdelimit(g_strchomp(text), "\n", ' ');
	if (g_str_has_suffix(text, "."))
		text[strlen(text) - 1] = '\0';
}

/* @message: NULL, or what it cannot be started for; freed. */
static void nanny_absent(struct nanny *n, int r, char *message)
{
	g_autofree char *why = message;

	if (!why)
		why = g_strdup_printf("its nanny %s cannot be started: %s", n->load_path,
				      g_strerror(-r));
	sentence_embed(why);
	nanny_trouble(n, "load-absent", why);
}

static void nanny_begin_child(struct nanny *n)
{
	char *message = NULL;
	int r;

	r = nanny_start_child(n, &message);
	if (r < 0)
		nanny_absent(n, r, message);
}

/* --- start, as a unit --- */

/* There will be no unit: all that was made for it goes, and it is a child of ours. */
static void nanny_stay_child(struct nanny *n, int r, const char *why)
{
	g_autofree char *text = NULL;

	fd_close(n->status_fd);
	n->status_fd = -1;
	nanny_remove_scratch(n);
	if (n->ending)
		return;
	if (r != -EOPNOTSUPP) {
		text = g_strdup_printf(
			"Load %s was started below the daemon and not in a unit of its own: "
			"%s.",
			n->name, why);
		n->news("outside-unit", text, n->userdata);
	}
	nanny_begin_child(n);
}

static void on_nanny_unit(int r, const char *why, void *userdata)
{
	struct nanny *n = userdata;

	n->unit_asked = false;
	if (r >= 0)
		r = nanny_watch_status(n);
	if (r < 0) {
		n->unit = n->cage->leave(n->unit);
		nanny_stay_child(n, r, why ?: g_strerror(-r));
	}
	nanny_changed(n);
}

/* The one who runs it may write into its folder, whoever that is. */
static int nanny_open_scratch(const struct nanny *n, int scratch_fd)
{
	return scratch_fd < 0 || n->errand->keep_rights ? 0 : scratch_share(scratch_fd);
}

static void nanny_begin_unit(struct nanny *n, const struct nanny_params *p)
{
	g_auto(fd_t) status_fd = -1, scratch_fd = -1;
	char *message = NULL;
	int r;

	/* PID 1 makes it who it is, and is its parent */
	n->errand->nobody = false;
	n->errand->parent = 0;
	r = nanny_prepare(n, &status_fd, &scratch_fd, &message);
	if (r == 0)
		r = nanny_open_scratch(n, scratch_fd);
	if (r < 0) {
		nanny_absent(n, r, message);
		return;
	}
	r = nanny_unit(p, n->errand, status_fd, scratch_fd, on_nanny_unit, n, &n->unit);
	n->unit_asked = r == 0;
	if (r < 0)
		nanny_stay_child(n, r, g_strerror(-r));
}

struct nanny *nanny_new(const struct nanny_params *p, const struct load *l)
{
	struct nanny *n = g_new0(struct nanny, 1);

	n->event = sd_event_ref(p->event);
	n->news = p->news;
	n->userdata = p->userdata;
	n->cage = p->cage;
	n->name = g_strdup(l->name);
	n->errand = errand_new(l);
	n->errand->no_namespace = g_getenv("LRTBF_LOAD_NO_NAMESPACE") != NULL;
	n->wanted = n->errand->instances;
	n->status_fd = -1;
	n->load_path = g_strdup(p->load_path);
	n->scratch_dir = g_strdup(p->scratch_dir);
	n->taken_bytes = p->taken_bytes;
	n->guards = g_ptr_array_new_with_free_func(guard_free);
	if (l->as_root && geteuid() != 0)
		nanny_trouble(n, "load-absent",
			      "it needs root's rights and the daemon has not got them");
	else if (n->cage)
		nanny_begin_unit(n, p);
	else
		nanny_begin_child(n);
	return n;
}

/* --- end --- */

void nanny_signal(struct nanny *n, int signo)
{
	n->ending = true;
	if (n->unit) {
		shutdown(n->status_fd, SHUT_WR); /* also ends one that is only about to start */
		n->cage->kill(n->unit, signo);
	}
	/* without the right to signal another user's process: a hang-up ends it as well */
	if (n->pid > 0 && kill(n->pid, signo) < 0 && errno == EPERM)
		shutdown(n->status_fd, SHUT_WR);
}

void nanny_give_up(struct nanny *n)
{
	g_ptr_array_set_size(n->guards, 0);
	if (n->unit)
		n->unit = n->cage->leave(n->unit);
	if (!n->broom)
		return;
	n->broom = broom_free(n->broom);
	g_clear_pointer(&n->scratch, g_free);
}

static bool nanny_reaped(struct nanny *n)
{
	if (n->pid > 0 && waitpid(n->pid, NULL, WNOHANG) != 0)
		n->pid = 0;
	/* one that has not started yet finds its socket closed; the bus is not read from here */
	if (n->unit && (n->unit_asked || nanny_receive(n) < 0))
		n->unit = n->cage->leave(n->unit);
	return n->pid == 0 && !n->unit;
}

void nanny_end_now(struct nanny *n, gint64 deadline_us)
{
	n->child_source = sd_event_source_disable_unref(n->child_source);
	while (!nanny_reaped(n) && g_get_monotonic_time() < deadline_us)
		g_usleep(500);
	while (n->status_fd >= 0 && nanny_receive(n) > 0) /* pidfds on their way */
		;
	for (guint i = 0; i < n->guards->len; i++) {
		const struct guard *g = n->guards->pdata[i];
		struct pollfd p = { .fd = g->pidfd, .events = POLLIN };
		gint64 left_us = deadline_us - g_get_monotonic_time();

		(void)poll(&p, 1, MAX(left_us / 1000, 0)); /* not gone by then: not waited for */
	}
}

static void on_nanny_broom(int r, void *userdata)
{
	struct nanny *n = userdata;
	g_autofree char *text = NULL;

	n->broom = broom_free(n->broom);
	if (r < 0 && r != -ENOENT) {
		text = g_strdup_printf("Scratch folder %s/%s of load %s cannot be removed: %s.",
				       n->scratch_dir, n->scratch, n->name, g_strerror(-r));
		n->news("load-left", text, n->userdata);
	}
	g_clear_pointer(&n->scratch, g_free);
	nanny_changed(n);
}

void nanny_sweep(struct nanny *n)
{
	if (!n->scratch || n->broom)
		return;
	/* no thread to be had: better late than left */
	if (broom_start(n->event, n->scratch_dir, n->scratch, on_nanny_broom, n, &n->broom) < 0)
		on_nanny_broom(scratch_remove(n->scratch_dir, n->scratch), n);
}

bool nanny_swept(const struct nanny *n)
{
	return !n->scratch;
}

void nanny_remove_scratch(struct nanny *n)
{
	/* what stays is removed at the next start */
	if (n->scratch && !n->broom)
		(void)scratch_remove(n->scratch_dir, n->scratch);
	g_clear_pointer(&n->scratch, g_free);
}
