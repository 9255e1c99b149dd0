/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why loads are files and not code: what loads a machine well depends on the machine, and a result
 * is worth something only when the reader can see what exactly ran. A load file says the command
 * without a shell between, what it may use, and the effect it must show.
 *
 * Everything a nanny does with a load is bounded here, by the ranges in the table of keys: whoever
 * writes a load file is trusted with the command, not with attention.
 */
#include "load.h"

#include "conffile.h"
#include "conftree.h"
#include "message.h"

#include <errno.h>
#include <string.h>

#define LOAD_ARGS_MAX	 64
#define LOAD_PARTS_MAX	 32
#define LOAD_DEPTH_MAX	 8
#define LOAD_EFFECTS_MAX 8
#define LOAD_TEXT_MAX	 1024

#define MS UINT64_C(1000000)
#define S  (1000 * MS)

const char *const load_metrics[] = {
	"context_switches", "forks", "interrupts", "bytes_read", "bytes_written", "packets", NULL,
};

static void load_effect_free(gpointer data)
{
	struct load_effect *e = data;

	g_free(e->metric);
	g_free(e);
}

static struct load *load_new(const char *name, const char *path)
{
	struct load *l = g_new0(struct load, 1);

	l->name = g_strdup(name);
	l->path = g_strdup(path);
	l->description = g_strdup("");
	l->instances = 1;
	l->end_statuses = 1;
	l->effects = g_ptr_array_new_with_free_func(load_effect_free);
	return l;
}

void load_free(struct load *l)
{
	if (!l)
		return;
	g_free(l->name);
	g_free(l->description);
	g_strfreev(l->command);
	g_strfreev(l->parts);
	g_free(l->why_root);
	g_ptr_array_unref(l->effects);
	g_free(l->path);
	g_free(l);
}

static int load_take_text(struct conf_group *g, const char *key, char **text)
{
	const char *s;
	int r = conf_take_string(g, key, &s);

	if (r != 0)
		return r;
	if (strlen(s) > LOAD_TEXT_MAX)
		return conf_complain(g, key, "\"%s\" is longer than %d bytes", key, LOAD_TEXT_MAX);
	g_free(*text);
	*text = g_strdup(s);
	return 0;
}

static void load_take_command(struct conf_group *g, struct load *l)
{
	if (conf_take_strings(g, "command", &l->command) != 0)
		return;
	if (!l->command[0] || !*l->command[0])
		(void)conf_complain(g, "command",
				    "\"command\" names no program; write it and its arguments, one "
				    "text each: [ \"dd\", \"if=/dev/zero\" ]");
	else if (g_strv_length(l->command) > LOAD_ARGS_MAX)
		(void)conf_complain(g, "command", "\"command\" has over %d arguments",
				    LOAD_ARGS_MAX);
	else if (!l->command[1] && strpbrk(l->command[0], " \t"))
		(void)conf_complain(g, "command",
				    "\"%s\" has blanks in it and no shell splits it; write each "
				    "argument as a text of its own",
				    l->command[0]);
	else if (strchr(l->command[0], '/') && *l->command[0] != '/')
		(void)conf_complain(
			g, "command",
			"\"%s\" is a relative path; write a name that is found in PATH, "
			"or a path from /",
			l->command[0]);
}

static void load_take_parts(struct conf_group *g, struct load *l)
{
	static const char *const simple_only[] = { "instances",	    "repeat",  "pause",
						   "restart_after", "scratch", "as_root",
						   "end_status",    "effects" };

	if (conf_take_strings(g, "parts", &l->parts) != 0)
		return;
	if (!l->parts[0] || g_strv_length(l->parts) > LOAD_PARTS_MAX)
		(void)conf_complain(g, "parts", "\"parts\" names 1 to %d loads", LOAD_PARTS_MAX);
	for (unsigned i = 0; l->parts[i]; i++) {
		if (!conftree_name_valid(l->parts[i]))
			(void)conf_complain_at(
				g, "parts", i,
				"\"%.64s\" is no load's name: small letters, digits and _",
				l->parts[i]);
		for (unsigned j = 0; j < i; j++)
			if (strcmp(l->parts[i], l->parts[j]) == 0)
				(void)conf_complain_at(
					g, "parts", i,
					"\"%s\" is named twice; for several at once see "
					"\"instances\" in its own file",
					l->parts[i]);
	}
	if (conf_has(g, "command"))
		(void)conf_complain(g, "parts",
				    "a load has either a command or parts; give the "
				    "command a load file of its own and name it in \"parts\"");
	for (size_t i = 0; i < G_N_ELEMENTS(simple_only); i++)
		if (conf_has(g, simple_only[i]))
			(void)conf_complain(
				g, simple_only[i],
				"\"%s\" belongs to loads with a command; write it in the "
				"parts' own files",
				simple_only[i]);
}

