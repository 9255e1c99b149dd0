/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sd_bus_track would do this, but asks the bus whether the name is there by a call that blocks.
 * Here it is asked after the match is in place: whoever leaves is noticed by the one or the other.
 */
#include "tie.h"

#include "bus-internal.h"
#include "cleanup-bus.h"
#include "log.h"

#define TIE_BUS "org.freedesktop.DBus"

struct tie {
	struct bus *bus;
	char *id, *name;
	sd_bus_slot *match, *asked;
};

static void tie_free(gpointer data)
{
	struct tie *t = data;

	sd_bus_slot_unref(t->match);
	sd_bus_slot_unref(t->asked);
	g_free(t->id);
	g_free(t->name);
	g_free(t);
}

GHashTable *ties_new(void)
{
	return g_hash_table_new_full(g_str_hash, g_str_equal, NULL, tie_free);
}

void tie_drop(struct bus *b, const char *id)
{
	g_hash_table_remove(b->ties, id);
}

/* @t may be gone afterwards. */
static void tie_break(struct tie *t)
{
	struct bus *b = t->bus;
	g_autofree char *id = g_strdup(t->id);
	struct session *s = sessions_find(b->model.sessions, id);

	log_write(LOG_NOTICE, id, "The caller of session %s has left the bus", id);
	tie_drop(b, id);
	if (s)
		session_caller_left(s);
}

static int on_tie_owner(sd_bus_message *m, void *userdata, sd_bus_error *unused)
{
	const char *name, *before, *after;

	if (sd_bus_message_read(m, "sss", &name, &before, &after) >= 0 && !*after)
		tie_break(userdata);
	return 0;
}

static int on_tie_asked(sd_bus_message *m, void *userdata, sd_bus_error *unused)
{
	int has = 0;

	if (sd_bus_message_is_method_error(m, NULL) || sd_bus_message_read(m, "b", &has) < 0)
		return 0; /* the match is there all the same */
	if (!has)
		tie_break(userdata);
	return 0;
}

/* Without a handler of its own, sd-bus gives the connection up when a match is refused. */
static int on_tie_matched(sd_bus_message *m, void *userdata, sd_bus_error *unused)
{
	struct tie *t = userdata;

	if (sd_bus_message_is_method_error(m, NULL))
		log_write(LOG_WARNING, t->id,
			  "Whether the caller of session %s leaves cannot be seen", t->id);
	return 0;
}

static int tie_watch(struct tie *t)
{
	g_autofree char *rule = g_strdup_printf("type='signal',sender='" TIE_BUS
						"',path='/org/freedesktop/DBus',interface='" TIE_BUS
						"',member='NameOwnerChanged',arg0='%s'",
						t->name);
	int r = sd_bus_add_match_async(t->bus->bus, &t->match, rule, on_tie_owner, on_tie_matched,
				       t);

	if (r < 0)
		return r;
	return sd_bus_call_method_async(t->bus->bus, &t->asked, TIE_BUS, "/org/freedesktop/DBus",
					TIE_BUS, "NameHasOwner", on_tie_asked, t, "s", t->name);
}

int tie_add(struct bus *b, const char *id, sd_bus_message *call)
{
	const char *sender = sd_bus_message_get_sender(call);
	struct tie *t;
	int r;

	if (!sender)
		return -ENOTCONN;
	t = g_new0(struct tie, 1);
	t->bus = b;
	t->id = g_strdup(id);
	t->name = g_strdup(sender);
	r = tie_watch(t);
	if (r < 0) {
		tie_free(t);
		return r;
	}
	g_hash_table_replace(b->ties, t->id, t);
	return 0;
}
