/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any text as a CPU list: what is taken is written and read back as itself. */
#include "cpulist.h"

#include <glib.h>
#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autofree char *text = g_strndup(data ? (const char *)data : "", size);
	g_autofree char *why = NULL;
	g_autofree char *shown = NULL;
	g_autofree char *refused = NULL;
	cpu_set_t allowed, set, again;

	memset(&allowed, 0x55, sizeof(allowed));
	if (cpulist_parse(text, &allowed, &set, &why) < 0) {
		g_assert(why);
		return 0;
	}
	g_assert(!why && CPU_COUNT(&set) > 0);
	shown = cpulist_format(&set);
	g_assert(cpulist_parse(shown, NULL, &again, NULL) == 0 && CPU_EQUAL(&set, &again));
	(void)cpulist_check(&set, &allowed, &again, &refused);
	return 0;
}
