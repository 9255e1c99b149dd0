/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Plans are read by the same code as the daemon's, so that what is masked, or may be written by
 * somebody else, is so here too. A plan with any mistake has no timer: the daemon would refuse its
 * sessions, every night anew.
 */
#include "generator.h"

#include "cleanup.h"
#include "conftree.h"
#include "replacefile.h"
#include "timerunit.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#define GENERATOR_WANTS "timers.target.wants"

G_GNUC_PRINTF(2, 3)
static void generator_say(const struct generator_params *g, const char *fmt, ...)
{
	g_autofree char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	text = g_strdup_vprintf(fmt, ap);
	va_end(ap);
	g->say(text, g->userdata);
}

static void generator_say_problems(const struct generator_params *g, const GPtrArray *problems)
{
	for (guint i = 0; i < problems->len; i++) {
		const struct problem *p = problems->pdata[i];

		if (p->line)
			generator_say(g, "%s:%u: %s", p->file, p->line, p->text);
		else
			generator_say(g, "%s: %s", p->file, p->text);
	}
}

/* Wanted by timers.target, as "systemctl enable" would have it. */
static int generator_link(int dest, const char *unit)
{
	g_autofree char *target = g_strdup_printf("../%s", unit);
	g_autofree char *link = g_strdup_printf(GENERATOR_WANTS "/%s", unit);

	if (mkdirat(dest, GENERATOR_WANTS, 0755) < 0 && errno != EEXIST)
		return -errno;
	if (symlinkat(target, dest, link) < 0 && errno != EEXIST)
		return -errno;
	return 0;
}

static const char *generator_path(const struct generator_params *g, const char *path)
{
	return g_str_has_prefix(path, g->root) ? path + strlen(g->root) : path;
}

/* @text: NULL when there is nothing to write. */
static int generator_unit(const struct generator_params *g, int dest, const char *unit,
			  const char *text)
{
	int r = text ? replacefile_write(dest, unit, text, 0644, false) : 0;

	if (r < 0)
		generator_say(g, "%s/%s cannot be written: %s", g->dest, unit, g_strerror(-r));
	return r;
}

static int generator_plan(const struct generator_params *g, int dest, const struct plan *p)
{
	const char *path = generator_path(g, p->file);
	g_autofree char *text = timerunit_format(p, path);
	g_autofree char *boot_text = timerunit_format_boot(p, path);
	g_autofree char *unit = g_strdup_printf("lrtbf-plan-%s.timer", p->name);
	g_autofree char *boot_unit = g_strdup_printf("lrtbf-plan-%s-boot.timer", p->name);
	int r;

	if (!text)
		return 0;
	r = generator_unit(g, dest, boot_unit, boot_text);
	if (r == 0)
		r = generator_unit(g, dest, unit, text);
	if (r < 0)
		return r;
	r = generator_link(dest, unit);
	if (r < 0)
		generator_say(g, "%s/" GENERATOR_WANTS "/%s cannot be linked: %s", g->dest, unit,
			      g_strerror(-r));
	return r < 0 ? r : 1;
}

unsigned generator_run(const struct generator_params *g)
{
	g_auto(fd_t) dest = open(g->dest, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	g_autoptr(GPtrArray) files = NULL;
	unsigned n = 0;

	if (dest < 0) {
		generator_say(g, "The folder %s cannot be opened: %s", g->dest, g_strerror(errno));
		return 0;
	}
	files = conftree_list(g->config_dirs, "plans.d");
	for (guint i = 0; i < files->len; i++) {
		g_autoptr(GPtrArray) problems = problems_new();
		struct plan *p = plan_from_file(files->pdata[i], problems);

		generator_say_problems(g, problems);
		if (p && generator_plan(g, dest, p) > 0)
			n++;
		plan_free(p);
	}
	return n;
}
