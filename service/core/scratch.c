/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Removal works without recursion, however deep a load has nested its folders: a folder found
 * inside a folder is moved up to the top under a name of our own, and the top is read until it is
 * empty. Two descriptors are enough and no path grows beyond PATH_MAX. All names are relative to
 * open folders and no link is followed, so nothing outside can be reached however the load plays
 * with its names.
 */
#include "scratch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "cleanup.h"
#include "duration.h"

#define SCRATCH_PREFIX "lrtbf-"
/* Nobody guesses it: who knows the name of a shared folder can put things into it. */
#define SCRATCH_SUFFIX 20
#define MIB	       1048576.0

#define SCRATCH_PATIENCE_US 500000 /* of all old folders together */
#define SCRATCH_PAUSE_US    5000

typedef DIR dir_t;
G_DEFINE_AUTOPTR_CLEANUP_FUNC(dir_t, closedir)

static int scratch_open(int dir_fd, const char *name, int *ret)
{
	int fd = openat(dir_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	*ret = fd;
	return 0;
}

static int scratch_check_space(const char *dir, uint64_t bytes, uint64_t taken_bytes,
			       char **ret_message)
{
	g_autofree char *free_text = NULL, *need_text = NULL;
	struct statvfs vfs;
	uint64_t free_bytes;

	if (statvfs(dir, &vfs) < 0) {
		int r = -errno;

		*ret_message =
			g_strdup_printf("The free space of the scratch folder %s is unknown: %s.",
					dir, g_strerror(-r));
		return r;
	}
	free_bytes = (uint64_t)vfs.f_bavail * vfs.f_frsize;
	free_bytes -= MIN(free_bytes, taken_bytes);
	if (free_bytes / 2 >= bytes)
		return 0;
	free_text = number_format(free_bytes / MIB, 1);
	need_text = number_format(2 * bytes / MIB, 1);
	*ret_message = g_strdup_printf("The scratch folder %s has %s MiB free, %s MiB are needed "
				       "(twice what the load writes).",
				       dir, free_text, need_text);
	return -ENOSPC;
}

static int scratch_make_in(int dir_fd, const char *name, char **ret_name, int *ret_fd)
{
	static const char alphabet[] = "abcdefghijklmnopqrstuvwxyz234567"; /* 5 bits each */
	unsigned char bytes[SCRATCH_SUFFIX];
	char random[SCRATCH_SUFFIX + 1] = "";

	for (int attempt = 0; attempt < 100; attempt++) {
		g_autofree char *entry = NULL;

		if (getrandom(bytes, sizeof(bytes), 0) != sizeof(bytes))
			return -EIO;
		for (int i = 0; i < SCRATCH_SUFFIX; i++)
			random[i] = alphabet[bytes[i] % 32];
		entry = g_strdup_printf(SCRATCH_PREFIX "%s.%s", name, random);
		if (mkdirat(dir_fd, entry, 0700) == 0) {
			int r = scratch_open(dir_fd, entry, ret_fd);

			if (r == 0)
				*ret_name = g_steal_pointer(&entry);
			return r;
		}
		if (errno != EEXIST)
			return -errno;
	}
	return -EEXIST;
}

int scratch_make(const char *dir, const char *name, uint64_t bytes, uint64_t taken_bytes, uid_t uid,
		 char **ret_name, int *ret_fd, char **ret_message)
{
	g_auto(fd_t) dir_fd = -1, fd = -1;
	g_autofree char *entry = NULL;
	int r = 0;

	if (g_mkdir_with_parents(dir, 0711) < 0)
		r = -errno;
	if (r == 0)
		r = scratch_open(AT_FDCWD, dir, &dir_fd);
	if (r == 0) {
		r = scratch_check_space(dir, bytes, taken_bytes, ret_message);
		if (r < 0)
			return r;
		r = scratch_make_in(dir_fd, name, &entry, &fd);
	}
	/* not asked for what changes nothing: that, too, may be forbidden */
	if (r == 0 && (flock(fd, LOCK_SH) < 0 || (uid != (uid_t)-1 && fchown(fd, uid, uid) < 0))) {
		r = -errno;
		(void)unlinkat(dir_fd, entry, AT_REMOVEDIR); /* the error that counts is known */
	}
	if (r < 0) {
		*ret_message = g_strdup_printf("A scratch folder in %s cannot be made: %s.", dir,
					       g_strerror(-r));
		return r;
	}
	*ret_name = g_steal_pointer(&entry);
	*ret_fd = fd_steal(&fd);
	return 0;
}

int scratch_share(int fd)
{
	return fchmod(fd, 01777) < 0 ? -errno : 0;
}

/* Opens a folder the load may have taken its own rights from. */
static int scratch_open_forced(int dir_fd, const char *name, int *ret)
{
	struct stat st;
	int r = scratch_open(dir_fd, name, ret);

	if (r == 0 && fstat(*ret, &st) == 0 && (st.st_mode & 0700) != 0700)
		(void)fchmod(*ret, 0700); /* what it still forbids shows when its entries go */
	if (r != -EACCES)
		return r;
	if (fchmodat(dir_fd, name, 0700, AT_SYMLINK_NOFOLLOW) < 0)
		return r;
	return scratch_open(dir_fd, name, ret);
}

/* Moves folder @name of @dir_fd up to the top. */
static int scratch_lift(int dir_fd, const char *name, int top_fd, unsigned *serial)
{
	for (;;) {
		char lifted[32];

		g_snprintf(lifted, sizeof(lifted), ".%u", (*serial)++);
		if (renameat(dir_fd, name, top_fd, lifted) == 0)
			return 0;
		if (errno == EACCES) { /* its ".." is written: it must be writable itself */
			g_auto(fd_t) fd = -1;

			if (scratch_open_forced(dir_fd, name, &fd) < 0)
				return -EACCES;
			if (renameat(dir_fd, name, top_fd, lifted) == 0)
				return 0;
			return -errno;
		}
		if (errno != EEXIST && errno != ENOTEMPTY && errno != ENOTDIR)
			return -errno;
	}
}

static bool scratch_is_folder(int dir_fd, const struct dirent *d)
{
	struct stat st;

	if (d->d_type != DT_UNKNOWN)
		return d->d_type == DT_DIR;
	return fstatat(dir_fd, d->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode);
}

static DIR *scratch_list(int fd)
{
	g_auto(fd_t) copy = -1;
	DIR *d;

	if (scratch_open(fd, ".", &copy) < 0)
		return NULL;
	d = fdopendir(copy);
	if (d)
		fd_steal(&copy);
	return d;
}

/* Files of a folder go, its folders move up, the folder goes. Counts what went into @n. */
static int scratch_dissolve(int top_fd, const char *name, unsigned *serial, unsigned *n)
{
	g_auto(fd_t) fd = -1;
	g_autoptr(dir_t) dir = NULL;
	struct dirent *d;
	int q, r;

	r = scratch_open_forced(top_fd, name, &fd);
	if (r < 0)
		return r;
	dir = scratch_list(fd);
	if (!dir)
		return -errno;
	while ((d = readdir(dir))) {
		if (strcmp(d->d_name, ".") == 0 || strcmp(d->d_name, "..") == 0)
			continue;
		if (scratch_is_folder(fd, d))
			q = scratch_lift(fd, d->d_name, top_fd, serial);
		else
			q = unlinkat(fd, d->d_name, 0) < 0 ? -errno : 0;
		if (q == 0)
			(*n)++;
		else if (r == 0)
			r = q;
	}
	if (unlinkat(top_fd, name, AT_REMOVEDIR) == 0)
		(*n)++;
	else if (r == 0)
		r = -errno;
	return r;
}

/* One reading of the top. */
static int scratch_pass(int top_fd, unsigned *serial, unsigned *n)
{
	g_autoptr(dir_t) dir = scratch_list(top_fd);
	struct dirent *d;
	int q, r = 0;

	if (!dir)
		return -errno;
	while ((d = readdir(dir))) {
		if (strcmp(d->d_name, ".") == 0 || strcmp(d->d_name, "..") == 0)
			continue;
		if (scratch_is_folder(top_fd, d))
			q = scratch_dissolve(top_fd, d->d_name, serial, n);
		else
			q = unlinkat(top_fd, d->d_name, 0) < 0 ? -errno : ((*n)++, 0);
		if (q < 0 && r == 0)
			r = q;
	}
	return r;
}

int scratch_empty(int fd)
{
	unsigned serial = 0, n;
	struct stat st;
	int r;

	if (fstat(fd, &st) == 0 && (st.st_mode & 0700) != 0700)
		(void)fchmod(fd, 0700); /* see scratch_open_forced() */
	/* as long as something goes, another reading may find what was moved up or was not
	 * permitted */
	do {
		n = 0;
		r = scratch_pass(fd, &serial, &n);
	} while (n > 0);
	return r;
}

int scratch_remove(const char *dir, const char *name)
{
	g_auto(fd_t) dir_fd = -1, fd = -1;
	int r;

	r = scratch_open(AT_FDCWD, dir, &dir_fd);
	if (r == 0)
		r = scratch_open_forced(dir_fd, name, &fd);
	if (r < 0)
		return r;
	r = scratch_empty(fd);
	if (unlinkat(dir_fd, name, AT_REMOVEDIR) < 0 && r == 0)
		r = -errno;
	return r;
}

static bool scratch_name_ours(const char *name)
{
	const char *dot = strrchr(name, '.');

	return g_str_has_prefix(name, SCRATCH_PREFIX) && dot && strlen(dot + 1) == SCRATCH_SUFFIX &&
	       dot > name + strlen(SCRATCH_PREFIX);
}

/*
 * Another daemon's load may be at work there, when the scratch folder is shared: who uses a folder
 * holds the lock that was taken when it was made. The nanny of a daemon that was killed has a
 * moment to go.
 */
static bool scratch_in_use(int dir_fd, const char *name, gint64 patience_end_us)
{
	g_auto(fd_t) fd = -1;

	if (scratch_open(dir_fd, name, &fd) < 0)
		return false; /* whether it can be removed will show */
	while (flock(fd, LOCK_EX | LOCK_NB) < 0) {
		if (errno != EWOULDBLOCK || g_get_monotonic_time() >= patience_end_us)
			return errno == EWOULDBLOCK;
		g_usleep(SCRATCH_PAUSE_US);
	}
	return false;
}

int scratch_clean(const char *dir)
{
	gint64 patience_end_us = g_get_monotonic_time() + SCRATCH_PATIENCE_US;
	g_auto(fd_t) dir_fd = -1;
	g_autoptr(dir_t) list = NULL;
	struct dirent *d;
	int q, r, n = 0;

	r = scratch_open(AT_FDCWD, dir, &dir_fd);
	if (r < 0)
		return r == -ENOENT ? 0 : r;
	list = scratch_list(dir_fd);
	if (!list)
		return -errno;
	while ((d = readdir(list))) {
		if (!scratch_name_ours(d->d_name) || !scratch_is_folder(dir_fd, d) ||
		    scratch_in_use(dir_fd, d->d_name, patience_end_us))
			continue;
		q = scratch_remove(dir, d->d_name);
		if (q == 0)
			n++;
		else if (r == 0)
			r = q;
	}
	return r < 0 ? r : n;
}