static void load_take_statuses(struct conf_group *g, struct load *l)
{
	int64_t *statuses = NULL;
	size_t n = 0;

	if (conf_take_integers(g, "end_status", 0, 63, &statuses, &n) != 0)
		return;
	l->end_statuses = 0;
	for (size_t i = 0; i < n; i++)
		l->end_statuses |= UINT64_C(1) << statuses[i];
	g_free(statuses);
	if (l->end_statuses == 0)
		(void)conf_complain(g, "end_status",
				    "\"end_status\" names no exit status, such as [ 0, 1 ]");
	else if (!l->repeat)
		(void)conf_complain(g, "end_status",
				    "\"end_status\" has a meaning with repeat = true only: a load "
				    "that is not repeated may not end at all");
}

static void load_take_effect(struct conf_group *g, struct load *l)
{
	g_autofree struct load_effect *e = g_new0(struct load_effect, 1);
	const char *metric = NULL;
	int64_t at_least = 0;
	int r, r2;

	r = conf_take_string(g, "metric", &metric);
	r2 = conf_take_integer(g, "at_least", 1, G_MAXINT64, &at_least);
	if (r == 1)
		(void)conf_complain(g, NULL, "an effect needs \"metric\", what to look at");
	if (r2 == 1)
		(void)conf_complain(g, NULL, "an effect needs \"at_least\", how much per second");
	if (r != 0 || r2 != 0)
		return;
	if (!g_strv_contains(load_metrics, metric)) {
		g_autofree char *known = g_strjoinv(", ", (char **)load_metrics);

		(void)conf_complain(g, "metric", "nothing measures \"%.64s\"; there are %s", metric,
				    known);
		return;
	}
	for (guint i = 0; i < l->effects->len; i++) {
		const struct load_effect *other = l->effects->pdata[i];

		if (strcmp(other->metric, metric) == 0) {
			(void)conf_complain(g, "metric", "two effects are on \"%s\"; keep one",
					    metric);
			return;
		}
	}
	e->metric = g_strdup(metric);
	e->at_least = at_least;
	g_ptr_array_add(l->effects, g_steal_pointer(&e));
}

static void load_take_effects(struct conf_group *g, struct load *l)
{
	g_autofree struct conf_group **groups = NULL;
	size_t n = 0;

	if (conf_take_groups(g, "effects", &groups, &n) != 0)
		return;
	if (n > LOAD_EFFECTS_MAX) {
		(void)conf_complain(g, "effects", "\"effects\" has over %d of them",
				    LOAD_EFFECTS_MAX);
		return;
	}
	for (size_t i = 0; i < n; i++)
		load_take_effect(groups[i], l);
}

static void load_take_root(struct conf_group *g, struct load *l)
{
	(void)conf_take_bool(g, "as_root", &l->as_root);
	(void)load_take_text(g, "why_root", &l->why_root);
	if (l->as_root && (!l->why_root || !*l->why_root))
		(void)conf_complain(g, "as_root",
				    "a load that runs as root says why: add why_root = \"...\", or "
				    "leave as_root out and it runs as nobody");
	if (!l->as_root && l->why_root)
		(void)conf_complain(g, "why_root",
				    "\"why_root\" without as_root = true has no meaning");
}

