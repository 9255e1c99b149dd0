/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A plan may name two stages alike, and repeats always are. Counting up only on a collision keeps
 * the ordinary name as it is, so that a farm's history of "hd" goes on.
 */
#include "stagename.h"

#include "cell.h"

GHashTable *stagename_set(void)
{
	return g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
}

char *stagename_unused(GHashTable *used, const char *name)
{
	g_autofree char *unused = g_strdup(name);

	for (unsigned n = 2; g_hash_table_contains(used, unused); n++) {
		g_free(unused);
		unused = g_strdup_printf("%s-%u", name, n);
	}
	g_hash_table_add(used, g_strdup(unused));
	return g_steal_pointer(&unused);
}

static bool stagename_repeats(const struct result *r)
{
	for (guint i = 0; r->stages && i < r->stages->len; i++)
		if (((const struct result_stage *)r->stages->pdata[i])->repeat > 1)
			return true;
	return false;
}

char **stagename_all(const struct result *r)
{
	g_autoptr(GHashTable) used = stagename_set();
	guint n = r->stages ? r->stages->len : 0;
	char **names = g_new0(char *, n + 1);
	bool repeats = stagename_repeats(r);

	for (guint i = 0; i < n; i++) {
		const struct result_stage *s = r->stages->pdata[i];
		g_autofree char *clean = cell_text(*s->name ? s->name : "-");
		g_autofree char *name = repeats ? g_strdup_printf("%s, repeat %u", clean, s->repeat)
						: g_strdup(clean);

		names[i] = stagename_unused(used, name);
	}
	return names;
}
