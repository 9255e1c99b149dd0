/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A tie outlives neither its session nor its caller: whichever ends first breaks it.
 */
#include "tie.h"

#include "bus-internal.h"
#include "leaver.h"
#include "log.h"

struct tie {
	struct bus *bus;
	char *id;
	struct leaver *leaver;
};

static void tie_free(gpointer data)
{
	struct tie *t = data;

	leaver_free(t->leaver);
	g_free(t->id);
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

static void on_tie_left(void *userdata)
{
	struct tie *t = userdata;
	struct bus *b = t->bus;
	g_autofree char *id = g_strdup(t->id);
	struct session *s = sessions_find(b->model.sessions, id);

	log_write(LOG_NOTICE, id, "The caller of session %s has left the bus", id);
	tie_drop(b, id);
	if (s)
		session_caller_left(s);
}

int tie_add(struct bus *b, const char *id, sd_bus_message *call)
{
	struct tie *t = g_new0(struct tie, 1);
	int r;

	t->bus = b;
	t->id = g_strdup(id);
	r = leaver_new(call, on_tie_left, t, &t->leaver);
	if (r < 0) {
		tie_free(t);
		return r;
	}
	g_hash_table_replace(b->ties, t->id, t);
	return 0;
}
