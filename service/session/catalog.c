/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why everything is read at once and kept: a plan is checked against the loads that were read with
 * it, and a session that was acknowledged must not depend on a file that is being edited.
 */
#include "catalog.h"

#include "conftree.h"
#include "log.h"

#include <string.h>

#define CATALOG_PLANS "plans.d"

struct catalog {
	GPtrArray *load_files, *plan_files; /* of struct conftree_file */
	GHashTable *loads;		    /* name -> struct load */
	GArray *plans;			    /* of struct plan_entry */
	GPtrArray *load_problems;	    /* of struct problem */
};

static void catalog_copy_problems(const GPtrArray *from, GPtrArray *to)
{
	for (guint i = 0; from && i < from->len; i++) {
		const struct problem *p = from->pdata[i];

		problem_add(to, p->file, p->line, "%s", p->text);
	}
}

static void catalog_read_loads(struct catalog *c)
{
	for (guint i = 0; i < c->load_files->len; i++) {
		const struct conftree_file *f = c->load_files->pdata[i];
		struct load *l = NULL;

		catalog_copy_problems(f->problems, c->load_problems);
		if (f->text)
			l = load_from_file(f, c->load_problems);
		if (l)
			g_hash_table_replace(c->loads, l->name, l);
	}
}

/* A plan whose loads cannot be had cannot stand either. */
static struct plan *catalog_checked(struct catalog *c, struct plan *p, GPtrArray *problems)
{
	if (p && plan_check_loads(p, c->loads, problems) < 0) {
		plan_free(p);
		return NULL;
	}
	return p;
}

static void catalog_read_plans(struct catalog *c)
{
	for (guint i = 0; i < c->plan_files->len; i++) {
		const struct conftree_file *f = c->plan_files->pdata[i];
		GPtrArray *problems = problems_new();
		struct plan_entry e = { .name = f->name, .path = f->path, .problems = problems };

		catalog_copy_problems(f->problems, problems);
		if (f->text)
			e.plan = catalog_checked(c, plan_from_file(f, problems), problems);
		g_array_append_val(c->plans, e);
	}
}

static void catalog_plan_clear(gpointer data)
{
	struct plan_entry *e = data;

	plan_free((struct plan *)e->plan);
	g_ptr_array_unref((GPtrArray *)e->problems);
}

static int catalog_plan_compare(gconstpointer a, gconstpointer b)
{
	return strcmp(((const struct plan_entry *)a)->name, ((const struct plan_entry *)b)->name);
}

struct catalog *catalog_read(const char *const *config_dirs)
{
	struct catalog *c = g_new0(struct catalog, 1);

	c->load_problems = problems_new();
	c->loads = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, (GDestroyNotify)load_free);
	c->plans = g_array_new(FALSE, TRUE, sizeof(struct plan_entry));
	g_array_set_clear_func(c->plans, catalog_plan_clear);
	c->load_files = conftree_list(config_dirs, "loads.d");
	catalog_read_loads(c);
	c->plan_files = conftree_list(config_dirs, CATALOG_PLANS);
	catalog_read_plans(c);
	g_array_sort(c->plans, catalog_plan_compare);
	return c;
}

struct catalog *catalog_free(struct catalog *c)
{
	if (!c)
		return NULL;
	g_array_unref(c->plans);
	g_hash_table_unref(c->loads);
	g_ptr_array_unref(c->load_files);
	g_ptr_array_unref(c->plan_files);
	g_ptr_array_unref(c->load_problems);
	g_free(c);
	return NULL;
}

const struct plan_entry *catalog_plan(const struct catalog *c, const char *name)
{
	for (guint i = 0; i < c->plans->len; i++) {
		const struct plan_entry *e = &g_array_index(c->plans, struct plan_entry, i);

		if (strcmp(e->name, name) == 0)
			return e;
	}
	return NULL;
}

/* Such a folder stands among the files under its own name, which no plan can have. */
bool catalog_lacks_plans(const struct catalog *c)
{
	return catalog_plan(c, CATALOG_PLANS) != NULL;
}

size_t catalog_plans(const struct catalog *c, const struct plan_entry **ret)
{
	*ret = (const struct plan_entry *)(const void *)c->plans->data;
	return c->plans->len;
}

GHashTable *catalog_loads(const struct catalog *c)
{
	return c->loads;
}

void catalog_problems(const struct catalog *c, GPtrArray *problems)
{
	catalog_copy_problems(c->load_problems, problems);
	for (guint i = 0; i < c->plans->len; i++)
		catalog_copy_problems(g_array_index(c->plans, struct plan_entry, i).problems,
				      problems);
}
