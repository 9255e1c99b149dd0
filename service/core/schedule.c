/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why characters are checked and not the expressions: two readers of one syntax would disagree some
 * day, and the one that counts is PID 1. What must be certain here is that a text stays one value
 * on one line of a unit file; whether it means anything, systemd-analyze(1) is asked by who has
 * time for it.
 */
#include "schedule.h"

#include "conffile.h"
#include "message.h"

#include <errno.h>
#include <string.h>

#define SCHEDULE_ACCURACY_NS UINT64_C(1000000000)
#define SCHEDULE_CHARACTERS                                                                        \
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 *:/.,~+-_@"

static void schedule_calendar_free(gpointer data)
{
	struct schedule_calendar *c = data;

	g_free(c->text);
	g_free(c->file);
	g_free(c);
}

static void schedule_add(struct schedule *s, const char *text, const char *file, unsigned line)
{
	struct schedule_calendar *c = g_new0(struct schedule_calendar, 1);

	c->text = g_strdup(text);
	c->file = g_strdup(file);
	c->line = line;
	g_ptr_array_add(s->calendars, c);
}

void schedule_init(struct schedule *s)
{
	*s = (struct schedule){
		.calendars = g_ptr_array_new_with_free_func(schedule_calendar_free),
		.enabled = true,
		.accuracy_ns = SCHEDULE_ACCURACY_NS,
	};
}

void schedule_done(struct schedule *s)
{
	g_clear_pointer(&s->calendars, g_ptr_array_unref);
}

void schedule_copy(struct schedule *to, const struct schedule *from)
{
	GPtrArray *calendars = from->calendars;

	schedule_init(to);
	for (guint i = 0; i < calendars->len; i++) {
		const struct schedule_calendar *c = calendars->pdata[i];

		schedule_add(to, c->text, c->file, c->line);
	}
	calendars = to->calendars;
	*to = *from;
	to->calendars = calendars;
}

bool schedule_is_set(const struct schedule *s)
{
	return s->calendars->len > 0 || s->on_boot_ns > 0;
}

int schedule_text_check(const char *text, char **ret_message)
{
	size_t good = strspn(text, SCHEDULE_CHARACTERS);

	if (strspn(text, " ") == strlen(text))
		return message_fail(ret_message, -EINVAL,
				    "a schedule says when, such as \"Mon..Fri 02:00\"");
	if (strlen(text) > SCHEDULE_TEXT_MAX)
		return message_fail(ret_message, -EINVAL,
				    "a schedule has at most %d characters: \"%.32s...\"",
				    SCHEDULE_TEXT_MAX, text);
	if (text[good] && g_ascii_isgraph(text[good]))
		return message_fail(ret_message, -EINVAL,
				    "\"%.64s\" is no calendar expression: it has '%c' in it; see "
				    "systemd.time(7)",
				    text, text[good]);
	if (text[good])
		return message_fail(ret_message, -EINVAL,
				    "a schedule is one line of letters, digits and signs; see "
				    "systemd.time(7)");
	return 0;
}

static void schedule_take_one(struct conf_group *g, const char *key, int i, const char *text,
			      struct schedule *s)
{
	g_autofree char *why = NULL;

	if (schedule_text_check(text, &why) == 0)
		schedule_add(s, text, conf_file(g, key), conf_line_at(g, key, i));
	else if (i >= 0)
		(void)conf_complain_at(g, key, (unsigned)i, "%s", why);
	else
		(void)conf_complain(g, key, "%s", why);
}

void schedule_take(struct conf_group *g, const char *key, struct schedule *s)
{
	g_auto(GStrv) texts = NULL;
	const char *text;

	if (conf_is_string(g, key)) {
		if (conf_take_string(g, key, &text) == 0)
			schedule_take_one(g, key, -1, text, s);
		return;
	}
	if (conf_take_strings(g, key, &texts) != 0)
		return;
	if (g_strv_length(texts) > SCHEDULE_CALENDARS_MAX) {
		(void)conf_complain(g, key, "\"%s\" has over %d of them", key,
				    SCHEDULE_CALENDARS_MAX);
		return;
	}
	for (int i = 0; texts[i]; i++)
		schedule_take_one(g, key, i, texts[i], s);
}

char *schedule_format(const struct schedule *s)
{
	GString *out;

	if (s->calendars->len == 0)
		return NULL;
	out = g_string_new("[");
	for (guint i = 0; i < s->calendars->len; i++) {
		const struct schedule_calendar *c = s->calendars->pdata[i];
		g_autofree char *quoted = conf_quote(c->text);

		g_string_append_printf(out, "%s%s", i ? ", " : " ", quoted);
	}
	g_string_append(out, " ]");
	return g_string_free(out, FALSE);
}

char *schedule_join(const struct schedule *s)
{
	GString *out = g_string_new(NULL);

	for (guint i = 0; i < s->calendars->len; i++)
		g_string_append_printf(out, "%s%s", i ? "; " : "",
				       ((struct schedule_calendar *)s->calendars->pdata[i])->text);
	return g_string_free(out, FALSE);
}

char **schedule_split(const char *text)
{
	char **texts = g_strsplit(text, ";", -1);

	for (char **t = texts; *t; t++)
		g_strstrip(*t);
	return texts;
}
