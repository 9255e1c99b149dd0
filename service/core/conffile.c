/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why takers instead of a schema table: each caller knows best what a key means, and by taking it
 * says at once that the key exists, its type and its range. What nobody asked for is then unknown
 * by construction; no second list of keys can fall behind.
 *
 * Drop-ins are layers of one conf: a key is looked up from the last layer down, so a drop-in
 * replaces by being found first, and every setting still knows its own file and line. Only the top
 * level has layers; lists are replaced whole.
 */
#include "conffile-internal.h"

#include "confsyntax.h"

#include <errno.h>
#include <string.h>

static void conf_layer_free(gpointer data)
{
	struct conf_layer *l = data;

	config_destroy(&l->config);
	g_free(l->name);
	g_free(l);
}

static void conf_group_free(gpointer data)
{
	struct conf_group *g = data;

	g_hash_table_unref(g->asked);
	g_free(g);
}

struct conf_group *conf_group_add(struct conf *c, struct conf_layer *layer,
				  config_setting_t *setting)
{
	struct conf_group *g = g_new0(struct conf_group, 1);

	g->conf = c;
	g->layer = layer;
	g->setting = setting;
	g->asked = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	g_ptr_array_add(c->groups, g);
	return g;
}

int conf_overlay(struct conf *c, const char *text, size_t size, const char *name)
{
	g_autofree char *copy = NULL;
	struct conf_layer *l;
	int r;

	r = confsyntax_check(text, size, name, c->problems);
	if (r < 0)
		return r;
	/* libconfig's comments need their line end */
	copy = g_strdup_printf("%.*s\n", (int)size, text);
	l = g_new0(struct conf_layer, 1);
	l->name = g_strdup(name);
	config_init(&l->config);
	/* @include was refused above; should one get through, no path below this can be opened */
	config_set_include_dir(&l->config, "/dev/null");
	if (!config_read_string(&l->config, copy)) {
		r = problem_add(c->problems, name, config_error_line(&l->config),
				"libconfig does not take this: %s", config_error_text(&l->config));
		conf_layer_free(l);
		return r;
	}
	g_ptr_array_add(c->layers, l);
	return 0;
}

struct conf *conf_parse(const char *text, size_t size, const char *name, GPtrArray *problems)
{
	struct conf *c = g_new0(struct conf, 1);

	c->layers = g_ptr_array_new_with_free_func(conf_layer_free);
	c->groups = g_ptr_array_new_with_free_func(conf_group_free);
	c->problems = problems ? g_ptr_array_ref(problems) : NULL;
	(void)conf_group_add(c, NULL, NULL);
	if (conf_overlay(c, text, size, name) == 0)
		return c;
	conf_free(c);
	return NULL;
}

void conf_free(struct conf *c)
{
	if (!c)
		return;
	g_ptr_array_unref(c->groups);
	g_ptr_array_unref(c->layers);
	g_clear_pointer(&c->problems, g_ptr_array_unref);
	g_free(c);
}

struct conf_group *conf_root(struct conf *c)
{
	return c->groups->pdata[0];
}

bool conf_empty(const struct conf *c)
{
	for (guint i = 0; i < c->layers->len; i++) {
		struct conf_layer *l = c->layers->pdata[i];

		if (config_setting_length(config_root_setting(&l->config)) > 0)
			return false;
	}
	return true;
}

config_setting_t *conf_find(struct conf_group *g, const char *key, struct conf_layer **ret_layer)
{
	g_hash_table_add(g->asked, g_strdup(key));
	if (g->setting) {
		*ret_layer = g->layer;
		return config_setting_get_member(g->setting, key);
	}
	for (guint i = g->conf->layers->len; i > 0; i--) {
		struct conf_layer *l = g->conf->layers->pdata[i - 1];
		config_setting_t *s =
			config_setting_get_member(config_root_setting(&l->config), key);

		*ret_layer = l;
		if (s)
			return s;
	}
	return NULL;
}

bool conf_has(struct conf_group *g, const char *key)
{
	struct conf_layer *l;

	return conf_find(g, key, &l) != NULL;
}

bool conf_is_string(struct conf_group *g, const char *key)
{
	struct conf_layer *l;
	config_setting_t *s = conf_find(g, key, &l);

	return s && config_setting_type(s) == CONFIG_TYPE_STRING;
}

/* Where to complain about @key: its own place, else its group's. */
static unsigned conf_place(struct conf_group *g, const char *key, int element,
			   const char **ret_name)
{
	struct conf_layer *l = g->layer ?: g->conf->layers->pdata[0];
	config_setting_t *s = key ? conf_find(g, key, &l) : NULL;
	config_setting_t *e = s && element >= 0 ? config_setting_get_elem(s, element) : NULL;

	if (!s)
		l = g->layer ?: g->conf->layers->pdata[0];
	*ret_name = l->name;
	if (e)
		return config_setting_source_line(e);
	if (s)
		return config_setting_source_line(s);
	return g->setting ? config_setting_source_line(g->setting) : 0;
}

unsigned conf_line(struct conf_group *g, const char *key)
{
	const char *name;

	return conf_place(g, key, -1, &name);
}

unsigned conf_line_at(struct conf_group *g, const char *key, int i)
{
	const char *name;

	return conf_place(g, key, i, &name);
}

const char *conf_file(struct conf_group *g, const char *key)
{
	const char *name;

	(void)conf_place(g, key, -1, &name);
	return name;
}

char *conf_quote(const char *text)
{
	GString *out = g_string_new("\"");

	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			g_string_append_c(out, '\\');
		g_string_append_c(out, *text);
	}
	g_string_append_c(out, '"');
	return g_string_free(out, FALSE);
}

G_GNUC_PRINTF(4, 0)
static int conf_complain_va(struct conf_group *g, const char *key, int element, const char *fmt,
			    va_list ap)
{
	g_autofree char *text = g_strdup_vprintf(fmt, ap);
	const char *name;
	unsigned line = conf_place(g, key, element, &name);

	return problem_add(g->conf->problems, name, line, "%s", text);
}

int conf_complain(struct conf_group *g, const char *key, const char *fmt, ...)
{
	va_list ap;
	int r;

	va_start(ap, fmt);
	r = conf_complain_va(g, key, -1, fmt, ap);
	va_end(ap);
	return r;
}

int conf_complain_at(struct conf_group *g, const char *key, unsigned i, const char *fmt, ...)
{
	va_list ap;
	int r;

	va_start(ap, fmt);
	r = conf_complain_va(g, key, i, fmt, ap);
	va_end(ap);
	return r;
}
