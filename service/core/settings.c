/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why so few: what could be a setting of the whole service mostly belongs to a plan, where it is
 * kept with the results it shaped. Here is only what no result depends on. Bounds are there because
 * every queued or shown session is memory that a caller can ask for.
 */
#include "settings.h"

#include "conffile.h"
#include "conftree.h"
#include "cpulist.h"

#include <errno.h>
#include <string.h>

static const char *const log_levels[] = { "debug", "info", "notice", "warning", "err", NULL };

void settings_init(struct settings *s)
{
	*s = (struct settings){ .queue_max = 64, .queue_max_per_caller = 16, .ended_shown = 20 };
}

void settings_done(struct settings *s)
{
	g_clear_pointer(&s->scratch_dir, g_free);
	g_clear_pointer(&s->log_level, g_free);
	g_clear_pointer(&s->housekeeping, g_free);
}

static void settings_take_count(struct conf_group *g, const char *key, int64_t min, int64_t max,
				unsigned *count)
{
	int64_t value;

	if (conf_take_integer(g, key, min, max, &value) == 0)
		*count = value;
}

static void settings_set(char **field, const char *value)
{
	g_free(*field);
	*field = g_strdup(value);
}

static void settings_take_scratch(struct conf_group *g, struct settings *s)
{
	const char *dir;

	if (conf_take_string(g, "scratch_dir", &dir) != 0)
		return;
	if (*dir != '/')
		(void)conf_complain(g, "scratch_dir",
				    "\"scratch_dir\" is a path from /, such as "
				    "\"/var/lib/lrtbfd/scratch\"");
	else
		settings_set(&s->scratch_dir, dir);
}

static void settings_take_level(struct conf_group *g, struct settings *s)
{
	const char *level;

	if (conf_take_string(g, "log_level", &level) != 0)
		return;
	if (!g_strv_contains(log_levels, level))
		(void)conf_complain(g, "log_level",
				    "there is no log level \"%.32s\"; there are debug, "
				    "info, notice, warning and err",
				    level);
	else
		settings_set(&s->log_level, level);
}

static void settings_take_housekeeping(struct conf_group *g, struct settings *s)
{
	g_autofree char *why = NULL;
	const char *list;

	if (conf_take_string(g, "housekeeping", &list) != 0)
		return;
	if (cpulist_check_syntax(list, &why) < 0)
		(void)conf_complain(g, "housekeeping", "%s", why);
	else
		settings_set(&s->housekeeping, list);
}

int settings_read(struct settings *s, const struct conftree_file *f, GPtrArray *problems)
{
	struct conf_group *g;
	struct conf *c;
	guint before;

	if (!f)
		return 0;
	before = problems->len;
	c = conftree_file_parse(f, problems);
	if (!c)
		return -EINVAL;
	g = conf_root(c);
	settings_take_count(g, "queue_max", 1, 1024, &s->queue_max);
	settings_take_count(g, "queue_max_per_caller", 1, 1024, &s->queue_max_per_caller);
	settings_take_count(g, "ended_shown", 0, 1000, &s->ended_shown);
	settings_take_scratch(g, s);
	settings_take_level(g, s);
	settings_take_housekeeping(g, s);
	retention_take(g, problems, &s->keep);
	conf_done(c);
	conf_free(c);
	return problems->len == before ? 0 : -EINVAL;
}
