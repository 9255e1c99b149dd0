/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All errors belong to one file and stay with it: one bad plan leaves the others alone. A bad file
 * in a strong folder is not answered by falling back to a weaker one: that would run something else
 * than the administrator wrote.
 */
#include "conftree.h"

#include "cleanup.h"
#include "conffile.h"
#include "confopen.h"
#include "message.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>

#define CONFTREE_FILES_MAX 4096 /* in one folder */

typedef GStrv names_t;

G_DEFINE_AUTOPTR_CLEANUP_FUNC(DIR, closedir)

static void conftree_free_gpointer(gpointer data)
{
	conftree_file_free(data);
}

/* Names of files are any bytes, and go onto the bus and terminals in problems: fit to be shown. */
static char *conftree_shown(const char *name)
{
	char *shown = g_utf8_make_valid(name, -1);

	for (char *s = shown; *s; s++)
		if (g_ascii_iscntrl(*s))
			*s = '?';
	return shown;
}

static struct conftree_file *conftree_file_new(const char *name, const char *path)
{
	struct conftree_file *f = g_new0(struct conftree_file, 1);

	f->name = conftree_shown(name);
	f->path = conftree_shown(path);
	f->dropins = g_ptr_array_new_with_free_func(conftree_free_gpointer);
	f->problems = problems_new();
	return f;
}

void conftree_file_free(struct conftree_file *f)
{
	if (!f)
		return;
	g_free(f->name);
	g_free(f->path);
	g_free(f->text);
	g_ptr_array_unref(f->dropins);
	g_ptr_array_unref(f->problems);
	g_free(f);
}

/* As the files' names are ordered, which end in ".conf". */
static bool conftree_dropin_before(const char *a, const char *b)
{
	g_autofree char *x = g_strconcat(a, ".conf", NULL);
	g_autofree char *y = g_strconcat(b, ".conf", NULL);

	return strcmp(x, y) < 0;
}

void conftree_file_set_dropin(struct conftree_file *f, const char *name, const char *path,
			      const char *text)
{
	struct conftree_file *d;
	guint i;

	for (i = f->dropins->len; i > 0; i--)
		if (strcmp(((struct conftree_file *)f->dropins->pdata[i - 1])->name, name) == 0)
			g_ptr_array_remove_index(f->dropins, i - 1);
	if (!text)
		return;
	while (i < f->dropins->len &&
	       conftree_dropin_before(((struct conftree_file *)f->dropins->pdata[i])->name, name))
		i++;
	d = conftree_file_new(name, path);
	d->text = g_strdup(text);
	d->size = strlen(text);
	g_ptr_array_insert(f->dropins, (gint)i, d);
}

struct conf *conftree_file_parse(const struct conftree_file *f, GPtrArray *problems)
{
	struct conf *c = NULL;
	int r = 0;

	for (guint i = 0; i < f->problems->len && problems != f->problems; i++) {
		const struct problem *p = f->problems->pdata[i];

		(void)problem_add(problems, p->file, p->line, "%s", p->text);
	}
	if (f->text && f->problems->len == 0)
		c = conf_parse(f->text, f->size, f->path, problems);
	for (guint i = 0; i < f->dropins->len && c; i++) {
		const struct conftree_file *d = f->dropins->pdata[i];

		if (conf_overlay(c, d->text, d->size, d->path) < 0)
			r = -EINVAL;
	}
	if (r == 0)
		return c;
	conf_free(c);
	return NULL;
}

#define CONFTREE_NAME_CHARACTERS "abcdefghijklmnopqrstuvwxyz0123456789_"

static bool name_has_only(const char *name, const char *characters)
{
	size_t n = strspn(name, characters);

	return n > 0 && n <= 64 && name[n] == '\0';
}

bool conftree_name_valid(const char *name)
{
	return name_has_only(name, CONFTREE_NAME_CHARACTERS);
}

/* Files whose order matters are called like "10-net"; no object on a bus is named after them. */
static bool conftree_sub_ordered(const char *sub)
{
	return strcmp(sub, "irq.d") == 0;
}

static bool conftree_file_name_valid(const char *sub, const char *name)
{
	if (conftree_sub_ordered(sub))
		return name_has_only(name, CONFTREE_NAME_CHARACTERS "-");
	return conftree_name_valid(name);
}

/* The folder @dir/@sub: both must be fit to be trusted. As confopen_dir(). */
static int conftree_open_dir(const char *dir, const char *sub, int *ret_fd, char **ret_wrong)
{
	g_autofree char *path = g_build_filename(dir, sub, NULL);
	g_autofree char *wrong = NULL;
	g_auto(fd_t) base = -1;
	int r;

	r = confopen_dir(dir, &base, &wrong);
	if (r == 0)
		r = confopen_dir(path, ret_fd, &wrong);
	if (wrong)
		*ret_wrong = g_strdup_printf("the folder %s", wrong);
	return r;
}

