/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "policy-world.h"

#include "finding.h"

#include <glib/gstdio.h>
#include <string.h>

static void on_news(const struct irq_change *c, void *userdata)
{
	struct world *w = userdata;

	if (!w->f->frozen)
		g_ptr_array_add(w->news, irq_change_copy(c));
}

void world_setup(struct world *w, gconstpointer data)
{
	w->f = fake_new();
	w->dir = g_dir_make_tmp("lrtbf-irqpolicy-XXXXXX", NULL);
	w->irqd = g_build_filename(w->dir, "irq.d", NULL);
	w->run = g_build_filename(w->dir, "run", NULL);
	g_assert_cmpint(g_mkdir(w->irqd, 0755), ==, 0);
	g_assert_cmpint(g_mkdir(w->run, 0755), ==, 0);
	w->config_dirs[0] = w->dir;
	w->news = g_ptr_array_new_with_free_func((GDestroyNotify)irq_change_free);
	g_assert_cmpint(sd_event_new(&w->event), >=, 0);
	fake_add_line(w->f, 5, "eth0", "eth0");
	fake_add_line(w->f, 7, "parport0", NULL);
	fake_add_line(w->f, 9, "timer", NULL);
	fake_add_thread(w->f, 50, "irq/5-eth0");
	fake_add_thread(w->f, 51, "irq/5-s-eth0");
	fake_add_thread(w->f, 52, "irq/7-parport0");
	fake_add_thread(w->f, 20, "ksoftirqd/0");
	fake_add_thread(w->f, 21, "rcuc/0");
	fake_add_thread(w->f, 22, "rcub/0");
	fake_add_thread(w->f, 23, "irq_work/0");
	fake_add_thread(w->f, 24, "ktimers/0");
	fake_add_thread(w->f, 25, "migration/0");
	fake_add_thread(w->f, 26, "napi/eth0-3");
	fake_chrt(w->f, "napi/eth0-3", SCHED_OTHER, 0);
	w->before = fake_state(w->f);
}

void world_rules(const struct world *w, const char *file, const char *text)
{
	g_autofree char *name = g_strconcat(file, ".conf", NULL);
	g_autofree char *path = g_build_filename(w->irqd, name, NULL);

	g_assert_true(g_file_set_contents(path, text, -1, NULL));
	g_assert_cmpint(g_chmod(path, 0644), ==, 0);
}

void world_no_rules(const struct world *w, const char *file)
{
	g_autofree char *name = g_strconcat(file, ".conf", NULL);
	g_autofree char *path = g_build_filename(w->irqd, name, NULL);

	g_assert_cmpint(g_unlink(path), ==, 0);
}

void world_start(struct world *w)
{
	g_autoptr(GPtrArray) problems = problems_new();
	const struct irqpolicy_params params = {
		.event = w->event,
		.root = "/",
		.runtime_dir = w->run,
		.config_dirs = w->config_dirs,
		.problems = problems,
		.news = on_news,
		.userdata = w,
	};
	g_autofree char *text = NULL;

	w->p = irqpolicy_new(&params);
	text = problems_format(problems);
	g_assert_cmpstr(text, ==, "");
}

void world_stop(struct world *w)
{
	w->p = irqpolicy_free(w->p);
}

void world_kill(struct world *w)
{
	g_autofree char *path = g_build_filename(w->run, "tuning", NULL);
	g_autofree char *journal = NULL;
	gsize size;

	g_assert_true(g_file_get_contents(path, &journal, &size, NULL));
	w->f->frozen = true;
	world_stop(w);
	w->f->frozen = false;
	g_assert_true(g_file_set_contents(path, journal, (gssize)size, NULL));
	g_assert_cmpint(g_chmod(path, 0600), ==, 0);
}

void world_reload(struct world *w)
{
	g_autoptr(GPtrArray) problems = problems_new();
	g_autofree char *text = NULL;

	irqpolicy_reload(w->p, problems);
	text = problems_format(problems);
	g_assert_cmpstr(text, ==, "");
}

void remove_tree(const char *path)
{
	GDir *dir = g_dir_open(path, 0, NULL);

	for (const char *name; dir && (name = g_dir_read_name(dir));) {
		g_autofree char *below = g_build_filename(path, name, NULL);

		remove_tree(below);
	}
	if (dir)
		g_dir_close(dir);
	(void)g_remove(path);
}

void world_teardown(struct world *w, gconstpointer data)
{
	world_stop(w);
	fake_free(w->f);
	remove_tree(w->dir);
	g_free(w->dir);
	g_free(w->irqd);
	g_free(w->run);
	g_free(w->before);
	g_ptr_array_unref(w->news);
	sd_event_unref(w->event);
}

void world_assert_as_before(struct world *w)
{
	g_autofree char *now = fake_state(w->f);

	g_assert_cmpstr(now, ==, w->before);
}

const struct irq_change *change_find(const GPtrArray *changes, enum irq_outcome outcome,
				     const char *name)
{
	for (guint i = 0; i < changes->len; i++) {
		const struct irq_change *c = changes->pdata[i];

		if (c->outcome == outcome && (!name || g_strcmp0(c->name, name) == 0))
			return c;
	}
	return NULL;
}

guint change_count(const GPtrArray *changes, enum irq_outcome outcome)
{
	guint n = 0;

	for (guint i = 0; i < changes->len; i++)
		n += ((const struct irq_change *)changes->pdata[i])->outcome == outcome;
	return n;
}

const struct finding *finding_find(const GPtrArray *findings, const char *id)
{
	for (guint i = 0; i < findings->len; i++) {
		const struct finding *f = findings->pdata[i];

		if (strcmp(f->kind->id, id) == 0)
			return f;
	}
	return NULL;
}

GPtrArray *plan_rules(const char *text)
{
	g_autoptr(GPtrArray) problems = problems_new();
	GPtrArray *rules = rules_parse("plan", text, strlen(text), "plan.conf", problems);

	g_assert_cmpuint(problems->len, ==, 0);
	return rules;
}

int world_set(struct world *w, const char *name, const struct irq_wish *wish)
{
	const struct fake_thread *t = fake_thread(w->f, name);
	g_autoptr(GPtrArray) changes = NULL;
	g_autofree char *message = NULL;
	int r;

	r = irqpolicy_set_thread(w->p, t->tid, t->start_ticks, wish, 1000, &changes, &message);
	g_assert_true(r >= 0 ? changes && !message : message && !changes);
	return r;
}

void world_set_fifo(struct world *w, const char *name, int priority)
{
	const struct irq_wish wish = {
		.has_policy = true,
		.policy = SCHED_FIFO,
		.has_priority = true,
		.priority = priority,
	};

	g_assert_cmpint(world_set(w, name, &wish), ==, 0);
}

void world_unset(struct world *w, const char *name)
{
	const struct fake_thread *t = fake_thread(w->f, name);
	g_autoptr(GPtrArray) changes = NULL;
	g_autofree char *message = NULL;

	g_assert_cmpint(irqpolicy_restore_thread(w->p, t->tid, t->start_ticks, &changes, &message),
			==, 0);
}
