/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why lines are numbered and damage takes along what was before it: a lost "forget" would make a
 * value ours again that somebody else has set since, and putting that back would be wrong. A line
 * that cannot be read may have been one, about any subject. Each "will" says everything itself, so
 * what follows the damage stands on its own. A last line without its end is no damage: it was being
 * written when its writer died, so what it announces was not begun yet, or, of the other verbs, is
 * merely not known to be over.
 *
 * Why a cryptographic sum: it is at hand, costs a microsecond, and no damage of any shape passes.
 */
#include "journal-text.h"

#include "cpulist.h"
#include "duration.h"
#include "policy.h"
#include "tuning.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#define HEAD	     "lrtbf-tuning 1 "
#define CHECK_DIGITS 16

static const char *const verbs[] = {
	[JOURNAL_WILL] = "will",
	[JOURNAL_DID] = "did",
	[JOURNAL_FORGET] = "forget",
};

static const char *const attributes[] = {
	[TUNING_POLICY] = "policy",
	[TUNING_NICE] = "nice",
	[TUNING_AFFINITY] = "affinity",
};

static char *journal_check(const char *text, size_t size)
{
	char *sum = g_compute_checksum_for_data(G_CHECKSUM_SHA256, (const guchar *)text, size);

	sum[CHECK_DIGITS] = '\0';
	return sum;
}

char *journal_seal(const char *text)
{
	g_autofree char *check = journal_check(text, strlen(text));

	return g_strdup_printf("%s %s\n", text, check);
}

/* The text in front of the checksum, if that is right; else NULL. g_free(). */
static char *journal_unseal(const char *line, size_t size)
{
	g_autofree char *check = NULL;
	size_t text_size;

	if (size <= CHECK_DIGITS + 1 || memchr(line, '\0', size))
		return NULL;
	text_size = size - CHECK_DIGITS - 1;
	check = journal_check(line, text_size);
	if (line[text_size] != ' ' || memcmp(line + text_size + 1, check, CHECK_DIGITS) != 0)
		return NULL;
	return g_strndup(line, text_size);
}

static char *journal_escape(const char *name)
{
	GString *out = g_string_new(NULL);

	for (const unsigned char *c = (const unsigned char *)(name ?: ""); *c; c++)
		if (*c > ' ' && *c < 0x7f && *c != '%')
			g_string_append_c(out, (char)*c);
		else
			g_string_append_printf(out, "%%%02x", *c);
	return g_string_free(out, FALSE);
}

/* NULL: an escape that is none. */
static char *journal_unescape(const char *field)
{
	g_autoptr(GString) out = g_string_new(NULL);

	for (const char *c = field; *c; c++) {
		int high, low;

		if (*c != '%') {
			g_string_append_c(out, *c);
			continue;
		}
		high = g_ascii_xdigit_value(c[1]);
		low = high < 0 ? -1 : g_ascii_xdigit_value(c[2]);
		if (low < 0 || high * 16 + low == 0)
			return NULL;
		g_string_append_c(out, (char)(high * 16 + low));
		c += 2;
	}
	return g_string_free(g_steal_pointer(&out), FALSE);
}

static int journal_word(const char *field, const char *const *words, int n_words)
{
	for (int i = 0; i < n_words; i++)
		if (strcmp(field, words[i]) == 0)
			return i;
	return -EBADMSG;
}

static char *value_format(enum tuning_attribute a, const struct tuning_value *v)
{
	const char *name;

	switch (a) {
	case TUNING_POLICY:
		name = policy_to_string(v->policy);
		return name ? g_strdup_printf("%s:%u:%d", name, v->priority, v->reset_on_fork)
			    : g_strdup_printf("%d:%u:%d", v->policy, v->priority, v->reset_on_fork);
	case TUNING_NICE:
		return g_strdup_printf("%d", v->nice);
	case TUNING_AFFINITY:
		return journal_escape(v->affinity);
	case TUNING_ATTRIBUTES:
		break;
	}
	g_assert_not_reached();
}

static int policy_parse(const char *field, struct tuning_value *v)
{
	g_auto(GStrv) part = g_strsplit(field, ":", -1);
	int64_t number, priority, reset;
	int policy;

	if (g_strv_length(part) != 3)
		return -EBADMSG;
	policy = policy_from_string(part[0]);
	if (policy < 0) {
		if (integer_parse(part[0], 0, 255, &number, NULL) < 0 ||
		    policy_to_string((int)number))
			return -EBADMSG;
		policy = (int)number;
	}
	if (integer_parse(part[1], policy_is_realtime(policy), policy_is_realtime(policy) ? 99 : 0,
			  &priority, NULL) < 0 ||
	    integer_parse(part[2], 0, 1, &reset, NULL) < 0)
		return -EBADMSG;
	v->policy = policy;
	v->priority = (unsigned)priority;
	v->reset_on_fork = reset;
	return 0;
}

static int value_parse(enum tuning_attribute a, const char *field, struct tuning_value *ret)
{
	struct tuning_value v = { 0 };
	cpu_set_t set;
	int64_t nice;

	switch (a) {
	case TUNING_POLICY:
		if (policy_parse(field, &v) < 0)
			return -EBADMSG;
		break;
	case TUNING_NICE:
		if (integer_parse(field, -20, 19, &nice, NULL) < 0)
			return -EBADMSG;
		v.nice = (int)nice;
		break;
	case TUNING_AFFINITY:
		v.affinity = journal_unescape(field);
		if (!v.affinity || cpulist_parse(v.affinity, NULL, &set, NULL) < 0) {
			tuning_value_done(&v);
			return -EBADMSG;
		}
		break;
	case TUNING_ATTRIBUTES:
		return -EBADMSG;
	}
	*ret = v;
	return 0;
}

