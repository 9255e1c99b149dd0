/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Nothing that somebody wrote goes into the unit but calendar expressions and the file's name, and
 * these only of characters that mean nothing to the reader of unit files. The description of a plan
 * stays out, because it may be any text.
 *
 * A persistent timer remembers when it last fired, and systemd takes OnBootSec= of one that ever
 * fired for done with when it has passed at the time the timer starts, as any that is shorter than
 * the boot has. So a persistent plan's on_boot has a timer of its own, which remembers nothing; it
 * goes on and off with the other one.
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

static bool timerunit_wanted(const struct plan *p)
{
	return schedule_is_set(&p->schedule) && p->schedule.enabled && conftree_name_valid(p->name);
}

static bool timerunit_has_boot(const struct plan *p)
{
	return timerunit_wanted(p) && p->schedule.persistent && p->schedule.on_boot_ns > 0;
}

static GString *timerunit_head(const struct plan *p, const char *path)
{
	GString *out =
		g_string_new("# Made by lrtbf-generator(8) from the schedule of a plan.\n[Unit]\n");

	g_string_append_printf(out, "Description=Schedule of the measuring plan %s\n", p->name);
	g_string_append(out, "Documentation=man:lrtbfd-plan(5) man:lrtbf-generator(8)\n");
	if (*path == '/' && strspn(path, TIMERUNIT_PATH) == strlen(path))
		g_string_append_printf(out, "SourcePath=%s\n", path);
	return out;
}

static void timerunit_on_boot(GString *out, const struct schedule *s)
{
	if (s->on_boot_ns > 0)
		timerunit_duration(out, "OnBootSec", s->on_boot_ns);
}

/* What is the same however the moment is told. */
static char *timerunit_tail(GString *out, const struct schedule *s)
{
	timerunit_duration(out, "AccuracySec", s->accuracy_ns);
	if (s->randomized_delay_ns > 0)
		timerunit_duration(out, "RandomizedDelaySec", s->randomized_delay_ns);
	if (s->wake_system)
		g_string_append(out, "WakeSystem=yes\n");
	return g_string_free(out, FALSE);
}

static void timerunit_section(GString *out, const struct plan *p)
{
	g_string_append_printf(out, "\n[Timer]\nUnit=lrtbf-session@%s.service\n", p->name);
}

char *timerunit_format(const struct plan *p, const char *path)
{
	const struct schedule *s = &p->schedule;
	GString *out;

	if (!timerunit_wanted(p))
		return NULL;
	out = timerunit_head(p, path);
	if (timerunit_has_boot(p))
		g_string_append_printf(out, "Wants=lrtbf-plan-%s-boot.timer\n", p->name);
	timerunit_section(out, p);
	timerunit_calendars(out, s);
	if (!timerunit_has_boot(p))
		timerunit_on_boot(out, s);
	if (s->persistent)
		g_string_append(out, "Persistent=yes\n");
	return timerunit_tail(out, s);
}

char *timerunit_format_boot(const struct plan *p, const char *path)
{
	GString *out;

	if (!timerunit_has_boot(p))
		return NULL;
	out = timerunit_head(p, path);
	g_string_append_printf(out, "PartOf=lrtbf-plan-%s.timer\n", p->name);
	timerunit_section(out, p);
	timerunit_on_boot(out, &p->schedule);
	return timerunit_tail(out, &p->schedule);
}
