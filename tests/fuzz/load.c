/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any bytes as a load: refused with a reason, or a load within its bounds. */
#include "load.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autoptr(GHashTable) loads = g_hash_table_new(g_str_hash, g_str_equal);
	const char *text = data ? (const char *)data : ""; /* no bytes may be no pointer */
	g_autoptr(GPtrArray) problems = problems_new();
	g_autoptr(GPtrArray) simple = NULL;
	struct load *l;

	l = load_parse("fuzz", text, size, "fuzz", problems);
	g_assert(!l == (problems->len > 0));
	if (!l)
		return 0;
	g_assert(!l->command != !l->parts);
	g_assert(!l->command || (l->command[0] && *l->command[0]));
	g_assert(l->instances >= 1 && l->instances <= 256);
	g_assert(l->end_statuses != 0);
	g_hash_table_insert(loads, l->name, l);
	(void)load_expand(loads, "fuzz", &simple, NULL);
	load_free(l);
	return 0;
}
