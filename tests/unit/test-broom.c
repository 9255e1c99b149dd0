/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Scratch folders are taken away while the event loop turns. */
#include "broom.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdbool.h>
#include <unistd.h>

#define FILES 2000

struct bench {
	char *dir;
	sd_event *event;
	struct broom *broom;
	bool told;
	int r;
};

static void on_done(int r, void *userdata)
{
	struct bench *b = userdata;

	g_assert_false(b->told);
	b->told = true;
	b->r = r;
	b->broom = broom_free(b->broom);
}

static void bench_init(struct bench *b, unsigned files)
{
	g_autofree char *folder = NULL;

	*b = (struct bench){ .dir = g_dir_make_tmp("lrtbf-broom-XXXXXX", NULL) };
	g_assert_cmpint(sd_event_new(&b->event), >=, 0);
	folder = g_build_filename(b->dir, "lrtbf-load.abcdef", NULL);
	g_assert_cmpint(g_mkdir(folder, 0700), ==, 0);
	for (unsigned i = 0; i < files; i++) {
		g_autofree char *path = g_strdup_printf("%s/%u", folder, i);

		close(open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
	}
}

/* Turns of the event loop until told, or until nothing has come for a minute. */
static unsigned bench_turn(struct bench *b)
{
	gint64 end_us = g_get_monotonic_time() + 60 * G_USEC_PER_SEC;
	unsigned n = 0;

	while (!b->told && g_get_monotonic_time() < end_us) {
		g_assert_cmpint(sd_event_run(b->event, 1000), >=, 0);
		n++;
	}
	g_assert_true(b->told);
	return n;
}

/* The parent goes when all below it is gone. */
static void bench_done(struct bench *b)
{
	for (int i = 0; i < 6000 && rmdir(b->dir) < 0; i++)
		g_usleep(10000);
	g_assert_false(g_file_test(b->dir, G_FILE_TEST_EXISTS));
	sd_event_unref(b->event);
	g_free(b->dir);
}

static void test_loop_turns(void)
{
	struct bench b;

	bench_init(&b, FILES);
	g_assert_cmpint(broom_start(b.event, b.dir, "lrtbf-load.abcdef", on_done, &b, &b.broom), ==,
			0);
	g_assert_cmpuint(bench_turn(&b), >, 2);
	g_assert_cmpint(b.r, ==, 0);
	bench_done(&b);
}

static void test_not_there(void)
{
	struct bench b;

	bench_init(&b, 0);
	g_assert_cmpint(broom_start(b.event, b.dir, "lrtbf-other.abcdef", on_done, &b, &b.broom),
			==, 0);
	bench_turn(&b);
	g_assert_cmpint(b.r, ==, -ENOENT);
	b.told = false;
	g_assert_cmpint(broom_start(b.event, b.dir, "lrtbf-load.abcdef", on_done, &b, &b.broom), ==,
			0);
	bench_turn(&b);
	bench_done(&b);
}

/* Nobody is told, and the files go all the same. */
static void test_not_waited_for(void)
{
	struct bench b;

	bench_init(&b, FILES);
	g_assert_cmpint(broom_start(b.event, b.dir, "lrtbf-load.abcdef", on_done, &b, &b.broom), ==,
			0);
	b.broom = broom_free(b.broom);
	bench_done(&b);
	g_assert_false(b.told);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/broom/loop-turns", test_loop_turns);
	g_test_add_func("/broom/not-there", test_not_there);
	g_test_add_func("/broom/not-waited-for", test_not_waited_for);
	return g_test_run();
}
