/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Scratch folders of loads: what is left in them goes, nothing else does, and the disk is not
 * filled.
 */
#include "loadset-bench.h"
#include "scratch.h"

#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

/* Deep folders, folders without rights, links out of it, fifos; below a folder nobody may enter. */
static const char mess[] =
	"set -e\n"
	"i=0; while [ $i -lt 200 ]; do mkdir deep; cd -P deep; : >file; i=$((i+1)); done\n"
	"while [ $i -gt 0 ]; do cd -P ..; i=$((i-1)); done\n"
	"mkdir -p closed/inner; : >closed/inner/file; chmod 000 closed/inner closed\n"
	"ln -s /etc/passwd link; ln -s / root; ln -s loop loop; mkfifo fifo; mkdir .1 .2\n"
	"ln -s $1 out\n"
	"[ $TMPDIR = . ]\n"
	"mktemp >/dev/null\n"
	"touch ready\n"
	"while :; do sleep 1; done\n";

static void body_scratch(void)
{
	struct bench *b = bench_new();
	g_autofree char *mark = new_mark(), *outside = g_build_filename(b->folder, "outside", NULL);
	g_autofree char *kept = g_build_filename(outside, "kept", NULL);
	struct load *l;

	g_assert_cmpint(mkdir(outside, 0777), ==, 0);
	g_assert_true(g_file_set_contents(kept, "x", 1, NULL));
	l = bench_load(b, "mess", (const char *[]){ "sh", "-c", mess, mark, outside, NULL });
	l->scratch_bytes = 1 << 20;
	bench_start(b);
	g_assert_true(bench_wait(b, &b->running, 5));
	g_assert_cmpuint(bench_scratch_entries(b), ==, 1);
	/* it sleeps when all is made */
	bench_run(b, 2);
	g_assert_cmpstr(b->troubles->str, ==, "");
	bench_stop(b);
	g_assert_cmpstr(b->troubles->str, ==, "");
	g_assert_true(g_file_test(kept, G_FILE_TEST_EXISTS));
	g_assert_cmpint(unlink(kept), ==, 0);
	g_assert_cmpint(rmdir(outside), ==, 0);
	bench_free(b);
}

static void test_scratch(const void *way)
{
	in_child(body_scratch, GPOINTER_TO_UINT(way));
}

/* Two daemons may share a folder: what one still uses, the start of the other leaves alone. */
static void test_scratch_in_use(void)
{
	g_autofree char *dir = g_dir_make_tmp("lrtbf-scratch-XXXXXX", NULL);
	g_autofree char *used = NULL, *left = NULL, *path = NULL, *message = NULL;
	int used_fd, left_fd;

	g_assert_cmpint(scratch_make(dir, "a", 1, 0, -1, &used, &used_fd, &message), ==, 0);
	g_assert_cmpint(scratch_make(dir, "b", 1, 0, -1, &left, &left_fd, &message), ==, 0);
	close(left_fd);
	g_assert_cmpint(loadset_clean_scratch(dir, &message), ==, 1);
	path = g_build_filename(dir, used, NULL);
	g_assert_cmpint(access(path, F_OK), ==, 0);
	g_assert_cmpuint(folder_entries(dir), ==, 1);
	close(used_fd);
	g_assert_cmpint(loadset_clean_scratch(dir, &message), ==, 1);
	g_assert_cmpint(rmdir(dir), ==, 0);
}

/* A file beyond what the load says it writes is refused by the kernel. */
static void test_scratch_bounded(void)
{
	struct bench *b = bench_new();

	bench_load(b, "big",
		   (const char *[]){ "dd", "if=/dev/zero", "of=f", "bs=1M", "count=16", NULL })
		->scratch_bytes = 4 << 20;
	bench_start(b);
	g_assert_true(bench_wait_trouble(b, "[load-died] Load big: dd", 10));
	bench_stop(b);
	bench_free(b);
}

/* SIGKILL waits for what the kernel writes: the end may take a while and is still an end. */
static void test_busy_disk(void)
{
	struct bench *b = bench_new();
	struct load *l = bench_load(b, "disk",
				    (const char *[]){ "dd", "if=/dev/zero", "of=f", "bs=1M",
						      "count=128", "conv=fdatasync", NULL });
	gint64 start;

	l->scratch_bytes = 128 << 20;
	l->repeat = true;
	bench_start(b);
	g_assert_true(bench_wait(b, &b->running, 5));
	bench_run(b, 0.7);
	start = g_get_monotonic_time();
	bench_stop(b);
	g_test_message("gone after %" G_GINT64_FORMAT " ms",
		       (g_get_monotonic_time() - start) / 1000);
	g_assert_cmpstr(b->troubles->str, ==, "");
	bench_free(b);
}

static void test_no_space(void)
{
	struct bench *b = bench_new();
	g_autofree char *scratch = g_build_filename(b->folder, "scratch", NULL);

	g_assert_cmpint(mkdir(scratch, 0711), ==, 0);
	if (mount("lrtbf-test", scratch, "tmpfs", 0, "size=8m") < 0) {
		g_test_skip("a file system cannot be mounted here");
		rmdir(scratch);
		bench_free(b);
		return;
	}
	/* the first fits, the second not beside it */
	bench_load(b, "one", (const char *[]){ "sleep", "100", NULL })->scratch_bytes = 3 << 20;
	bench_load(b, "two", (const char *[]){ "sleep", "100", NULL })->scratch_bytes = 3 << 20;
	bench_start(b);
	g_assert_true(bench_wait(b, &b->running, 5));
	g_test_message("%s", b->troubles->str);
	g_assert_true(
		g_str_has_prefix(b->troubles->str, "[load-absent] Load two: The scratch folder "));
	g_assert_nonnull(strstr(b->troubles->str, scratch));
	g_assert_nonnull(strstr(b->troubles->str, "MiB free, 6.0 MiB are needed"));
	g_assert_null(strstr(b->troubles->str, "Load one"));
	bench_stop(b);
	g_assert_cmpint(umount(scratch), ==, 0);
	bench_free(b);
}

int main(int argc, char **argv)
{
	bench_init(&argc, &argv);
	add_ways("scratch", test_scratch);
	g_test_add_func("/loadset/scratch-in-use", test_scratch_in_use);
	g_test_add_func("/loadset/scratch-bounded", test_scratch_bounded);
	g_test_add_func("/loadset/busy-disk", test_busy_disk);
	g_test_add_func("/loadset/no-space", test_no_space);
	return g_test_run();
}
