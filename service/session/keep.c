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

#include "conftree.h"
#include "log.h"
#include "message.h"

#include <errno.h>
#include <string.h>

#define KEEP_BASELINE_MAX 64 /* letters */

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

static void keep_remember_baseline(struct session *s, const char *baseline)
{
	g_free(s->r->baseline);
	s->r->baseline = g_strdup(baseline);
	s->r->kept = s->r->kept || *baseline;
}

/* Has @r what a limit can be held against? */
static int keep_check_measured(const struct result *r, char **ret_message)
{
	if (!session_state_ended(r->state))
		return message_fail(ret_message, -EINPROGRESS, "Session %s has not ended.", r->id);
	if (!r->started_usec || r->state == SESSION_SKIPPED)
		return message_fail(ret_message, -EINVAL,
				    "Session %s measured nothing: it is no baseline.", r->id);
	return 0;
}

int sessions_set_baseline(struct sessions *m, const char *id, const char *baseline,
			  store_done_t done, void *userdata, char **ret_message)
{
	struct session *s = sessions_find(m, id);
	struct result *head = NULL;
	int r = 0;

	if (*baseline && (!conftree_name_valid(baseline) || strlen(baseline) > KEEP_BASELINE_MAX))
		return message_fail(ret_message, -EINVAL,
				    "\"%.64s\" is no name of a baseline: that has small letters, "
				    "digits and _ only, and at most %d.",
				    baseline, KEEP_BASELINE_MAX);
	if (!s) {
		r = store_head(m->p.store, id, &head, ret_message);
		if (r < 0)
			return r == -ENOENT ? r : -EIO;
	}
	if (*baseline)
		r = keep_check_measured(s ? s->r : head, ret_message);
	result_free(head);
	if (r < 0)
		return r;
	r = store_set_baseline(m->p.store, id, baseline, done, userdata);
	if (r < 0) {
		*ret_message = g_strdup_printf("The baseline cannot be kept: %s.", g_strerror(-r));
		return -EIO;
	}
	if (s)
		keep_remember_baseline(s, baseline);
	return 0;
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
		if (!kept)
			keep_remember_baseline(s, "");
	}
	r = store_mark(m->p.store, id, kept, done, userdata);
	if (r < 0 && ret_message)
		*ret_message = g_strdup_printf("The mark cannot be kept: %s.", g_strerror(-r));
	return r < 0 ? -EIO : 0;
}
