/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any text as a limit: refused with a sentence, or written and read back as itself, and judged.
 */
#include "limit.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_judge(struct limit *l)
{
	g_autofree struct figures *f = figures_new();
	uint64_t value = 0;

	f->has_grid = 1;
	figures_record(f, 10000, 0);
	g_assert(!l->baseline || limit_judge(l, f, &value) == LIMIT_UNKNOWN);
	if (!l->baseline)
		(void)limit_judge(l, f, &value);
	else
		limit_set_baseline(l, 10000);
	if (limit_judge(l, f, &value) == LIMIT_KEPT && l->baseline)
		g_assert(value <= l->bound && l->bound <= 110000);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autofree char *text = g_strndup(data ? (const char *)data : "", size);
	g_autofree char *why = NULL;
	struct limit l = { 0 }, again = { 0 };

	if (limit_parse(text, &l, &why) < 0) {
		g_assert(why && *why);
		return 0;
	}
	g_assert(!why && limit_parse(l.text, &again, NULL) == 0);
	g_assert(memcmp(&l, &again, sizeof(l)) == 0);
	check_judge(&l);
	return 0;
}
