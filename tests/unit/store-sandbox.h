/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * What tests of a store in trouble share: the database seen from beside the store, refusals, disks
 * that are full. What changes the process (mounts, uid, limits) runs in a child.
 */
#include "store-fixture.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/mount.h>
#include <sys/wait.h>

static inline char *database(const char *dir)
{
	return g_build_filename(dir, "lrtbfd.db", NULL);
}

static inline sqlite3 *stranger(const char *dir)
{
	g_autofree char *path = database(dir);
	sqlite3 *db;

	g_assert_cmpint(sqlite3_open(path, &db), ==, SQLITE_OK);
	return db;
}

static inline void stranger_does(sqlite3 *db, const char *sql)
{
	g_assert_cmpint(sqlite3_exec(db, sql, NULL, NULL, NULL), ==, SQLITE_OK);
}

/* Opening must be refused with @r and a sentence that names @word. */
static inline void refused(const char *dir, int r, const char *word)
{
	g_autofree char *message = NULL;
	struct store *s = NULL;

	g_assert_cmpint(store_open(dir, NULL, NULL, NULL, &s, &message), ==, r);
	g_assert_nonnull(message);
	if (!strstr(message, word))
		g_error("\"%s\" does not say \"%s\"", message, word);
	g_assert_null(s);
}

/* A tmpfs that nobody else sees and that is gone with the process. */
static inline bool private_tmpfs(const char *dir, const char *options)
{
	return unshare(CLONE_NEWNS) == 0 &&
	       mount("none", "/", "none", MS_REC | MS_PRIVATE, "") == 0 &&
	       mount("tmpfs", dir, "tmpfs", 0, options) == 0;
}

static inline bool mounts_permitted(void)
{
	int status;
	pid_t pid = fork();

	if (pid == 0)
		_exit(private_tmpfs("/tmp", "") ? 0 : 1);
	g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
	return status == 0;
}

/* Run the test of this path again in a child; false: this is the child. */
static inline bool in_child(void)
{
	if (g_test_subprocess())
		return false;
	g_test_trap_subprocess(NULL, 0, G_TEST_SUBPROCESS_INHERIT_STDERR);
	g_test_trap_assert_passed();
	return true;
}

/* The same for a test that mounts; skipped where that is not permitted. */
static inline bool in_child_that_mounts(void)
{
	if (mounts_permitted())
		return in_child();
	g_test_skip("mounting is not permitted");
	return true;
}

/* What the store answered. */
struct answer {
	int calls, r;
};

static inline void on_answer(int r, const char *message, void *userdata)
{
	struct answer *a = userdata;

	a->calls++;
	a->r = r;
	g_assert_cmpint(r == 0, ==, message == NULL);
}

static inline void fill_up(const char *path)
{
	static const char zeroes[4096];
	int fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);

	g_assert_cmpint(fd, >=, 0);
	for (size_t size = sizeof(zeroes); size > 0; size /= 2)
		while (write(fd, zeroes, size) == (ssize_t)size)
			;
	g_assert_cmpint(errno, ==, ENOSPC);
	close(fd);
}
