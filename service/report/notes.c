/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The same finding often stands in every stage (a virtual machine does not change between them);
 * repeated four times nobody would read the one that stands in one stage only. The first line
 * belongs to the fallback of the policy: whoever reads nothing else must not take a result of
 * `other` for one of `fifo`, so its sentence names both even when the finding does not.
 */
#include "notes.h"

#include "policy.h"

#include <string.h>

#define NOTES_FALLBACK "policy-fallback"

static void note_free(gpointer data)
{
	struct note *n = data;

	g_free(n->text);
	g_free(n);
}

static bool notes_same(const struct finding *a, const struct finding *b)
{
	return a->kind == b->kind && strcmp(a->text, b->text) == 0;
}

static bool notes_has(const GPtrArray *findings, const struct finding *f)
{
	for (guint i = 0; i < findings->len; i++)
		if (notes_same(findings->pdata[i], f))
			return true;
	return false;
}

static const char *notes_policy(int policy)
{
	const char *name = policy_to_string(policy);

	return name ? name : "unknown";
}

static char *notes_fallback_text(const struct result *r, const struct finding *f)
{
	const char *policy = notes_policy(r->policy);

	if (f && (strstr(f->text, policy) || r->policy == r->wanted_policy))
		return g_strdup(f->text);
	return g_strdup_printf(
		"Real-time priority was not permitted: measured with policy %s instead of "
		"%s.",
		policy, notes_policy(r->wanted_policy));
}

static void notes_add(GPtrArray *notes, const struct finding *f, char *text)
{
	struct note *n = g_new0(struct note, 1);

	n->finding = f;
	n->text = text;
	n->inconclusive = f && f->kind->weight == FINDING_INCONCLUSIVE;
	g_ptr_array_add(notes, n);
}

/* It is there more than once. */
static bool notes_repeated(const struct result *r, const struct result_stage *s)
{
	for (guint i = 0; i < r->stages->len; i++) {
		const struct result_stage *other = r->stages->pdata[i];

		if (other != s && strcmp(other->name, s->name) == 0)
			return true;
	}
	return false;
}

/* "stage hd, dohell: ", "stage hd (repeat 2): " or "" when every stage has it. */
static char *notes_where(const struct result *r, const struct finding *f)
{
	GString *where = g_string_new(NULL);
	guint n = 0;

	for (guint i = 0; i < r->stages->len; i++) {
		const struct result_stage *s = r->stages->pdata[i];

		if (!notes_has(s->findings, f))
			continue;
		g_string_append_printf(where, "%s%s", n++ ? ", " : "", s->name);
		if (notes_repeated(r, s))
			g_string_append_printf(where, " (repeat %u)", s->repeat);
	}
	if (n == r->stages->len)
		g_string_truncate(where, 0);
	if (where->len) {
		g_string_prepend(where, n > 1 ? "stages " : "stage ");
		g_string_append(where, ": ");
	}
	return g_string_free(where, FALSE);
}

static bool notes_known(const struct result *r, guint stages, const struct finding *f)
{
	if (notes_has(r->findings, f))
		return true;
	for (guint i = 0; i < stages; i++)
		if (notes_has(((struct result_stage *)r->stages->pdata[i])->findings, f))
			return true;
	return false;
}

static void notes_of_session(GPtrArray *notes, const struct result *r)
{
	for (guint i = 0; i < r->findings->len; i++) {
		const struct finding *f = r->findings->pdata[i];
		bool fallback = strcmp(f->kind->id, NOTES_FALLBACK) == 0;

		notes_add(notes, f, fallback ? notes_fallback_text(r, f) : g_strdup(f->text));
	}
}

static void notes_of_stage(GPtrArray *notes, const struct result *r, guint stage)
{
	const struct result_stage *s = r->stages->pdata[stage];

	for (guint i = 0; i < s->findings->len; i++) {
		const struct finding *f = s->findings->pdata[i];
		g_autofree char *where = NULL;

		if (notes_known(r, stage, f))
			continue;
		if (strcmp(f->kind->id, NOTES_FALLBACK) == 0) {
			notes_add(notes, f, notes_fallback_text(r, f));
			continue;
		}
		where = notes_where(r, f);
		notes_add(notes, f, g_strconcat(where, f->text, NULL));
	}
}

static bool notes_is_fallback(const struct note *n)
{
	return !n->finding || strcmp(n->finding->kind->id, NOTES_FALLBACK) == 0;
}

static int notes_rank(const struct note *n)
{
	return notes_is_fallback(n) ? 0 : n->inconclusive ? 1 : 2;
}

/* Insertion by rank: stable, which g_ptr_array_sort() does not promise. */
static GPtrArray *notes_sorted(GPtrArray *notes)
{
	GPtrArray *sorted = g_ptr_array_new_with_free_func(note_free);

	for (int rank = 0; rank <= 2; rank++)
		for (guint i = 0; i < notes->len; i++)
			if (notes_rank(notes->pdata[i]) == rank)
				g_ptr_array_add(sorted, notes->pdata[i]);
	g_ptr_array_unref(notes);
	return sorted;
}

GPtrArray *notes_new(const struct result *r)
{
	GPtrArray *notes = g_ptr_array_new(); /* notes_sorted() takes its members */
	bool said = false;

	notes_of_session(notes, r);
	for (guint i = 0; r->stages && i < r->stages->len; i++)
		notes_of_stage(notes, r, i);
	for (guint i = 0; i < notes->len; i++)
		said = said || notes_is_fallback(notes->pdata[i]);
	if (!said && r->policy != r->wanted_policy)
		notes_add(notes, NULL, notes_fallback_text(r, NULL));
	return notes_sorted(notes);
}
