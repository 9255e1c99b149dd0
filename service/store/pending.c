/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A list of what each session's rows are to become, not a log of calls: every write replaces the
 * one before it, so the newest is all that needs to be kept, however long the disk stays full.
 * All of one session's entry goes into one transaction, so the order inside it does not matter but
 * for a deletion, which comes first.
 */
#include "pending.h"

#include <errno.h>

static void change_free(gpointer data)
{
	struct change *c = data;

	g_free(c->id);
	g_free(c->baseline);
	head_row_unref(c->head);
	g_ptr_array_unref(c->stages);
	g_ptr_array_unref(c->dones);
	g_free(c);
}

void pending_done_free(struct pending_done *d)
{
	if (!d)
		return;
	g_free(d->id);
	g_free(d->message);
	g_free(d);
}

struct pending *pending_new(void)
{
	struct pending *p = g_new0(struct pending, 1);

	p->changes = g_ptr_array_new_with_free_func(change_free);
	p->by_id = g_hash_table_new(g_str_hash, g_str_equal);
	return p;
}

void pending_free(struct pending *p)
{
	if (!p)
		return;
	g_hash_table_unref(p->by_id);
	g_ptr_array_unref(p->changes);
	g_free(p);
}

static struct change *pending_change(struct pending *p, const char *id)
{
	struct change *c = g_hash_table_lookup(p->by_id, id);

	if (c)
		return c;
	c = g_new0(struct change, 1);
	c->id = g_strdup(id);
	c->kept = -1;
	c->stages = g_ptr_array_new_with_free_func((GDestroyNotify)stage_row_unref);
	c->dones = g_ptr_array_new_with_free_func((GDestroyNotify)pending_done_free);
	g_ptr_array_add(p->changes, c);
	g_hash_table_insert(p->by_id, c->id, c);
	return c;
}

void pending_put_head(struct pending *p, struct head_row *head)
{
	struct change *c = pending_change(p, head->text[HEAD_ID]);

	head_row_unref(c->head);
	c->head = head;
}

/* Put @stage in the place of the one with its index, if there is one. */
static void stages_replace(GPtrArray *stages, struct stage_row *stage)
{
	for (guint i = 0; i < stages->len; i++) {
		struct stage_row *old = stages->pdata[i];

		if (old->number[STAGE_INDEX] == stage->number[STAGE_INDEX]) {
			stages->pdata[i] = stage;
			stage_row_unref(old);
			return;
		}
	}
	g_ptr_array_add(stages, stage);
}

void pending_put_stage(struct pending *p, const char *id, struct stage_row *stage)
{
	stages_replace(pending_change(p, id)->stages, stage);
}

static void change_add_done(struct change *c, bool mark, store_done_t done, void *userdata)
{
	struct pending_done *d;

	if (!done)
		return;
	d = g_new0(struct pending_done, 1);
	d->mark = mark;
	d->done = done;
	d->userdata = userdata;
	d->id = g_strdup(c->id);
	g_ptr_array_add(c->dones, d);
}

static void mark_set(int *kept, char **baseline, int new_kept, const char *new_baseline)
{
	if (new_kept >= 0)
		*kept = new_kept;
	if (!new_baseline)
		return;
	g_free(*baseline);
	*baseline = g_strdup(new_baseline);
}

void pending_mark(struct pending *p, const char *id, int kept, const char *baseline,
		  store_done_t done, void *userdata)
{
	struct change *c = pending_change(p, id);

	mark_set(&c->kept, &c->baseline, kept, baseline);
	change_add_done(c, true, done, userdata);
}

void pending_delete(struct pending *p, const char *id, store_done_t done, void *userdata)
{
	struct change *c = pending_change(p, id);

	c->erase = true;
	c->kept = -1;
	g_clear_pointer(&c->baseline, g_free);
	if (c->head)
		c->existed = true;
	g_clear_pointer(&c->head, head_row_unref);
	g_ptr_array_set_size(c->stages, 0);
	change_add_done(c, false, done, userdata);
}

void pending_put_whole(struct pending *p, const struct result *r, int64_t row, store_done_t done,
		       void *userdata)
{
	struct change *c = pending_change(p, r->id);

	c->once = true;
	pending_put_head(p, head_row_from_result(r, row));
	for (guint i = 0; i < r->stages->len; i++)
		pending_put_stage(p, r->id, stage_row_from_stage(r->stages->pdata[i]));
	change_add_done(c, true, done, userdata);
}

void pending_give_up(struct pending *p, const char *why, GPtrArray *done)
{
	for (guint i = 0; i < p->changes->len; i++) {
		struct change *c = p->changes->pdata[i];

		if (!c->once)
			continue;
		for (guint k = 0; k < c->dones->len; k++) {
			struct pending_done *d = c->dones->pdata[k];

			d->r = -EIO;
			d->message = g_strdup(why);
		}
		g_ptr_array_extend_and_steal(done, g_steal_pointer(&c->dones));
		c->dones = g_ptr_array_new_with_free_func((GDestroyNotify)pending_done_free);
		c->once = false;
		/* how far a COMMIT came that failed is not known */
		pending_delete(p, c->id, NULL, NULL);
	}
}

static void overlay_clear_mark(struct overlay *o)
{
	o->marked = false;
	g_clear_pointer(&o->baseline, g_free);
}

void overlay_apply(struct overlay *o, const struct change *c)
{
	if (c->erase) {
		overlay_clear(o);
		o->erased = true;
	}
	if (c->head) {
		head_row_unref(o->head);
		o->head = head_row_ref(c->head);
		overlay_clear_mark(o);
	}
	if (c->kept >= 0 || c->baseline) {
		if (!o->marked)
			o->kept = -1;
		o->marked = true;
		mark_set(&o->kept, &o->baseline, c->kept, c->baseline);
	}
	for (guint i = 0; i < c->stages->len; i++) {
		if (!o->stages)
			o->stages = g_ptr_array_new_with_free_func((GDestroyNotify)stage_row_unref);
		stages_replace(o->stages, stage_row_ref(c->stages->pdata[i]));
	}
}

void overlay_clear(struct overlay *o)
{
	o->erased = false;
	overlay_clear_mark(o);
	g_clear_pointer(&o->head, head_row_unref);
	g_clear_pointer(&o->stages, g_ptr_array_unref);
}

void overlay_free(struct overlay *o)
{
	overlay_clear(o);
	g_free(o);
}
