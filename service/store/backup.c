/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SQLite's backup and not a copy of the file: what was committed last may still be in the log
 * beside it. The copy gets its name only when it is whole and on the disk, so a file of that name
 * can be trusted, whatever ended the one who made it.
 */
#include "backup.h"

#include "db.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define BACKUP_PAGES 256 /* at a time: between two signs of life */

char *backup_path(const char *path, int64_t version)
{
	return g_strdup_printf("%s.v%" G_GINT64_FORMAT ".bak", path, version);
}

static int backup_sync(const char *path, int flags)
{
	g_auto(fd_t) fd = open(path, flags | O_RDONLY | O_CLOEXEC);

	return fd < 0 || fsync(fd) < 0 ? -errno : 0;
}

/* Nobody may read in the copy what he may not in the original, @of. */
static int backup_create(const char *path, const char *of)
{
	g_auto(fd_t) fd = -1;
	struct stat st;

	if (stat(of, &st) < 0)
		return -errno;
	(void)unlink(path); /* left by one that was cut short */
	fd = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, st.st_mode & 0640);
	return fd < 0 ? -errno : 0;
}

static int backup_pages(sqlite3 *from, sqlite3 *to, struct patience *p, char **ret_message)
{
	sqlite3_backup *b = sqlite3_backup_init(to, "main", from, "main");
	int rc, r;

	if (!b)
		return db_error(to, sqlite3_errcode(to), ret_message);
	while ((rc = sqlite3_backup_step(b, BACKUP_PAGES)) == SQLITE_OK)
		patience_tell(p);
	r = rc == SQLITE_DONE ? 0 : -1;
	rc = sqlite3_backup_finish(b); /* says why the steps ended */
	if (r == 0 && rc == SQLITE_OK)
		return 0;
	return db_error(to, rc == SQLITE_OK ? SQLITE_BUSY : rc, ret_message);
}

static int backup_write(const char *path, const char *tmp, struct patience *p, char **ret_message)
{
	sqlite3 *from = NULL, *to = NULL;
	int r;

	r = db_open_reader(path, &from, ret_message);
	if (r == 0)
		r = db_open_copy(tmp, &to, ret_message);
	if (r == 0)
		r = backup_pages(from, to, p, ret_message);
	db_close(to);
	db_close(from);
	return r;
}

static int backup_say(int r, const char *path, char *why, char **ret_message)
{
	g_autofree char *taken = why;

	if (ret_message)
		*ret_message = g_strdup_printf(
			"%s is of an earlier version, and the copy that is kept when its form is "
			"changed cannot be made; nothing was changed. %s",
			path, taken ?: g_strerror(-r));
	return r;
}

int backup_make(const char *path, int64_t version, struct patience *p, char **ret_message)
{
	g_autofree char *to = backup_path(path, version);
	g_autofree char *tmp = g_strconcat(to, ".tmp", NULL);
	g_autofree char *dir = g_path_get_dirname(path);
	char *why = NULL;
	int r;

	patience_begin(p, "Copying the results before their form is changed.");
	r = backup_create(tmp, path);
	if (r == 0)
		r = backup_write(path, tmp, p, &why);
	if (r == 0)
		r = backup_sync(tmp, 0);
	if (r == 0 && rename(tmp, to) < 0)
		r = -errno;
	if (r == 0)
		r = backup_sync(dir, O_DIRECTORY);
	if (r == 0)
		return 0;
	(void)unlink(tmp); /* not there when the renaming succeeded */
	return backup_say(r, path, why, ret_message);
}

void backup_clean(const char *path, int64_t version)
{
	for (int64_t v = 1; v < version; v++) {
		g_autofree char *old = backup_path(path, v);

		(void)unlink(old); /* mostly not there */
	}
}
