/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bus-message.h"

#include <sys/socket.h>
#include <unistd.h>

void set_up(struct fixture *f, gconstpointer unused)
{
	int fds[2];
	sd_id128_t id = { .bytes = { 1 } };

	g_assert_cmpint(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fds), ==,
			0);
	f->peer = fds[1];
	g_assert_cmpint(sd_bus_new(&f->bus), >=, 0);
	g_assert_cmpint(sd_bus_set_fd(f->bus, fds[0], fds[0]), >=, 0);
	g_assert_cmpint(sd_bus_set_server(f->bus, 1, id), >=, 0);
	g_assert_cmpint(sd_bus_start(f->bus), >=, 0);
	g_assert_cmpint(sd_bus_message_new_signal(f->bus, &f->m, "/x", "x.x", "X"), >=, 0);
}

void tear_down(struct fixture *f, gconstpointer unused)
{
	sd_bus_message_unref(f->m);
	sd_bus_close_unref(f->bus);
	close(f->peer);
}
