/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sessions whose processes run in units: a PID 1 that refuses, is silent, is late, loses units. */
#include "fake-cage.h"
#include "session-world.h"

#include "clock.h"
#include "session.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>

#define SCRATCH_LOAD                                                                               \
	"command = ( \"sh\", \"-c\", \"echo 1 > file; mkdir -p d; sleep 600\" );\n"                \
	"scratch = \"1M\";\n"

static struct world *world_with(unsigned ms, const char *load, struct fake_cage **ret)
{
	g_autofree char *text = world_plan_text(ms, load, "limits = ( \"max <= 300ms\" );");
	struct world *w = world_new();

	g_setenv("LRTBF_FAKE", "", TRUE);
	world_load(w, "sleep", "command = ( \"sleep\", \"600\" );\n");
	world_load(w, "scratch", SCRATCH_LOAD);
	world_plan(w, "plan", text);
	*ret = fake_cage_new(&w->event);
	w->cage = &(*ret)->cage;
	world_open(w);
	return w;
}

static void world_end(struct world *w, struct fake_cage *f)
{
	world_close(w);
	fake_cage_free(f);
	world_free(w);
}

/* A nanny says that all is done right before its own end. */
static void assert_none_lives(const struct fake_cage *f)
{
	for (int i = 0; i < 400 && fake_cage_living(f) > 0; i++)
		g_usleep(10000);
	g_assert_cmpuint(fake_cage_living(f), ==, 0);
}

static const GPtrArray *findings(const struct result *r)
{
	return ((struct result_stage *)r->stages->pdata[0])->findings;
}

static void assert_finding_says(const struct result *r, const char *id, const char *words)
{
	const GPtrArray *all = findings(r);

	for (guint i = 0; i < all->len; i++) {
		const struct finding *f = all->pdata[i];

		if (strcmp(f->kind->id, id) == 0 && strstr(f->text, words))
			return;
	}
	g_error("no finding %s says \"%s\"", id, words);
}

/* A session's only scratch folder; NULL: none is there. g_free(). */
static char *scratch_folder(const struct world *w)
{
	g_autofree char *dir = g_build_filename(w->state, "scratch", NULL);
	GDir *d = g_dir_open(dir, 0, NULL);
	const char *name = d ? g_dir_read_name(d) : NULL;
	char *path = name ? g_build_filename(dir, name, NULL) : NULL;

	if (d)
		g_dir_close(d);
	return path;
}

static void test_units(void)
{
	g_autofree char *scope = NULL, *service = NULL;
	struct fake_cage *f;
	struct world *w = world_with(500, "sleep", &f);
	struct session *s = world_start(w, "plan");
	struct result *r = world_assert_ends(w, s, SESSION_DONE);

	scope = g_strdup_printf("lrtbf-measure-%s-0.scope", r->id);
	service = g_strdup_printf("lrtbf-load-%s-0-sleep.service", r->id);
	g_assert_cmpuint(f->names[FAKE_SCOPE]->len, ==, 1);
	g_assert_cmpuint(f->names[FAKE_SERVICE]->len, ==, 1);
	g_assert_cmpstr(f->names[FAKE_SCOPE]->pdata[0], ==, scope);
	g_assert_cmpstr(f->names[FAKE_SERVICE]->pdata[0], ==, service);
	g_assert_cmpuint(world_count(r), >, 50);
	g_assert_false(world_has_finding(findings(r), "outside-unit"));
	g_assert_false(world_has_finding(findings(r), "load-died"));
	g_assert_false(world_has_finding(findings(r), "load-absent"));
	g_assert_cmpuint(f->terms, ==, 1);
	assert_none_lives(f);
	result_free(r);
	world_end(w, f);
}

/* What measures does nothing before it is where it belongs. */
static void test_waits_for_its_unit(void)
{
	struct fake_cage *f;
	struct world *w = world_with(500, "none", &f);
	struct session *s;
	struct result *r;

	f->behaviour[FAKE_SCOPE].delay_ns = 700 * NSEC_PER_MSEC;
	s = world_start(w, "plan");
	g_assert_true(world_run_state(w, s, SESSION_RUNNING));
	g_assert_cmpint(world_child(w), ==, f->scope_pid);
	world_wait(w, 300 * NSEC_PER_MSEC);
	if (f->answered == 0) { /* else the machine stood still */
		r = world_result(w, session_result(s)->id);
		g_assert_cmpuint(world_count(r), ==, 0);
		result_free(r);
	}
	r = world_assert_ends(w, s, SESSION_DONE);
	g_assert_cmpuint(f->answered, ==, 1);
	g_assert_cmpuint(world_count(r), >, 50);
	result_free(r);
	world_end(w, f);
}

