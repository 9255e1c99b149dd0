/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why the plan as it is now decides and not as a session was queued with: bounds are about the disk
 * of today, and who loosens them wants that to help what is there.
 *
 * A plan whose file has a mistake removes nothing: what it wanted is not known, and the default may
 * be stricter. So does one that is nowhere while a folder of plans cannot be read.
 */
#include "keep.h"

#include "sessions-internal.h"

#include "log.h"

#include <errno.h>

/* NULL: not known. */
static const struct retention *keep_of(struct sessions *m, const char *plan)
{
	const struct plan_entry *e = catalog_plan(m->catalog, plan);

	if (e ? !e->plan : catalog_lacks_plans(m->catalog))
		return NULL;
	return e && e->plan->keep.given ? &e->plan->keep : &m->p.settings->keep;
}

void keep_plan(struct sessions *m, const char *plan)
{
	const struct retention *keep = m->p.settings ? keep_of(m, plan) : NULL;

	if (keep && retention_bounds(keep))
		store_retain(m->p.store, plan, keep);
}

void keep_all(struct sessions *m)
{
	g_autofree char *message = NULL;
	g_auto(GStrv) plans = NULL;

	if (store_plans(m->p.store, &plans, &message) < 0) {
		log_warning("Which plans have results cannot be read, all are kept: %s", message);
		return;
	}
	for (char **plan = plans; *plan; plan++)
		keep_plan(m, *plan);
}

/* What memory says of a session that it has must be what the store says. */
void sessions_retained(struct sessions *m, const char *id, bool gone)
{
	struct session *s = sessions_find(m, id);

	if (!s || !session_ended(s))
		return;
	if (gone) {
		sessions_drop(m, s);
		return;
	}
	/* without stages it is shown as the store has it */
	if (s->r->stages)
		g_ptr_array_set_size(s->r->stages, 0);
	s->r->thinned_usec = (uint64_t)g_get_real_time();
}

int sessions_set_kept(struct sessions *m, const char *id, bool kept, store_done_t done,
		      void *userdata, char **ret_message)
{
	struct session *s = sessions_find(m, id);
	struct result *head = NULL;
	int r;

	if (!s) {
		r = store_head(m->p.store, id, &head, ret_message);
		result_free(head);
		if (r < 0)
			return r == -ENOENT ? r : -EIO;
	} else {
		s->r->kept = kept; /* heads that are put later have it, too */
	}
	r = store_mark(m->p.store, id, kept, done, userdata);
	if (r < 0 && ret_message)
		*ret_message = g_strdup_printf("The mark cannot be kept: %s.", g_strerror(-r));
	return r < 0 ? -EIO : 0;
}