static void subject_format(GString *out, const struct journal_record *rec)
{
	const struct tuning_subject *s = &rec->subject;
	g_autofree char *name = journal_escape(s->name);

	if (s->is_line)
		g_string_append_printf(out, "line %u 0", s->irq);
	else
		g_string_append_printf(out, "thread %d %" G_GUINT64_FORMAT, s->tid, s->start_ticks);
	g_string_append_printf(out, " %s %s", attributes[rec->attribute], name);
}

char *journal_head_format(const char *boot_id)
{
	g_autofree char *id = journal_escape(boot_id);
	g_autofree char *text = g_strconcat(HEAD, id, NULL);

	return journal_seal(text);
}

char *journal_head_parse(const char *line, size_t size)
{
	g_autofree char *text = journal_unseal(line, size);

	if (!text || !g_str_has_prefix(text, HEAD))
		return NULL;
	return journal_unescape(text + strlen(HEAD));
}

char *journal_record_format(const struct journal_record *rec, uint64_t serial)
{
	g_autoptr(GString) out = g_string_new(NULL);

	g_string_append_printf(out, "%" G_GUINT64_FORMAT " %s ", serial, verbs[rec->verb]);
	subject_format(out, rec);
	if (rec->verb == JOURNAL_WILL) {
		g_autofree char *old = value_format(rec->attribute, &rec->old);
		g_autofree char *before = value_format(rec->attribute, &rec->before);
		g_autofree char *new = value_format(rec->attribute, &rec->new);
		g_autofree char *by = journal_escape(rec->by);

		g_string_append_printf(out, " %s %s %s %s", old, before, new, by);
	}
	return journal_seal(out->str);
}

enum {
	FIELD_SERIAL,
	FIELD_VERB,
	FIELD_KIND,
	FIELD_ID,
	FIELD_TICKS,
	FIELD_ATTRIBUTE,
	FIELD_NAME,
	FIELDS_SHORT,
	FIELD_OLD = FIELDS_SHORT,
	FIELD_BEFORE,
	FIELD_NEW,
	FIELD_BY,
	FIELDS_WILL,
};

static int subject_parse(char **field, struct journal_record *rec)
{
	struct tuning_subject *s = &rec->subject;
	bool line = strcmp(field[FIELD_KIND], "line") == 0;
	int a = journal_word(field[FIELD_ATTRIBUTE], attributes, TUNING_ATTRIBUTES);
	uint64_t ticks;
	int64_t id;

	if ((!line && strcmp(field[FIELD_KIND], "thread") != 0) || a < 0 ||
	    (line && a != TUNING_AFFINITY) ||
	    integer_parse(field[FIELD_ID], !line, INT_MAX, &id, NULL) < 0 ||
	    !g_ascii_string_to_unsigned(field[FIELD_TICKS], 10, 0, line ? 0 : G_MAXUINT64, &ticks,
					NULL))
		return -EBADMSG;
	s->name = journal_unescape(field[FIELD_NAME]);
	if (!s->name)
		return -EBADMSG;
	s->is_line = line;
	s->tid = line ? 0 : (pid_t)id;
	s->irq = line ? (unsigned)id : 0;
	s->start_ticks = ticks;
	rec->attribute = (enum tuning_attribute)a;
	return 0;
}

static int record_parse(char **field, uint64_t *ret_serial, struct journal_record *rec)
{
	guint n = g_strv_length(field);
	int verb =
		n < FIELDS_SHORT ? -EBADMSG : journal_word(field[FIELD_VERB], verbs, JOURNAL_VERBS);

	if (verb < 0 || n != (verb == JOURNAL_WILL ? FIELDS_WILL : FIELDS_SHORT) ||
	    !g_ascii_string_to_unsigned(field[FIELD_SERIAL], 10, 1, G_MAXUINT64, ret_serial,
					NULL) ||
	    subject_parse(field, rec) < 0)
		return -EBADMSG;
	rec->verb = (enum journal_verb)verb;
	if (rec->verb != JOURNAL_WILL)
		return 0;
	if (value_parse(rec->attribute, field[FIELD_OLD], &rec->old) < 0 ||
	    value_parse(rec->attribute, field[FIELD_BEFORE], &rec->before) < 0 ||
	    value_parse(rec->attribute, field[FIELD_NEW], &rec->new) < 0)
		return -EBADMSG;
	rec->by = journal_unescape(field[FIELD_BY]);
	return rec->by ? 0 : -EBADMSG;
}

int journal_record_parse(const char *line, size_t size, uint64_t *ret_serial,
			 struct journal_record *ret)
{
	g_autofree char *text = journal_unseal(line, size);
	g_auto(GStrv) field = text ? g_strsplit(text, " ", -1) : NULL;
	struct journal_record rec = { 0 };
	uint64_t serial;

	if (!field || record_parse(field, &serial, &rec) < 0) {
		journal_record_done(&rec);
		return -EBADMSG;
	}
	*ret_serial = serial;
	*ret = rec;
	return 0;
}

void journal_record_done(struct journal_record *rec)
{
	tuning_subject_done(&rec->subject);
	tuning_value_done(&rec->old);
	tuning_value_done(&rec->before);
	tuning_value_done(&rec->new);
	g_clear_pointer(&rec->by, g_free);
}
