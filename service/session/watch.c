/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why CLOCK_BOOTTIME minus CLOCK_MONOTONIC: the difference grows by suspends and by nothing else,
 * so that no signal of a session manager is needed, which a small board has not.
 */
#include "watch.h"

#include "clock.h"
#include "cpulist.h"

#include <glib.h>

#define CLOCKSOURCE "sys/devices/system/clocksource/clocksource0/current_clocksource"
#define SUSPEND_NS  (100 * NSEC_PER_MSEC) /* more than two clock reads can be apart */

static char *watch_clocksource(const char *root)
{
	g_autofree char *path = g_build_filename(root, CLOCKSOURCE, NULL);
	char *text;

	return g_file_get_contents(path, &text, NULL, NULL) ? g_strchomp(text) : NULL;
}

void watch_begin(struct watch *w, const char *root, const cpu_set_t *cpus)
{
	*w = (struct watch){ .root = root, .cpus = *cpus };
	w->suspended_ns = clock_suspended_ns();
	w->clocksource = watch_clocksource(root);
}

void watch_look(struct watch *w)
{
	cpu_set_t online, gone;

	if (cpulist_online(w->root, &online) < 0)
		return;
	CPU_XOR(&gone, &w->cpus, &online);
	CPU_AND(&gone, &gone, &w->cpus);
	CPU_OR(&w->gone, &w->gone, &gone);
}

void watch_end(struct watch *w, GPtrArray *findings)
{
	g_autofree char *clocksource = watch_clocksource(w->root);
	uint64_t slept_ns = clock_suspended_ns() - w->suspended_ns;

	watch_look(w);
	if (CPU_COUNT(&w->gone) > 0) {
		g_autofree char *gone = cpulist_format(&w->gone);

		finding_add(findings, "cpu-offline", "Measured CPU %s went offline meanwhile.",
			    gone);
	}
	if (slept_ns > SUSPEND_NS && slept_ns < UINT64_MAX / 2)
		finding_add(findings, "suspended",
			    "The machine was suspended for %llu s while it measured.",
			    (unsigned long long)(slept_ns + NSEC_PER_SEC / 2) / NSEC_PER_SEC);
	if (w->clocksource && clocksource && g_strcmp0(w->clocksource, clocksource) != 0)
		finding_add(findings, "clock-changed",
			    "The kernel changed its clock source from %s to %s meanwhile.",
			    w->clocksource, clocksource);
	g_clear_pointer(&w->clocksource, g_free);
}
