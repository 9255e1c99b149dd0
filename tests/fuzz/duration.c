/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any text as duration, size and number: durations are written and read back. */
#include "duration.h"

#include <glib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autofree char *text = g_strndup(data ? (const char *)data : "", size);
	g_autofree char *why = NULL;
	uint64_t value, again;
	int64_t whole;

	if (duration_parse(text, 0, &value, &why) == 0) {
		g_autofree char *shown = duration_format(value);

		g_assert(!why && duration_parse(shown, 0, &again, NULL) == 0 && again == value);
	} else {
		g_assert(why && g_utf8_validate(why, -1, NULL));
	}
	if (size_parse(text, &value, NULL) == 0)
		g_assert(value <= UINT64_C(1) << 62);
	(void)duration_parse(text, 1000, &value, NULL);
	if (integer_parse(text, -100, 100, &whole, NULL) == 0)
		g_assert(whole >= -100 && whole <= 100);
	return 0;
}