/*
 * @file ("quick.conf") from the strongest of @dirs/@sub that has it. -ENOENT: none, or masked.
 * Everything else gives a file, with or without text.
 */
static int conftree_find(const char *const *dirs, const char *sub, const char *file,
			 struct conftree_file **ret)
{
	g_autofree char *name = g_strndup(file, strlen(file) - strlen(".conf"));

	for (; *dirs; dirs++) {
		g_autofree char *path = g_build_filename(*dirs, sub, file, NULL);
		g_autofree char *wrong = NULL;
		struct conftree_file *f;
		g_auto(fd_t) fd = -1;
		int r;

		r = conftree_open_dir(*dirs, sub, &fd, &wrong);
		if (r == -ENOENT)
			continue;
		f = conftree_file_new(name, path);
		if (r < 0) {
			(void)problem_add(f->problems, f->path, 0, "is not read, because %s",
					  wrong);
			*ret = f;
			return 0;
		}
		r = confopen_read(fd, file, &f->text, &f->size, &wrong);
		if (r == -ENOENT || r == 1) {
			conftree_file_free(f);
			if (r == 1)
				return -ENOENT;
			continue;
		}
		if (r < 0)
			(void)problem_add(f->problems, f->path, 0, "%s", wrong);
		*ret = f;
		return 0;
	}
	return -ENOENT;
}

/* A folder's entries that end in @suffix, into @names. */
static int conftree_names_in(const char *base, const char *sub, const char *suffix,
			     GHashTable *names, char **ret_wrong)
{
	g_auto(fd_t) fd = -1;
	g_autoptr(DIR) dir = NULL;
	struct dirent *e;
	int r;

	r = conftree_open_dir(base, sub, &fd, ret_wrong);
	if (r < 0)
		return r;
	dir = fdopendir(fd);
	if (!dir)
		return message_fail(ret_wrong, -errno, "the folder cannot be read");
	(void)fd_steal(&fd); /* the stream's now */
	while ((e = readdir(dir)) && g_hash_table_size(names) < CONFTREE_FILES_MAX)
		if (e->d_name[0] != '.' && g_str_has_suffix(e->d_name, suffix) &&
		    strlen(e->d_name) > strlen(suffix))
			g_hash_table_add(names, g_strdup(e->d_name));
	return 0;
}

