/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lock is a file descriptor: held as long as it is open, so a daemon that is killed lets go of
 * it too. When the measuring ends before logind has answered, the answer's slot is dropped and with
 * it the descriptor.
 */
#include "inhibit.h"

#include "cleanup.h"
#include "log.h"
#include <fcntl.h>

struct inhibit {
	sd_bus *bus;
	sd_bus_slot *asked; /* NULL: no answer is awaited */
	fd_t lock;	    /* -1: not held */
};

static int on_inhibited(sd_bus_message *m, void *userdata, sd_bus_error *ret_error)
{
	const sd_bus_error *e = sd_bus_message_get_error(m);
	struct inhibit *i = userdata;
	int fd, r;

	i->asked = sd_bus_slot_unref(i->asked);
	if (e) {
		log_debug("The machine may go to sleep while measuring: %s", e->message ?: e->name);
		return 0;
	}
	r = sd_bus_message_read_basic(m, 'h', &fd);
	if (r >= 0)
		i->lock = fcntl(fd, F_DUPFD_CLOEXEC, 3); /* the message owns and closes its own */
	if (i->lock < 0)
		log_warning("logind's lock against sleep could not be taken, ignoring.");
	return 0;
}

void inhibit_hold(struct inhibit *i, bool hold)
{
	int r;

	if (!hold) {
		i->asked = sd_bus_slot_unref(i->asked);
		fd_close(fd_steal(&i->lock));
		return;
	}
	if (i->asked || i->lock >= 0)
		return;
	r = sd_bus_call_method_async(i->bus, &i->asked, "org.freedesktop.login1",
				     "/org/freedesktop/login1", "org.freedesktop.login1.Manager",
				     "Inhibit", on_inhibited, i, "ssss", "sleep", "lrtbfd",
				     "A latency measurement is running", "block");
	if (r < 0)
		log_debug("logind cannot be asked for a lock against sleep, ignoring: %s",
			  g_strerror(-r));
}

struct inhibit *inhibit_new(sd_bus *bus)
{
	struct inhibit *i = g_new0(struct inhibit, 1);

	i->bus = sd_bus_ref(bus);
	i->lock = -1;
	return i;
}

struct inhibit *inhibit_free(struct inhibit *i)
{
	if (!i)
		return NULL;
	inhibit_hold(i, false);
	sd_bus_unref(i->bus);
	g_free(i);
	return NULL;
}
