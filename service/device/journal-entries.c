/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The entries, as the lines make them one after the other: the same for a file that is read and for
 * a line just written, so that the two never tell different things.
 */
#include "journal-text.h"

#include "tuning.h"

#include <string.h>

static void entry_clear(struct tuning_entry *e)
{
	tuning_subject_done(&e->subject);
	tuning_value_done(&e->old);
	tuning_value_done(&e->before);
	tuning_value_done(&e->new);
	g_clear_pointer(&e->by, g_free);
}

static void entry_free(gpointer data)
{
	entry_clear(data);
	g_free(data);
}

GPtrArray *journal_entries_new(void)
{
	return g_ptr_array_new_with_free_func(entry_free);
}

struct tuning_entry *journal_entries_find(const GPtrArray *entries, const struct tuning_subject *s,
					  enum tuning_attribute a)
{
	for (guint i = 0; i < entries->len; i++) {
		struct tuning_entry *e = g_ptr_array_index(entries, i);

		if (e->attribute == a && tuning_subject_equal(&e->subject, s))
			return e;
	}
	return NULL;
}

static void entries_will(GPtrArray *entries, struct tuning_entry *e, struct journal_record *rec)
{
	if (e) { /* stays where it is in memory: it is borrowed */
		entry_clear(e);
	} else {
		e = g_new(struct tuning_entry, 1);
		g_ptr_array_add(entries, e);
	}
	*e = (struct tuning_entry){
		.subject = rec->subject,
		.attribute = rec->attribute,
		.old = rec->old,
		.before = rec->before,
		.new = rec->new,
		.by = rec->by,
	};
	*rec = (struct journal_record){ 0 };
}

void journal_entries_apply(GPtrArray *entries, struct journal_record *rec)
{
	struct tuning_entry *e = journal_entries_find(entries, &rec->subject, rec->attribute);

	switch (rec->verb) {
	case JOURNAL_WILL:
		entries_will(entries, e, rec);
		break;
	case JOURNAL_DID:
		if (e)
			e->sure = true;
		break;
	case JOURNAL_FORGET:
		if (e)
			g_ptr_array_remove(entries, e);
		break;
	case JOURNAL_VERBS:
		break;
	}
	journal_record_done(rec);
}

/* One whole line behind the head. */
static void reading_take(struct journal_reading *r, const char *line, size_t size)
{
	struct journal_record rec;
	uint64_t serial = 0;
	bool good = journal_record_parse(line, size, &serial, &rec) >= 0;

	if (good && serial <= r->serial) { /* an older line again, or one put here */
		journal_record_done(&rec);
		good = false;
	}
	if (!good || serial != r->serial + 1) {
		r->bad++;
		g_ptr_array_set_size(r->entries, 0);
	}
	if (!good)
		return;
	r->serial = serial;
	journal_entries_apply(r->entries, &rec);
}

/* Whether the head is whole and of that boot; a head of another boot is no damage. */
static bool reading_head(struct journal_reading *r, const char *line, size_t size,
			 const char *boot_id)
{
	g_autofree char *id = journal_head_parse(line, size);

	if (!id) {
		r->bad++;
		return false;
	}
	return !boot_id || strcmp(id, boot_id) == 0;
}

void journal_read(const char *text, size_t size, const char *boot_id, struct journal_reading *ret)
{
	struct journal_reading r = { .entries = journal_entries_new() };
	const char *at = text, *end = size > 0 ? text + size : text; /* no text, no pointer */
	bool head = false;

	while (at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));

		if (!newline) {
			r.bad++;
			break;
		}
		if (head)
			reading_take(&r, at, (size_t)(newline - at));
		else if (!reading_head(&r, at, (size_t)(newline - at), boot_id))
			break;
		head = true;
		r.lines++;
		at = newline + 1;
	}
	r.current = head && r.bad == 0;
	*ret = r;
}

GPtrArray *journal_parse(const char *text, size_t size, const char *boot_id, unsigned *ret_bad)
{
	struct journal_reading r;

	journal_read(text, size, boot_id, &r);
	if (ret_bad)
		*ret_bad = r.bad;
	return r.entries;
}