static int conftree_compare(gconstpointer a, gconstpointer b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The table's keys in byte order, copied: no locale decides which drop-in is the last. */
static names_t conftree_sorted(GHashTable *names)
{
	g_autoptr(GPtrArray) sorted = g_ptr_array_new();
	GHashTableIter iter;
	gpointer name;

	g_hash_table_iter_init(&iter, names);
	while (g_hash_table_iter_next(&iter, &name, NULL))
		g_ptr_array_add(sorted, g_strdup(name));
	g_ptr_array_sort(sorted, conftree_compare);
	g_ptr_array_add(sorted, NULL);
	return (names_t)g_ptr_array_free(g_steal_pointer(&sorted), FALSE);
}

static void conftree_read_dropins(const char *const *dirs, const char *sub, struct conftree_file *f)
{
	g_autofree char *dropin_sub = g_strdup_printf("%s/%s.conf.d", sub, f->name);
	g_autoptr(GHashTable) names = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	g_auto(GStrv) sorted = NULL;

	if (f->problems->len > 0)
		return; /* one thing after the other */
	for (const char *const *d = dirs; *d; d++) {
		g_autofree char *path = g_build_filename(*d, dropin_sub, NULL);
		g_autofree char *wrong = NULL;
		int r = conftree_names_in(*d, dropin_sub, ".conf", names, &wrong);

		if (r < 0 && r != -ENOENT)
			(void)problem_add(f->problems, path, 0, "%s", wrong);
	}
	sorted = conftree_sorted(names);
	for (char **n = sorted; *n; n++) {
		struct conftree_file *dropin;

		if (conftree_find(dirs, dropin_sub, *n, &dropin) < 0)
			continue; /* masked, or gone meanwhile */
		/* a drop-in that cannot be read is the plan's problem: without it it says something
		 * else */
		for (guint i = 0; i < dropin->problems->len; i++) {
			const struct problem *p = dropin->problems->pdata[i];

			(void)problem_add(f->problems, p->file, p->line, "%s", p->text);
		}
		g_ptr_array_add(f->dropins, dropin);
	}
}

int conftree_get(const char *const *dirs, const char *sub, const char *name,
		 struct conftree_file **ret)
{
	g_autofree char *file = g_strdup_printf("%s.conf", name);
	struct conftree_file *f;
	int r;

	if (!conftree_file_name_valid(sub, name))
		return -ENOENT;
	r = conftree_find(dirs, sub, file, &f);
	if (r < 0)
		return r;
	conftree_read_dropins(dirs, sub, f);
	*ret = f;
	return 0;
}

/* Whether a link to /dev/null stands for @file in any folder: its drop-ins are meant to rest then.
 */
static bool conftree_masked(const char *const *dirs, const char *sub, const char *file)
{
	for (; *dirs; dirs++) {
		g_autofree char *path = g_build_filename(*dirs, sub, file, NULL);
		g_autofree char *target = g_file_read_link(path, NULL);

		if (target && strcmp(target, "/dev/null") == 0)
			return true;
	}
	return false;
}

static void conftree_list_file(const char *const *dirs, const char *sub, const char *file,
			       GPtrArray *files)
{
	struct conftree_file *f;

	if (conftree_find(dirs, sub, file, &f) < 0)
		return;
	if (!conftree_file_name_valid(sub, f->name)) {
		g_clear_pointer(&f->text, g_free);
		(void)problem_add(
			f->problems, f->path, 0,
			"is not read: a name has small letters, digits%s only, at most 64",
			conftree_sub_ordered(sub) ? ", _ and -" : " and _");
	} else {
		conftree_read_dropins(dirs, sub, f);
	}
	g_ptr_array_add(files, f);
}

/* quick.conf.d without a quick.conf: most likely a misspelled name. */
static void conftree_list_orphans(const char *const *dirs, const char *sub, GHashTable *dropin_dirs,
				  GPtrArray *files)
{
	g_auto(GStrv) sorted = conftree_sorted(dropin_dirs);

	for (char **d = sorted; *d; d++) {
		g_autofree char *file = g_strndup(*d, strlen(*d) - strlen(".d"));
		g_autofree char *name = g_strndup(*d, strlen(*d) - strlen(".conf.d"));
		struct conftree_file *f;
		bool there = conftree_masked(dirs, sub, file);

		for (guint i = 0; i < files->len && !there; i++)
			there = strcmp(((struct conftree_file *)files->pdata[i])->name, name) == 0;
		if (there)
			continue;
		f = conftree_file_new(name, *d);
		(void)problem_add(f->problems, *d, 0,
				  "holds drop-ins for a file %s that is in no folder", file);
		g_ptr_array_add(files, f);
	}
}

static int conftree_file_compare(gconstpointer a, gconstpointer b)
{
	const struct conftree_file *const *x = a, *const *y = b;

	return strcmp((*x)->name, (*y)->name);
}

/* The one file of the top level; with drop-ins alone it is empty text. */
static void conftree_list_top(const char *const *dirs, GPtrArray *files)
{
	struct conftree_file *f;

	if (conftree_find(dirs, "", "lrtbfd.conf", &f) < 0) {
		f = conftree_file_new("lrtbfd", "lrtbfd.conf");
		if (!conftree_masked(dirs, "", "lrtbfd.conf"))
			conftree_read_dropins(dirs, "", f);
		if (f->dropins->len == 0 && f->problems->len == 0) {
			conftree_file_free(f);
			return;
		}
		f->text = g_strdup("");
	} else {
		conftree_read_dropins(dirs, "", f);
	}
	g_ptr_array_add(files, f);
}

GPtrArray *conftree_list(const char *const *dirs, const char *sub)
{
	GPtrArray *files = g_ptr_array_new_with_free_func(conftree_free_gpointer);
	g_autoptr(GHashTable) names = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	g_autoptr(GHashTable) dropins =
		g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	g_auto(GStrv) sorted = NULL;

	if (!*sub) {
		conftree_list_top(dirs, files);
		return files;
	}
	for (const char *const *d = dirs; *d; d++) {
		g_autofree char *path = g_build_filename(*d, sub, NULL);
		g_autofree char *wrong = NULL;
		int r = conftree_names_in(*d, sub, ".conf", names, &wrong);

		if (r < 0 && r != -ENOENT) {
			struct conftree_file *f = conftree_file_new(sub, path);

			(void)problem_add(f->problems, path, 0, "%s", wrong);
			g_ptr_array_add(files, f);
		} else if (r == 0) {
			(void)conftree_names_in(*d, sub, ".conf.d", dropins, &wrong);
		}
	}
	sorted = conftree_sorted(names);
	for (char **n = sorted; *n; n++)
		conftree_list_file(dirs, sub, *n, files);
	conftree_list_orphans(dirs, sub, dropins, files);
	g_ptr_array_sort(files, conftree_file_compare);
	return files;
}
