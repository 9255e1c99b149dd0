/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why every taker has its own sentence: "wrong type" leaves the writer to guess what the right one
 * looks like, so each says what stands there, what it takes, and shows an example.
 */
#include "conffile-internal.h"

#include "duration.h"

#include <errno.h>

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

int conf_take_group(struct conf_group *g, const char *key, struct conf_group **ret)
{
	struct conf_layer *l;
	config_setting_t *s = conf_find(g, key, &l);

	if (!s)
		return 1;
	if (config_setting_type(s) != CONFIG_TYPE_GROUP)
		return conf_complain(g, key, "\"%s\" is %s here; it takes a group: { ... }", key,
				     conf_type_name(s));
	*ret = conf_group_add(g->conf, l, s);
	return 0;
}

int conf_take_each_group(struct conf_group *g, const char *key, struct conf_group ***ret,
			 size_t *ret_n)
{
	struct conf_group **groups;
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

		if (config_setting_type(e) == CONFIG_TYPE_GROUP)
			groups[i] = conf_group_add(g->conf, l, e);
		else
			(void)conf_complain_at(
				g, key, i, "\"%s\" has %s in it; it takes groups in braces only",
				key, conf_type_name(e));
	}
	*ret = groups;
	*ret_n = n;
	return 0;
}

int conf_take_groups(struct conf_group *g, const char *key, struct conf_group ***ret, size_t *ret_n)
{
	g_autofree struct conf_group **groups = NULL;
	size_t n;
	int r;

	r = conf_take_each_group(g, key, &groups, &n);
	if (r != 0)
		return r;
	for (size_t i = 0; i < n; i++)
		if (!groups[i])
			return -EINVAL;
	*ret = g_steal_pointer(&groups);
	*ret_n = n;
	return 0;
}
