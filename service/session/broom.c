/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The thread has a copy of all it needs and answers through a socket: nothing is shared, so nobody
 * has to wait for it, and it may outlive the one who asked.
 */
#include "broom.h"

#include <errno.h>
#include <glib.h>
#include <sys/socket.h>

#include "cleanup.h"
#include "scratch.h"

struct broom {
	int fd;
	sd_event_source *source;
	broom_done_t done;
	void *userdata;
};

struct sweep { /* the thread's */
	char *dir, *name;
	int fd;
};

static void sweep_free(struct sweep *s)
{
	fd_close(s->fd);
	g_free(s->dir);
	g_free(s->name);
	g_free(s);
}

static gpointer sweep_run(gpointer data)
{
	struct sweep *s = data;
	int r = scratch_remove(s->dir, s->name);

	(void)send(s->fd, &r, sizeof(r), MSG_NOSIGNAL); /* nobody waits for it any more: well */
	sweep_free(s);
	return NULL;
}

static int on_broom_answer(sd_event_source *source, int fd, uint32_t revents, void *userdata)
{
	struct broom *b = userdata;
	int r;

	if (recv(fd, &r, sizeof(r), MSG_DONTWAIT) != sizeof(r))
		r = -EIO;
	b->source = sd_event_source_disable_unref(b->source);
	b->done(r, b->userdata);
	return 0;
}

int broom_start(sd_event *event, const char *dir, const char *name, broom_done_t done,
		void *userdata, struct broom **ret)
{
	struct sweep *s;
	struct broom *b;
	GThread *thread;
	int pair[2], r;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return -errno;
	s = g_new0(struct sweep, 1);
	s->fd = pair[1];
	s->dir = g_strdup(dir);
	s->name = g_strdup(name);
	b = g_new0(struct broom, 1);
	b->fd = pair[0];
	b->done = done;
	b->userdata = userdata;
	r = sd_event_add_io(event, &b->source, b->fd, EPOLLIN, on_broom_answer, b);
	thread = r < 0 ? NULL : g_thread_try_new("lrtbf-broom", sweep_run, s, NULL);
	if (!thread) {
		sweep_free(s);
		broom_free(b);
		return r < 0 ? r : -EAGAIN;
	}
	g_thread_unref(thread);
	*ret = b;
	return 0;
}

struct broom *broom_free(struct broom *b)
{
	if (!b)
		return NULL;
	sd_event_source_disable_unref(b->source);
	fd_close(b->fd);
	g_free(b);
	return NULL;
}
