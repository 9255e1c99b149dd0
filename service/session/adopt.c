/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sessions that never ran here. Nobody is told of them before the store has all of them: who hears
 * of one finds it, and of a file whose last part did not fit on the disk nothing is left.
 */
#include "sessions-internal.h"

#include "clock.h"
#include "keep.h"
#include "log.h"
#include "verdict.h"

#include <errno.h>

struct adoption {
	struct sessions *m; /* NULL: gone meanwhile */
	GPtrArray *ids;
	store_done_t done;
	void *userdata;
};

static void adoption_free(struct adoption *a)
{
	g_ptr_array_unref(a->ids);
	g_free(a);
}

void adopt_forsake(struct sessions *m)
{
	for (guint i = 0; i < m->adoptions->len; i++)
		((struct adoption *)m->adoptions->pdata[i])->m = NULL;
}

/* As the store has it: memory keeps no figures of what has ended. */
static void adopt_show(struct sessions *m, const char *id)
{
	g_autofree char *message = NULL;
	struct result *head = NULL;

	if (store_head(m->p.store, id, &head, &message) < 0) {
		log_write(LOG_WARNING, id, "Session %s is kept, and cannot be read: %s", id,
			  message);
		return;
	}
	sessions_take_in(m, session_new(&m->place, head, NULL, NULL));
}

static void on_adopted(int r, const char *message, void *userdata)
{
	struct adoption *a = userdata;

	if (a->m)
		g_ptr_array_remove_fast(a->m->adoptions, a);
	for (guint i = 0; a->m && r == 0 && i < a->ids->len; i++)
		adopt_show(a->m, a->ids->pdata[i]);
	a->done(r, message, a->userdata);
	adoption_free(a);
}

static void adopt_complete(struct sessions *m, struct result *r, const GPtrArray *others,
			   uid_t owner)
{
	while (intake_id_taken(m, r->id) ||
	       g_ptr_array_find_with_equal_func((GPtrArray *)others, r->id, g_str_equal, NULL)) {
		g_free(r->id);
		r->id = result_id_new(clock_real_usec());
	}
	r->owner = owner;
	for (guint i = 0; i < r->stages->len; i++)
		((struct result_stage *)r->stages->pdata[i])->verdict = VERDICT_NONE;
	verdict_session(r, NULL);
}

int sessions_adopt(struct sessions *m, GPtrArray *results, uid_t owner, store_done_t done,
		   void *userdata, char **ret_message)
{
	struct adoption *a;
	int r;

	if (m->shutdown) {
		*ret_message = g_strdup("lrtbfd is being stopped.");
		return -EBUSY;
	}
	a = g_new0(struct adoption, 1);
	a->m = m;
	a->done = done;
	a->userdata = userdata;
	a->ids = g_ptr_array_new_with_free_func(g_free);
	for (guint i = 0; i < results->len; i++) {
		struct result *result = results->pdata[i];

		adopt_complete(m, result, a->ids, owner);
		g_ptr_array_add(a->ids, g_strdup(result->id));
	}
	r = store_put_results(m->p.store, results, on_adopted, a, ret_message);
	if (r < 0)
		adoption_free(a);
	else
		g_ptr_array_add(m->adoptions, a);
	return r;
}
