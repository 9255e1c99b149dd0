/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sd_bus_track would do this, but asks the bus whether the name is there by a call that blocks.
 * Here it is asked after the match is in place: whoever leaves is noticed by the one or the other.
 */
#include "leaver.h"

#include "log.h"

#include <errno.h>
#include <glib.h>

#define LEAVER_BUS "org.freedesktop.DBus"

struct leaver {
	char *name;
	leaver_left_t left; /* NULL: told */
	void *userdata;
	sd_bus_slot *match, *asked;
};

struct leaver *leaver_free(struct leaver *l)
{
	if (!l)
		return NULL;
	sd_bus_slot_unref(l->match);
	sd_bus_slot_unref(l->asked);
	g_free(l->name);
	g_free(l);
	return NULL;
}

/* @l may be gone afterwards. */
static void leaver_tell(struct leaver *l)
{
	leaver_left_t left = l->left;

	l->left = NULL;
	if (left)
		left(l->userdata);
}

static int on_leaver_owner(sd_bus_message *m, void *userdata, sd_bus_error *unused)
{
	const char *name, *before, *after;

	if (sd_bus_message_read(m, "sss", &name, &before, &after) >= 0 && !*after)
		leaver_tell(userdata);
	return 0;
}

static int on_leaver_asked(sd_bus_message *m, void *userdata, sd_bus_error *unused)
{
	int has = 0;

	if (sd_bus_message_is_method_error(m, NULL) || sd_bus_message_read(m, "b", &has) < 0)
		return 0; /* the match is there all the same */
	if (!has)
		leaver_tell(userdata);
	return 0;
}

/* Without a handler of its own, sd-bus gives the connection up when a match is refused. */
static int on_leaver_matched(sd_bus_message *m, void *userdata, sd_bus_error *unused)
{
	const struct leaver *l = userdata;

	if (sd_bus_message_is_method_error(m, NULL))
		log_warning("Whether the caller %s leaves the bus cannot be seen", l->name);
	return 0;
}

static int leaver_watch(struct leaver *l, sd_bus *bus)
{
	g_autofree char *rule =
		g_strdup_printf("type='signal',sender='" LEAVER_BUS
				"',path='/org/freedesktop/DBus',interface='" LEAVER_BUS
				"',member='NameOwnerChanged',arg0='%s'",
				l->name);
	int r = sd_bus_add_match_async(bus, &l->match, rule, on_leaver_owner, on_leaver_matched, l);

	if (r < 0)
		return r;
	return sd_bus_call_method_async(bus, &l->asked, LEAVER_BUS, "/org/freedesktop/DBus",
					LEAVER_BUS, "NameHasOwner", on_leaver_asked, l, "s",
					l->name);
}

int leaver_new(sd_bus_message *call, leaver_left_t left, void *userdata, struct leaver **ret)
{
	const char *sender = sd_bus_message_get_sender(call);
	struct leaver *l;
	int r;

	if (!sender)
		return -ENOTCONN;
	l = g_new0(struct leaver, 1);
	l->name = g_strdup(sender);
	l->left = left;
	l->userdata = userdata;
	r = leaver_watch(l, sd_bus_message_get_bus(call));
	if (r < 0) {
		leaver_free(l);
		return r;
	}
	*ret = l;
	return 0;
}
