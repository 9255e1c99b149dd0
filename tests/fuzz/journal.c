/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The journal of changes, as it is and with its checksums made right, behind which no damage gets
 * otherwise. Whatever comes out was said by a line of the text, and means the same when written
 * again.
 */
#include <glib.h>
#include <stdint.h>
#include <string.h>

#include "journal-text.h"
#include "policy.h"
#include "tuning.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_value(enum tuning_attribute a, const struct tuning_value *v)
{
	if (a == TUNING_POLICY && policy_is_realtime(v->policy))
		g_assert_true(v->priority >= 1 && v->priority <= 99);
	else
		g_assert_cmpuint(v->priority, ==, 0);
	g_assert_true(v->nice >= -20 && v->nice <= 19);
	g_assert_cmpint(v->affinity != NULL, ==, a == TUNING_AFFINITY);
}

/* The "will" that says exactly this, with any number a line may have. */
static bool line_says(const char *line, size_t size, const struct tuning_entry *e)
{
	struct journal_record rec;
	uint64_t serial;
	bool same;

	if (journal_record_parse(line, size, &serial, &rec) < 0)
		return false;
	same = rec.verb == JOURNAL_WILL && rec.attribute == e->attribute &&
	       tuning_subject_equal(&rec.subject, &e->subject) && strcmp(rec.by, e->by) == 0 &&
	       tuning_value_equal(e->attribute, &rec.old, &e->old) &&
	       tuning_value_equal(e->attribute, &rec.before, &e->before) &&
	       tuning_value_equal(e->attribute, &rec.new, &e->new);
	journal_record_done(&rec);
	return same;
}

static void check_entry(const char *text, size_t size, const struct tuning_entry *e)
{
	const char *end = text + size;
	bool said = false;

	g_assert_true(e->subject.is_line ? e->attribute == TUNING_AFFINITY : e->subject.tid > 0);
	check_value(e->attribute, &e->old);
	check_value(e->attribute, &e->before);
	check_value(e->attribute, &e->new);
	for (const char *at = text; at < end && !said;) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));

		if (!newline)
			break;
		said = line_says(at, (size_t)(newline - at), e);
		at = newline + 1;
	}
	g_assert_true(said);
}

static void check(const char *text, size_t size)
{
	unsigned bad;
	GPtrArray *entries = journal_parse(text, size, NULL, &bad);

	for (guint i = 0; i < entries->len; i++)
		check_entry(text, size, g_ptr_array_index(entries, i));
	g_ptr_array_unref(entries);
	g_ptr_array_unref(journal_parse(text, size, "some other boot", &bad));
}

/* Every line's last word replaced by the checksum it should have. */
static char *sealed(const char *text, size_t size, size_t *ret_size)
{
	g_autofree char *copy = g_strndup(text, size);
	g_auto(GStrv) lines = g_strsplit(copy, "\n", -1);
	GString *out = g_string_new(NULL);

	for (char **l = lines; *l; l++) {
		g_autofree char *line = NULL;
		char *blank = strrchr(*l, ' ');

		if (!blank)
			continue;
		*blank = '\0';
		line = journal_seal(*l);
		g_string_append(out, line);
	}
	*ret_size = out->len;
	return g_string_free(out, FALSE);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autofree char *again = NULL;
	size_t again_size;

	check((const char *)data, size);
	if (size == 0)
		return 0; /* no data, no pointer */
	again = sealed((const char *)data, size, &again_size);
	check(again, again_size);
	return 0;
}
