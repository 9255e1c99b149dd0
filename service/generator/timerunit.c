/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Nothing that somebody wrote goes into the unit but calendar expressions and the file's name, and
 * these only of characters that mean nothing to the reader of unit files. The description of a plan
 * stays out, because it may be any text.
 */
#include "timerunit.h"

#include "conftree.h"
#include "duration.h"

#include <string.h>

#define NSEC_PER_USEC  1000
#define TIMERUNIT_PATH "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._+-@"

/* systemd counts microseconds, and reads our units as its own. */
static void timerunit_duration(GString *out, const char *key, uint64_t ns)
{
	g_autofree char *text = duration_format(ns / NSEC_PER_USEC * NSEC_PER_USEC);

	g_string_append_printf(out, "%s=%s\n", key, text);
}

static void timerunit_calendars(GString *out, const struct schedule *s)
{
	for (guint i = 0; i < s->calendars->len; i++) {
		const struct schedule_calendar *c = s->calendars->pdata[i];

		if (schedule_text_check(c->text, NULL) == 0) /* was checked when it was read */
			g_string_append_printf(out, "OnCalendar=%s\n", c->text);
	}
}

char *timerunit_format(const struct plan *p, const char *path)
{
	const struct schedule *s = &p->schedule;
	GString *out;

	if (!schedule_is_set(s) || !s->enabled || !conftree_name_valid(p->name))
		return NULL;
	out = g_string_new("# Made by lrtbf-generator(8) from the schedule of a plan.\n[Unit]\n");
	g_string_append_printf(out, "Description=Schedule of the measuring plan %s\n", p->name);
	g_string_append(out, "Documentation=man:lrtbfd-plan(5) man:lrtbf-generator(8)\n");
	if (*path == '/' && strspn(path, TIMERUNIT_PATH) == strlen(path))
		g_string_append_printf(out, "SourcePath=%s\n", path);
	g_string_append_printf(out, "\n[Timer]\nUnit=lrtbf-session@%s.service\n", p->name);
	timerunit_calendars(out, s);
	if (s->on_boot_ns > 0)
		timerunit_duration(out, "OnBootSec", s->on_boot_ns);
	timerunit_duration(out, "AccuracySec", s->accuracy_ns);
	if (s->randomized_delay_ns > 0)
		timerunit_duration(out, "RandomizedDelaySec", s->randomized_delay_ns);
	if (s->persistent)
		g_string_append(out, "Persistent=yes\n");
	if (s->wake_system)
		g_string_append(out, "WakeSystem=yes\n");
	return g_string_free(out, FALSE);
}
