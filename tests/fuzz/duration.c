/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any text as duration, size, number and limit: what is taken is written and read back as itself.
 */
#include "duration.h"
#include "limit.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_limit(const char *text)
{
	struct limit l = { 0 }, again = { 0 };

	if (limit_parse(text, &l, NULL) < 0)
		return;
	g_assert(limit_parse(l.text, &again, NULL) == 0);
	g_assert(memcmp(&l, &again, sizeof(l)) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autofree char *text = g_strndup(data ? (const char *)data : "", size);
	g_autofree char *why = NULL;
	uint64_t value, again;
	int64_t whole;
	double number;

	if (duration_parse(text, 0, &value, &why) == 0) {
		g_autofree char *shown = duration_format(value);

		g_assert(!why && duration_parse(shown, 0, &again, NULL) == 0 && again == value);
	} else {
		g_assert(why && g_utf8_validate(why, -1, NULL));
	}
	if (size_parse(text, &value, NULL) == 0) {
		g_autofree char *shown = size_format(value);

		g_assert(size_parse(shown, &again, NULL) == 0 && again == value);
	}
	(void)duration_parse(text, 1000, &value, NULL);
	if (number_parse(text, &number) == 0)
		g_free(number_format(number, 3));
	if (integer_parse(text, -100, 100, &whole, NULL) == 0)
		g_assert(whole >= -100 && whole <= 100);
	check_limit(text);
	return 0;
}