static void load_take(struct conf_group *g, struct load *l)
{
	int64_t instances = 1;

	(void)load_take_text(g, "description", &l->description);
	load_take_command(g, l);
	load_take_parts(g, l);
	(void)conf_take_integer(g, "instances", 1, 256, &instances);
	l->instances = instances;
	(void)conf_take_bool(g, "repeat", &l->repeat);
	load_take_statuses(g, l);
	(void)conf_take_duration(g, "pause", 0, 3600 * S, &l->pause_ns);
	(void)conf_take_duration(g, "restart_after", 10 * MS, 24 * 3600 * S, &l->restart_after_ns);
	if (conf_take_size(g, "scratch", &l->scratch_bytes) == 0 && l->scratch_bytes == 0)
		(void)conf_complain(g, "scratch",
				    "\"scratch\" is 0; leave it out when the load "
				    "needs no folder");
	load_take_root(g, l);
	load_take_effects(g, l);
	if (l->pause_ns > 0 && !l->repeat && l->restart_after_ns == 0)
		(void)conf_complain(g, "pause",
				    "\"pause\" has a meaning between repeats only; add "
				    "repeat = true");
	if (!conf_has(g, "command") && !conf_has(g, "parts") && strcmp(l->name, "none") != 0)
		(void)conf_complain(g, NULL,
				    "the load has neither a command nor parts; write "
				    "command = [ \"PROGRAM\", \"ARGUMENT\" ]; (only the load "
				    "\"none\" has none)");
	if (strcmp(l->name, "none") == 0 && (l->command || l->parts))
		(void)conf_complain(
			g, l->command ? "command" : "parts",
			"the load \"none\" is the absence of load; give this one another name");
}

static struct load *load_from_conf(struct conf *c, const char *name, const char *path,
				   GPtrArray *problems, guint before)
{
	struct load *l = load_new(name, path);

	if (!conftree_name_valid(name))
		(void)problem_add(problems, path, 0,
				  "a load's name has small letters, digits and _ only, at most 64");
	if (conf_empty(c))
		(void)problem_add(problems, path, 0,
				  "is empty; a load needs at least a command or a description");
	else
		load_take(conf_root(c), l);
	conf_done(c);
	if (problems->len == before)
		return l;
	load_free(l);
	return NULL;
}

struct load *load_parse(const char *name, const char *text, size_t size, const char *file,
			GPtrArray *problems)
{
	guint before = problems->len;
	struct conf *c = conf_parse(text, size, file, problems);
	struct load *l;

	if (!c)
		return NULL;
	l = load_from_conf(c, name, file, problems, before);
	conf_free(c);
	return l;
}

struct load *load_from_file(const struct conftree_file *f, GPtrArray *problems)
{
	guint before = problems->len;
	struct load *l = NULL;
	struct conf *c;

	c = conftree_file_parse(f, problems);
	if (c)
		l = load_from_conf(c, f->name, f->path, problems, before);
	conf_free(c);
	return l;
}

/*
 * Open @name into @out; @above: the composites that led here; @opened: all so far, so that
 * composites that share parts cost no more than their number.
 */
static int load_open(GHashTable *loads, const char *name, GPtrArray *above, GHashTable *opened,
		     GPtrArray *out, char **ret_message)
{
	struct load *l = g_hash_table_lookup(loads, name);
	const char *from = above->len ? above->pdata[above->len - 1] : NULL;
	int r = 0;

	if (!l)
		return message_fail(ret_message, -ENOENT, "there is no load \"%s\"%s%s%s", name,
				    from ? ", a part of \"" : "", from ?: "", from ? "\"" : "");
	if (g_ptr_array_find_with_equal_func(above, name, g_str_equal, NULL))
		return message_fail(ret_message, -ELOOP, "the load \"%s\" is made of itself", name);
	if (above->len >= LOAD_DEPTH_MAX)
		return message_fail(ret_message, -ELOOP,
				    "the load \"%s\" is made of others over %d deep",
				    (char *)above->pdata[0], LOAD_DEPTH_MAX);
	if (!g_hash_table_add(opened, l))
		return 0;
	if (l->command)
		g_ptr_array_add(out, l);
	g_ptr_array_add(above, (gpointer)name);
	for (char **part = l->parts; part && *part && r == 0; part++)
		r = load_open(loads, *part, above, opened, out, ret_message);
	g_ptr_array_set_size(above, above->len - 1);
	return r;
}

int load_expand(GHashTable *loads, const char *name, GPtrArray **ret, char **ret_message)
{
	g_autoptr(GPtrArray) above = g_ptr_array_new();
	g_autoptr(GPtrArray) out = g_ptr_array_new();
	g_autoptr(GHashTable) opened = g_hash_table_new(NULL, NULL);
	int r;

	r = load_open(loads, name, above, opened, out, ret_message);
	if (r < 0)
		return r;
	*ret = g_steal_pointer(&out);
	return 0;
}