static void assert_outside(int error, int answer, const char *why)
{
	struct fake_cage *f;
	struct world *w = world_with(500, "scratch", &f);
	g_autofree char *scratch = NULL;
	struct session *s;
	struct result *r;

	for (int i = 0; i < 2; i++)
		f->behaviour[i] = (struct fake_behaviour){ .error = error, .answer = answer };
	s = world_start(w, "plan");
	r = world_assert_ends(w, s, SESSION_DONE);
	g_assert_cmpuint(world_count(r), >, 50);
	g_assert_false(world_has_finding(findings(r), "load-absent"));
	g_assert_false(world_has_finding(findings(r), "load-died"));
	g_assert_cmpint(world_has_finding(findings(r), "outside-unit"), ==, why != NULL);
	if (why) {
		assert_finding_says(r, "outside-unit", "lrtbf-measure");
		assert_finding_says(r, "outside-unit", "Load scratch");
		assert_finding_says(r, "outside-unit", why);
	}
	scratch = scratch_folder(w);
	g_assert_null(scratch);
	result_free(r);
	world_end(w, f);
}

static void test_refused(void)
{
	assert_outside(0, -EIO, "it was refused");
}

static void test_out_of_time(void)
{
	assert_outside(0, -ETIMEDOUT, "it was refused");
}

static void test_cannot_be_asked(void)
{
	assert_outside(-ENOTCONN, 0, g_strerror(ENOTCONN));
}

/* No systemd on the bus is how it is, and no trouble. */
static void test_no_systemd(void)
{
	assert_outside(0, -EOPNOTSUPP, NULL);
}

static void test_late(void)
{
	struct fake_cage *f;
	struct world *w = world_with(500, "sleep", &f);
	g_autofree char *mark = g_build_filename(w->dir, "mark", NULL);
	g_autofree char *load =
		g_strdup_printf("command = ( \"sh\", \"-c\", \"echo >> %s; sleep 600\" );\n", mark);
	g_autofree char *text = NULL;
	struct result *r;

	world_load(w, "sleep", load);
	world_reload(w);
	g_assert_cmpint(g_chmod(w->dir, 0777), ==, 0); /* a child of ours is nobody */
	f->behaviour[FAKE_SERVICE] =
		(struct fake_behaviour){ .answer = -ETIMEDOUT, .starts = true };
	r = world_assert_ends(w, world_start(w, "plan"), SESSION_DONE);
	g_assert_false(world_has_finding(findings(r), "load-died"));
	g_assert_true(g_file_get_contents(mark, &text, NULL, NULL));
	g_assert_cmpstr(text, ==, "\n"); /* one of the two has run */
	result_free(r);
	world_end(w, f);
}

/* The unit comes when nobody wants it any more: its load is not begun. */
static void test_starts_after_the_stop(void)
{
	struct fake_cage *f;
	struct world *w = world_with(60000, "sleep", &f);
	g_autofree char *mark = g_build_filename(w->dir, "mark", NULL);
	g_autofree char *load =
		g_strdup_printf("command = ( \"sh\", \"-c\", \"echo >> %s; sleep 600\" );\n", mark);
	struct session *s;

	world_load(w, "sleep", load);
	world_reload(w);
	g_assert_cmpint(g_chmod(w->dir, 0777), ==, 0);
	f->behaviour[FAKE_SERVICE].delay_ns = 300 * NSEC_PER_MSEC;
	s = world_start(w, "plan");
	world_wait(w, 50 * NSEC_PER_MSEC);
	session_stop(s, 0);
	result_free(world_assert_ends(w, s, SESSION_STOPPED));
	assert_none_lives(f);
	g_assert_false(g_file_test(mark, G_FILE_TEST_EXISTS));
	world_end(w, f);
}

static void assert_stops(bool scope_silent, bool service_silent)
{
	struct fake_cage *f;
	struct world *w = world_with(60000, "scratch", &f);
	uint64_t start_ns, took_ns;
	g_autofree char *scratch = NULL;
	struct session *s;
	struct result *r;

	f->behaviour[FAKE_SCOPE].silent = scope_silent;
	f->behaviour[FAKE_SERVICE].silent = service_silent;
	s = world_start(w, "plan");
	if (service_silent)
		world_wait(w, 200 * NSEC_PER_MSEC);
	else
		g_assert_true(world_run_state(w, s, SESSION_RUNNING));
	start_ns = clock_mono_ns();
	session_stop(s, 0);
	r = world_assert_ends(w, s, SESSION_STOPPED);
	took_ns = clock_mono_ns() - start_ns;
	g_test_message("took %llu ms", (unsigned long long)(took_ns / NSEC_PER_MSEC));
	g_assert_cmpuint(took_ns, <, 4 * NSEC_PER_SEC);
	g_assert_false(world_has_finding(findings(r), "outside-unit"));
	assert_none_lives(f);
	result_free(r);
	scratch = scratch_folder(w);
	g_assert_null(scratch);
	world_end(w, f);
}

