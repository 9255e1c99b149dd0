/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any bytes as configuration, with every kind of taker let loose on what was parsed. */
#include "conffile.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const keys[] = { "a", "b", "interval", "stages", "limits", "load", "x" };

static void take_all(struct conf_group *g, int depth)
{
	for (size_t i = 0; i < G_N_ELEMENTS(keys); i++) {
		g_autofree struct conf_group **groups = NULL;
		g_autofree int64_t *integers = NULL;
		g_auto(GStrv) strings = NULL;
		const char *text;
		uint64_t quantity;
		int64_t n;
		size_t len = 0;
		bool yes;

		if (conf_take_string(g, keys[i], &text) == 0)
			g_assert(g_utf8_validate(text, -1, NULL));
		(void)conf_take_bool(g, keys[i], &yes);
		(void)conf_take_integer(g, keys[i], -5, 3000000000, &n);
		(void)conf_take_duration(g, keys[i], 1, 1000000000, &quantity);
		(void)conf_take_size(g, keys[i], &quantity);
		(void)conf_take_strings(g, keys[i], &strings);
		(void)conf_take_integers(g, keys[i], 0, 63, &integers, &len);
		if (depth < 3 && conf_take_groups(g, keys[i], &groups, &len) == 0)
			for (size_t j = 0; j < len; j++)
				take_all(groups[j], depth + 1);
		(void)conf_line(g, keys[i]);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = data ? (const char *)data : ""; /* no bytes may be no pointer */
	g_autoptr(GPtrArray) problems = problems_new();
	g_autofree char *all = NULL;
	struct conf *c;

	c = conf_parse(text, size, "fuzz", problems);
	g_assert(c || problems->len > 0);
	if (c) {
		(void)conf_overlay(c, text + size / 2, size - size / 2, "half");
		take_all(conf_root(c), 0);
		conf_done(c);
		conf_free(c);
	}
	all = problems_format(problems);
	g_assert(g_utf8_validate(all, -1, NULL));
	/* the grammar here and libconfig's own are one */
	for (guint i = 0; i < problems->len; i++)
		g_assert(!g_str_has_prefix(((struct problem *)problems->pdata[i])->text,
					   "libconfig "));
	return 0;
}
