/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why names and not an entry in the database: the region must be found after a crash that may have
 * come before the first commit, and a name is there the moment the file is.
 */
#include "regionfile.h"

#include "cleanup.h"
#include "duration.h"
#include "region.h"
#include "result.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define SHM    "/dev/shm"
#define SUFFIX ".region"
#define TRIES  8

/* After the stage's number, where the plain name is taken: a point and eight of 0-9a-f. */
static bool regionfile_is_word(const char *s)
{
	return strlen(s) == 8 && strspn(s, "0123456789abcdef") == 8;
}

uint32_t regionfile_tag(const char *state_dir)
{
	g_autofree char *real = realpath(state_dir, NULL);

	return g_str_hash(real ?: state_dir);
}

bool regionfile_parse(const char *name, uint32_t tag, char **ret_id, unsigned *ret_stage)
{
	g_autofree char *prefix = g_strdup_printf("lrtbf-%08x-", tag);
	g_autofree char *rest = NULL;
	int64_t stage;
	char *dash, *dot;

	if (!g_str_has_prefix(name, prefix) || !g_str_has_suffix(name, SUFFIX))
		return false;
	rest = g_strndup(name + strlen(prefix), strlen(name) - strlen(prefix) - strlen(SUFFIX));
	dash = strrchr(rest, '-');
	if (!dash)
		return false;
	*dash = '\0';
	dot = strchr(dash + 1, '.');
	if (dot && !regionfile_is_word(dot + 1))
		return false;
	if (dot)
		*dot = '\0';
	if (!result_id_valid(rest) || integer_parse(dash + 1, 0, 9999, &stage, NULL) < 0)
		return false;
	*ret_id = g_steal_pointer(&rest);
	*ret_stage = (unsigned)stage;
	return true;
}

/*
 * Ids and stages are no secret and /dev/shm is open to everybody: somebody else's file of that name
 * is left alone, and a name that cannot be guessed is taken.
 */
static int regionfile_create_in(const char *dir, uint32_t tag, const char *id, unsigned stage,
				const cpu_set_t *cpus, int *ret_fd, char **ret_path)
{
	g_autofree char *path = g_strdup_printf("%s/lrtbf-%08x-%s-%u" SUFFIX, dir, tag, id, stage);
	int r = region_create(path, cpus, ret_fd);

	for (int i = 0; i < TRIES && r == -EEXIST; i++) {
		g_free(path);
		path = g_strdup_printf("%s/lrtbf-%08x-%s-%u.%08x" SUFFIX, dir, tag, id, stage,
				       g_random_int());
		r = region_create(path, cpus, ret_fd);
	}
	if (r >= 0)
		*ret_path = g_steal_pointer(&path);
	return r;
}

int regionfile_create(const char *runtime_dir, uint32_t tag, const char *id, unsigned stage,
		      const cpu_set_t *cpus, int *ret_fd, char **ret_path, char **ret_message)
{
	const char *dirs[] = { runtime_dir, SHM };
	int r = -EMEDIUMTYPE;

	for (size_t i = 0; i < G_N_ELEMENTS(dirs); i++) {
		r = regionfile_create_in(dirs[i], tag, id, stage, cpus, ret_fd, ret_path);
		if (r >= 0)
			return 0;
		/* whatever is wrong with the first, the second will do */
		if (r != -EMEDIUMTYPE && i + 1 == G_N_ELEMENTS(dirs)) {
			*ret_message =
				g_strdup_printf("The result region cannot be made in %s: %s.",
						dirs[i], g_strerror(-r));
			return r;
		}
	}
	*ret_message =
		g_strdup_printf("Neither %s nor " SHM " is on tmpfs, and on a disk the result "
				"region would disturb what it records: mount a tmpfs there.",
				runtime_dir);
	return r;
}

static void regionfile_free(gpointer data)
{
	struct regionfile *f = data;

	g_free(f->path);
	g_free(f->id);
	g_free(f);
}

static int regionfile_compare(gconstpointer a, gconstpointer b)
{
	const struct regionfile *x = *(struct regionfile *const *)a;
	const struct regionfile *y = *(struct regionfile *const *)b;
	int c = strcmp(x->id, y->id);

	return c ?: (x->stage > y->stage) - (x->stage < y->stage);
}

static void regionfile_list_in(const char *dir, uint32_t tag, GPtrArray *files)
{
	DIR *d = opendir(dir);
	struct dirent *e;

	if (!d)
		return;
	while ((e = readdir(d))) {
		struct regionfile *f;
		struct stat st;
		unsigned stage;
		char *id;

		if (!regionfile_parse(e->d_name, tag, &id, &stage))
			continue;
		/* /dev/shm is open to everybody: a file that somebody else put there is not ours.
		 */
		if (fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
		    !S_ISREG(st.st_mode) || st.st_uid != geteuid()) {
			g_free(id);
			continue;
		}
		f = g_new0(struct regionfile, 1);
		f->path = g_build_filename(dir, e->d_name, NULL);
		f->id = id;
		f->stage = stage;
		g_ptr_array_add(files, f);
	}
	closedir(d);
}

GPtrArray *regionfile_list(const char *runtime_dir, uint32_t tag)
{
	GPtrArray *files = g_ptr_array_new_with_free_func(regionfile_free);
	g_autofree char *runtime_real = realpath(runtime_dir, NULL);
	g_autofree char *shm_real = realpath(SHM, NULL);

	regionfile_list_in(runtime_dir, tag, files);
	if (g_strcmp0(runtime_real, shm_real) != 0)
		regionfile_list_in(SHM, tag, files);
	g_ptr_array_sort(files, regionfile_compare);
	return files;
}
