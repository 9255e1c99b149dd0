/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any bytes as what systemd-analyze printed, as a drop-in that is changed, and as the wish of a
 * caller: refused, or a drop-in that can be changed again and whose values come out as they went
 * in. And as a plan whose timer is written: each of its lines is one that we know.
 */
#include "calendartext.h"
#include "scheduledropin.h"
#include "timerunit.h"

#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_dropin(const char *text, size_t size, const char *wish)
{
	const struct schedule_change changes[] = { { "schedule", wish },
						   { "accuracy", wish },
						   { "persistent", "true" } };
	char *a = NULL, *b = NULL;

	if (scheduledropin_change(text, size, changes, 3, &a, NULL) < 0)
		g_assert(scheduledropin_change(NULL, 0, changes, 3, &a, NULL) == 0);
	g_assert(strstr(a, "\npersistent = true;\n"));
	/* else the plan's check refuses it before it is written */
	if (scheduledropin_change(a, strlen(a), changes, 0, &b, NULL) == 0)
		g_assert(strcmp(a, b) == 0);
	g_free(a);
	g_free(b);
}

static void check_line(const char *line)
{
	static const char *const known[] = { "# Made by ",     "[Unit]",      "Description=",
					     "Documentation=", "SourcePath=", "[Timer]",
					     "Unit=",	       "OnCalendar=", "OnBootSec=",
					     "AccuracySec=",   "Randomized",  "Persistent=yes",
					     "WakeSystem=yes", "Wants=",      "PartOf=" };
	bool found = *line == '\0';

	for (size_t i = 0; i < G_N_ELEMENTS(known); i++)
		found = found || g_str_has_prefix(line, known[i]);
	g_assert(found);
	g_assert(!strpbrk(line, "%\\\"'"));
}

static void check_unit(const char *unit)
{
	g_auto(GStrv) lines = g_strsplit(unit ?: "", "\n", -1);

	for (char **line = lines; *line; line++)
		check_line(*line);
}

static void check_timer(const char *text, size_t size)
{
	g_autoptr(GPtrArray) problems = problems_new();
	struct plan *p = plan_parse("fuzz", text, size, "/fuzz", problems);
	g_autofree char *unit = p ? timerunit_format(p, "/fuzz") : NULL;
	g_autofree char *boot = p ? timerunit_format_boot(p, "/fuzz") : NULL;

	check_unit(unit);
	check_unit(boot);
	plan_free(p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = data ? (const char *)data : "";
	g_autofree char *wish = g_strndup(text, size);
	uint64_t usec;

	(void)calendartext_next(text, size, &usec);
	check_dropin(text, size, wish);
	check_timer(text, size);
	return 0;
}
