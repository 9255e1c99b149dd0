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
#include "conffile.h"

#include "confsyntax.h"
#include "duration.h"

#include <errno.h>
#include <libconfig.h>
#include <string.h>

struct conf_layer {
	config_t config;
	char *name;
};

struct conf {
	GPtrArray *layers; /* of struct conf_layer, weakest first */
	GPtrArray *groups; /* of struct conf_group: the root and those taken */
	GPtrArray *problems;
};

struct conf_group {
	struct conf *conf;
	struct conf_layer *layer;  /* NULL: the root, which is in all of them */
	config_setting_t *setting; /* NULL likewise */
	GHashTable *asked;	   /* keys that were taken or looked for: those that exist */
};

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

static struct conf_group *conf_group_add(struct conf *c, struct conf_layer *layer,
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

/* @key's setting in the strongest layer that has it; NULL. */
static config_setting_t *conf_find(struct conf_group *g, const char *key,
				   struct conf_layer **ret_layer)
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

static const char *conf_type_name(const config_setting_t *s)
{
	switch (config_setting_type(s)) {
	case CONFIG_TYPE_INT:
	case CONFIG_TYPE_INT64:
		return "a number";
	case CONFIG_TYPE_STRING:
		return "text";
	case CONFIG_TYPE_BOOL:
		return "true or false";
	case CONFIG_TYPE_GROUP:
		return "a group";
	case CONFIG_TYPE_ARRAY:
		return "an array";
	case CONFIG_TYPE_LIST:
		return "a list";
	default:
		return "nothing that is known here";
	}
}

static bool conf_is_integer(const config_setting_t *s)
{
	int type = config_setting_type(s);

	return type == CONFIG_TYPE_INT || type == CONFIG_TYPE_INT64;
}

int conf_take_string(struct conf_group *g, const char *key, const char **ret)
{
	struct conf_layer *l;
	config_setting_t *s = conf_find(g, key, &l);

	if (!s)
		return 1;
	if (config_setting_type(s) != CONFIG_TYPE_STRING)
		return conf_complain(g, key, "\"%s\" is %s here; it takes text in double quotes",
				     key, conf_type_name(s));
	*ret = config_setting_get_string(s);
	return 0;
}

int conf_take_bool(struct conf_group *g, const char *key, bool *ret)
{
	struct conf_layer *l;
	config_setting_t *s = conf_find(g, key, &l);

	if (!s)
		return 1;
	if (config_setting_type(s) != CONFIG_TYPE_BOOL)
		return conf_complain(
			g, key, "\"%s\" is %s here; it takes true or false%s", key,
			conf_type_name(s),
			config_setting_type(s) == CONFIG_TYPE_STRING ? " without quotes" : "");
	*ret = config_setting_get_bool(s);
	return 0;
}

int conf_take_integer(struct conf_group *g, const char *key, int64_t min, int64_t max, int64_t *ret)
{
	struct conf_layer *l;
	config_setting_t *s = conf_find(g, key, &l);
	int64_t value;

	if (!s)
		return 1;
	if (!conf_is_integer(s))
		return conf_complain(
			g, key, "\"%s\" is %s here; it takes a whole number%s", key,
			conf_type_name(s),
			config_setting_type(s) == CONFIG_TYPE_STRING ? " without quotes" : "");
	value = config_setting_get_int64(s);
	if (value < min || value > max)
		return conf_complain(g, key,
				     "\"%s\" is %" G_GINT64_FORMAT "; it takes %" G_GINT64_FORMAT
				     " to %" G_GINT64_FORMAT,
				     key, value, min, max);
	*ret = value;
	return 0;
}

int conf_take_duration(struct conf_group *g, const char *key, uint64_t min_ns, uint64_t max_ns,
		       uint64_t *ret_ns)
{
	g_autofree char *why = NULL;
	struct conf_layer *l;
	config_setting_t *s = conf_find(g, key, &l);
	uint64_t value;

	if (!s)
		return 1;
	if (conf_is_integer(s))
		return conf_complain(g, key,
				     "\"%s\" is a bare number; write text with a unit, such as "
				     "\"250us\" (units: ns, us, ms, s, min, h, d)",
				     key);
	if (config_setting_type(s) != CONFIG_TYPE_STRING)
		return conf_complain(g, key,
				     "\"%s\" is %s here; it takes a duration, such as \"250us\"",
				     key, conf_type_name(s));
	if (duration_parse(config_setting_get_string(s), 0, &value, &why) < 0)
		return conf_complain(g, key, "\"%s\": %s", key, why);
	if (value < min_ns || value > max_ns) {
		g_autofree char *is = duration_format(value);
		g_autofree char *min = duration_format(min_ns);
		g_autofree char *max = duration_format(max_ns);

		return conf_complain(g, key, "\"%s\" is %s; it takes %s to %s", key, is, min, max);
	}
	*ret_ns = value;
	return 0;
}

int conf_take_size(struct conf_group *g, const char *key, uint64_t *ret_bytes)
{
	g_autofree char *why = NULL;
	struct conf_layer *l;
	config_setting_t *s = conf_find(g, key, &l);

	if (!s)
		return 1;
	if (config_setting_type(s) != CONFIG_TYPE_STRING)
		return conf_complain(g, key,
				     "\"%s\" is %s here; it takes a size as text, such as \"512M\"",
				     key, conf_type_name(s));
	if (size_parse(config_setting_get_string(s), ret_bytes, &why) < 0)
		return conf_complain(g, key, "\"%s\": %s", key, why);
	return 0;
}

int conf_take_strings(struct conf_group *g, const char *key, char ***ret)
{
	g_autoptr(GPtrArray) strings = NULL;
	struct conf_layer *l;
	config_setting_t *s = conf_find(g, key, &l);
	int type;

	if (!s)
		return 1;
	type = config_setting_type(s);
	if (type != CONFIG_TYPE_ARRAY && type != CONFIG_TYPE_LIST)
		return conf_complain(
			g, key, "\"%s\" is %s here; it takes several texts: [ \"...\", \"...\" ]",
			key, conf_type_name(s));
	strings = g_ptr_array_new_with_free_func(g_free);
	for (int i = 0; i < config_setting_length(s); i++) {
		config_setting_t *e = config_setting_get_elem(s, i);

		if (config_setting_type(e) != CONFIG_TYPE_STRING)
			return conf_complain_at(g, key, i,
						"\"%s\" has %s in it; it takes texts in double "
						"quotes only",
						key, conf_type_name(e));
		g_ptr_array_add(strings, g_strdup(config_setting_get_string(e)));
	}
	g_ptr_array_add(strings, NULL);
	*ret = (char **)g_ptr_array_free(g_steal_pointer(&strings), FALSE);
	return 0;
}

int conf_take_integers(struct conf_group *g, const char *key, int64_t min, int64_t max,
		       int64_t **ret, size_t *ret_n)
{
	g_autofree int64_t *values = NULL;
	struct conf_layer *l;
	config_setting_t *s = conf_find(g, key, &l);
	int n;

	if (!s)
		return 1;
	if (config_setting_type(s) != CONFIG_TYPE_ARRAY &&
	    config_setting_type(s) != CONFIG_TYPE_LIST)
		return conf_complain(g, key,
				     "\"%s\" is %s here; it takes several numbers: [ 0, 1 ]", key,
				     conf_type_name(s));
	n = config_setting_length(s);
	values = g_new0(int64_t, n + 1);
	for (int i = 0; i < n; i++) {
		config_setting_t *e = config_setting_get_elem(s, i);

		values[i] = conf_is_integer(e) ? config_setting_get_int64(e) : 0;
		if (!conf_is_integer(e) || values[i] < min || values[i] > max)
			return conf_complain_at(g, key, i,
						"\"%s\" takes whole numbers from %" G_GINT64_FORMAT
						" to %" G_GINT64_FORMAT,
						key, min, max);
	}
	*ret = g_steal_pointer(&values);
	*ret_n = n;
	return 0;
}

int conf_take_groups(struct conf_group *g, const char *key, struct conf_group ***ret, size_t *ret_n)
{
	g_autofree struct conf_group **groups = NULL;
	struct conf_layer *l;
	config_setting_t *s = conf_find(g, key, &l);
	int n;

	if (!s)
		return 1;
	if (config_setting_type(s) != CONFIG_TYPE_LIST)
		return conf_complain(
			g, key,
			"\"%s\" is %s here; it takes a list of groups: ( { ... }, { ... } )", key,
			conf_type_name(s));
	n = config_setting_length(s);
	groups = g_new0(struct conf_group *, n + 1);
	for (int i = 0; i < n; i++) {
		config_setting_t *e = config_setting_get_elem(s, i);

		if (config_setting_type(e) != CONFIG_TYPE_GROUP)
			return conf_complain_at(
				g, key, i, "\"%s\" has %s in it; it takes groups in braces only",
				key, conf_type_name(e));
		groups[i] = conf_group_add(g->conf, l, e);
	}
	*ret = g_steal_pointer(&groups);
	*ret_n = n;
	return 0;
}

/* How many letters one must change, add or leave out (V. Levenshtein, 1965). */
static unsigned conf_distance(const char *a, const char *b)
{
	size_t n = strlen(b);
	g_autofree unsigned *row = g_new(unsigned, n + 1);

	for (size_t j = 0; j <= n; j++)
		row[j] = j;
	for (size_t i = 0; a[i]; i++) {
		unsigned corner = row[0];

		row[0] = i + 1;
		for (size_t j = 0; j < n; j++) {
			unsigned up = row[j + 1];

			row[j + 1] = MIN(MIN(up, row[j]) + 1, corner + (a[i] != b[j]));
			corner = up;
		}
	}
	return row[n];
}

/* The known key that @key most likely means; NULL: none is near. */
static const char *conf_nearest(struct conf_group *g, const char *key)
{
	unsigned best = MAX(strlen(key) / 3, 2) + 1;
	const char *nearest = NULL;
	GHashTableIter iter;
	gpointer known;

	g_hash_table_iter_init(&iter, g->asked);
	while (strlen(key) <= 64 && g_hash_table_iter_next(&iter, &known, NULL)) {
		unsigned d = conf_distance(key, known);

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

		conf_done_in(g, g->layer, g->setting);
	}
}
