/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The daemon has no right to load modules and needs none. PID 1 tells whoever queued a job how it
 * ended; a job that is forgotten about ends here by itself.
 *
 * Not on a user's bus: the systemd there is another one, which may load nothing.
 */
#include "module.h"

#include "systemd1.h"
#include <errno.h>

#define MODULE_UNIT "modprobe@lrtbf.service"
#define MODULE_USEC (10 * G_USEC_PER_SEC)
#define MODULE_MAX  16 /* who wait for it at one time */

struct load {
	struct bus *bus;
	module_done_t done;
	void *userdata;
	GDestroyNotify free;
	struct systemd1_call *call; /* NULL: it has ended */
};

void module_load_free(gpointer data)
{
	struct load *l = data;

	systemd1_forget(l->call);
	if (l->free && l->userdata)
		l->free(l->userdata);
	g_free(l);
}

static const char *load_trouble(int r)
{
	switch (r) {
	case -EIO:
		return "and " MODULE_UNIT " could not load it";
	case -ETIMEDOUT:
		return "and " MODULE_UNIT " did not load it in time";
	default:
		return "and there is no systemd that would load it";
	}
}

static void on_load(int r, const char *message, void *userdata)
{
	struct load *l = userdata;
	module_done_t done = l->done;
	void *told = g_steal_pointer(&l->userdata);

	l->call = NULL;
	g_ptr_array_remove(l->bus->loads, l);
	done(r < 0 ? -ENODEV : 0, r < 0 ? load_trouble(r) : NULL, told);
}

int module_load(struct bus *b, module_done_t done, void *userdata, GDestroyNotify free,
		const char **ret_message)
{
	struct load *l;
	int r;

	if (b->user) {
		*ret_message = "and nothing on a user's bus may load it";
		return -EOPNOTSUPP;
	}
	if (b->loads->len >= MODULE_MAX) {
		*ret_message = "and too many wait for it already";
		return -EBUSY;
	}
	l = g_new0(struct load, 1);
	l->bus = b;
	r = systemd1_start_unit(b->bus, MODULE_UNIT, MODULE_USEC, on_load, l, &l->call);
	if (r < 0) {
		module_load_free(l);
		*ret_message = "and systemd could not be asked for it";
		return r;
	}
	l->done = done;
	l->userdata = userdata;
	l->free = free;
	g_ptr_array_add(b->loads, l);
	return 0;
}
