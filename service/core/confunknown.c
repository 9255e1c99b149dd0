/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why unknown keys are refused and not ignored: a misspelled limit that is passed over makes every
 * session pass. Most are slips of a few letters, so the key that was most likely meant is named.
 */
#include "conffile-internal.h"

#include "spelling.h"

#include <string.h>

/* The known key that @key most likely means; NULL: none is near. */
static const char *conf_nearest(struct conf_group *g, const char *key)
{
	unsigned best = MAX(strlen(key) / 3, 2) + 1;
	const char *nearest = NULL;
	GHashTableIter iter;
	gpointer known;

	g_hash_table_iter_init(&iter, g->asked);
	while (g_hash_table_iter_next(&iter, &known, NULL)) {
		unsigned d = spelling_distance(key, known);

		/* of two that are as near the first by alphabet: not by the hash's mood */
		if (d < best || (d == best && nearest && strcmp(known, nearest) < 0)) {
			best = d;
			nearest = known;
		}
	}
	return nearest;
}

static char *conf_known_keys(struct conf_group *g)
{
	g_autoptr(GList) keys = g_list_sort(g_hash_table_get_keys(g->asked), (GCompareFunc)strcmp);
	GString *out = g_string_new(NULL);

	for (GList *i = keys; i; i = i->next)
		g_string_append_printf(out, "%s%s", out->len ? ", " : "", (char *)i->data);
	return g_string_free(out, FALSE);
}

static void conf_unknown(struct conf_group *g, struct conf_layer *l, const config_setting_t *s)
{
	const char *key = config_setting_name(s), *nearest = conf_nearest(g, key);
	unsigned line = config_setting_source_line(s);

	if (nearest) {
		(void)problem_add(g->conf->problems, l->name, line,
				  "there is no key \"%.64s\"; did you mean \"%s\"?", key, nearest);
	} else {
		g_autofree char *known = conf_known_keys(g);

		(void)problem_add(g->conf->problems, l->name, line,
				  "there is no key \"%.64s\"; the keys here are %s", key, known);
	}
}

static void conf_done_in(struct conf_group *g, struct conf_layer *l, config_setting_t *s)
{
	for (int i = 0; i < config_setting_length(s); i++) {
		config_setting_t *member = config_setting_get_elem(s, i);

		if (!g_hash_table_contains(g->asked, config_setting_name(member)))
			conf_unknown(g, l, member);
	}
}

void conf_done(struct conf *c)
{
	struct conf_group *root = conf_root(c);

	for (guint i = 0; i < c->layers->len; i++) {
		struct conf_layer *l = c->layers->pdata[i];

		conf_done_in(root, l, config_root_setting(&l->config));
	}
	for (guint i = 1; i < c->groups->len; i++) {
		struct conf_group *g = c->groups->pdata[i];

		if (!g->done)
			conf_done_in(g, g->layer, g->setting);
	}
}

void conf_done_group(struct conf_group *g)
{
	conf_done_in(g, g->layer, g->setting);
	g->done = true;
}