static void test_stop(void)
{
	assert_stops(false, false);
}

static void test_stop_while_scope_is_asked(void)
{
	assert_stops(true, false);
}

static void test_stop_while_service_is_asked(void)
{
	assert_stops(false, true);
}

/* The daemon ends while PID 1 has not answered: no child waits for an order for ever. */
static void test_end_while_asked(void)
{
	struct fake_cage *f;
	struct world *w = world_with(60000, "none", &f);
	struct session *s;
	pid_t child;

	f->behaviour[FAKE_SCOPE].silent = true;
	s = world_start(w, "plan");
	g_assert_true(world_run_state(w, s, SESSION_RUNNING));
	child = world_child(w);
	world_close(w);
	g_assert_cmpint(kill(child, 0), ==, -1);
	g_assert_cmpint(errno, ==, ESRCH);
	fake_cage_free(f);
	world_free(w);
}

static bool service_lives(struct world *w, void *data)
{
	return fake_cage_living(data) > 0;
}

static bool has_file(struct world *w, void *data)
{
	g_autofree char *dir = scratch_folder(w);
	g_autofree char *file = dir ? g_build_filename(dir, "d", NULL) : NULL;

	return file && g_file_test(file, G_FILE_TEST_IS_DIR);
}

/* Anybody's load may write there, and what a killed one leaves is swept as that user. */
static void test_unit_dies(void)
{
	struct fake_cage *f;
	struct world *w = world_with(3000, "scratch", &f);
	g_autofree char *dir = NULL, *left = NULL;
	struct session *s = world_start(w, "plan");
	struct result *r;
	struct stat st;

	g_assert_true(world_run_state(w, s, SESSION_RUNNING));
	g_assert_true(world_run(w, 10 * NSEC_PER_SEC, has_file, NULL));
	dir = scratch_folder(w);
	g_assert_cmpint(stat(dir, &st), ==, 0);
	g_assert_cmpuint(st.st_mode & 07777, ==, 01777);
	fake_cage_murder(f);
	r = world_assert_ends(w, s, SESSION_DONE);
	assert_finding_says(r, "load-died", "Load scratch: its nanny ended");
	g_assert_cmpint(r->verdict, ==, VERDICT_INCONCLUSIVE);
	left = scratch_folder(w);
	g_assert_null(left);
	result_free(r);
	world_end(w, f);
}

/* The daemon is stopped for good in the middle: nothing is left a moment later. */
static void test_end_while_running(void)
{
	struct fake_cage *f;
	struct world *w = world_with(60000, "sleep", &f);
	struct session *s = world_start(w, "plan");

	g_assert_true(world_run_state(w, s, SESSION_RUNNING));
	g_assert_true(world_run(w, 10 * NSEC_PER_SEC, service_lives, f));
	world_close(w);
	g_assert_cmpuint(f->kills, ==, 1);
	assert_none_lives(f);
	fake_cage_free(f);
	world_free(w);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/cage/units", test_units);
	g_test_add_func("/cage/waits-for-its-unit", test_waits_for_its_unit);
	g_test_add_func("/cage/refused", test_refused);
	g_test_add_func("/cage/out-of-time", test_out_of_time);
	g_test_add_func("/cage/cannot-be-asked", test_cannot_be_asked);
	g_test_add_func("/cage/no-systemd", test_no_systemd);
	g_test_add_func("/cage/late", test_late);
	g_test_add_func("/cage/starts-after-the-stop", test_starts_after_the_stop);
	g_test_add_func("/cage/stop", test_stop);
	g_test_add_func("/cage/stop-while-scope-is-asked", test_stop_while_scope_is_asked);
	g_test_add_func("/cage/stop-while-service-is-asked", test_stop_while_service_is_asked);
	g_test_add_func("/cage/end-while-asked", test_end_while_asked);
	g_test_add_func("/cage/unit-dies", test_unit_dies);
	g_test_add_func("/cage/end-while-running", test_end_while_running);
	return g_test_run();
}
