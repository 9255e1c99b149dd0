/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Programs are named by the environment: LRTBF_FAKE_MEASURE or LRTBF_MEASURE (world->measure), and
 * LRTBF_LOAD.
 */
#include "session-world.h"

#include "clock.h"
#include "session.h"

#include <dirent.h>
#include <errno.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>

static const char *const news_words[] = { "added", "changed",	"progress", "maximum",
					  "ended", "forgotten", "active" };

static void on_news(enum sessions_news what, struct session *s, void *userdata)
{
	struct world *w = userdata;

	g_string_append_printf(w->news, "%s ", news_words[what]);
	w->forgotten += what == SESSIONS_FORGOTTEN;
	w->maxima += what == SESSIONS_MAXIMUM;
	if (what == SESSIONS_PROGRESS)
		w->progress = session_progress(s);
	if (w->hook)
		w->hook(w, what, s);
}

static void write_file(const char *dir, const char *sub, const char *name, const char *text)
{
	g_autofree char *path = g_strdup_printf("%s/%s/%s.conf", dir, sub, name);

	g_assert_true(g_file_set_contents(path, text, -1, NULL));
	g_assert_cmpint(chmod(path, 0644), ==, 0);
}

void world_plan(struct world *w, const char *name, const char *text)
{
	write_file(w->config, "plans.d", name, text);
}

void world_load(struct world *w, const char *name, const char *text)
{
	write_file(w->config, "loads.d", name, text);
}

static char *make_dir(const char *parent, const char *name)
{
	char *path = g_build_filename(parent, name, NULL);

	g_assert_cmpint(mkdir(path, 0755), ==, 0);
	g_assert_cmpint(chmod(path, 0755), ==, 0); /* whatever the umask says */
	return path;
}

struct world *world_new(void)
{
	struct world *w = g_new0(struct world, 1);
	g_autofree char *plans = NULL, *loads = NULL;

	w->dir = g_dir_make_tmp("lrtbf-session-XXXXXX", NULL);
	g_assert_nonnull(w->dir);
	g_assert_cmpint(chmod(w->dir, 0755), ==, 0);
	w->state = make_dir(w->dir, "state");
	w->config = make_dir(w->dir, "config");
	plans = make_dir(w->config, "plans.d");
	loads = make_dir(w->config, "loads.d");
	w->runtime = g_strdup("/dev/shm/lrtbf-test-XXXXXX");
	g_assert_nonnull(g_mkdtemp(w->runtime));
	w->lock = g_build_filename(w->dir, "lock", NULL);
	w->config_dirs[0] = w->config;
	settings_init(&w->settings);
	w->news = g_string_new(NULL);
	world_load(w, "none", "description = \"Nothing\";\n");
	return w;
}

void world_open(struct world *w)
{
	g_autofree char *message = NULL;
	struct sessions_params p = {
		.settings = &w->settings,
		.config_dirs = w->config_dirs,
		.state_dir = w->state,
		.runtime_dir = w->runtime,
		.root = "/",
		.measure_path = g_getenv("LRTBF_FAKE_MEASURE"),
		.load_path = g_getenv("LRTBF_LOAD"),
		.lock_path = w->lock,
		.cage = w->cage,
		.news = on_news,
		.userdata = w,
	};
	sigset_t chld;

	g_assert_nonnull(p.measure_path);
	g_assert_nonnull(p.load_path);
	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	sigprocmask(SIG_BLOCK, &chld, NULL);
	g_assert_cmpint(sd_event_new(&w->event), >=, 0);
	if (store_open(w->state, w->event, NULL, NULL, &w->store, &message) < 0)
		g_error("store: %s", message);
	p.event = w->event;
	p.store = w->store;
	g_assert_cmpint(sessions_new(&p, &w->sessions), ==, 0);
}

void world_close(struct world *w)
{
	w->sessions = sessions_free(w->sessions);
	w->store = store_close(w->store);
	w->event = sd_event_unref(w->event);
}

static void remove_tree(const char *path)
{
	GDir *d = g_dir_open(path, 0, NULL);
	const char *name;

	while (d && (name = g_dir_read_name(d))) {
		g_autofree char *child = g_build_filename(path, name, NULL);

		remove_tree(child);
	}
	if (d)
		g_dir_close(d);
	(void)g_remove(path);
}

void world_free(struct world *w)
{
	if (w->sessions)
		world_close(w);
	remove_tree(w->dir);
	remove_tree(w->runtime);
	settings_done(&w->settings);
	g_string_free(w->news, TRUE);
	g_free(w->dir);
	g_free(w->state);
	g_free(w->runtime);
	g_free(w->config);
	g_free(w->lock);
	g_free(w);
}

bool world_run(struct world *w, uint64_t ns, bool (*done)(struct world *w, void *data), void *data)
{
	uint64_t end_ns = clock_mono_ns() + ns;

	while (!done(w, data)) {
		if (clock_mono_ns() > end_ns)
			return false;
		g_assert_cmpint(sd_event_run(w->event, 20000), >=, 0);
	}
	return true;
}

static bool never(struct world *w, void *data)
{
	return false;
}

void world_wait(struct world *w, uint64_t ns)
{
	world_run(w, ns, never, NULL);
}

struct waited {
	struct session *s;
	enum session_state state;
};

static bool has_state(struct world *w, void *data)
{
	const struct waited *x = data;

	return world_state(x->s) == x->state;
}

bool world_run_state(struct world *w, struct session *s, enum session_state state)
{
	return world_run(w, 30 * NSEC_PER_SEC, has_state, &(struct waited){ s, state });
}

static bool has_ended(struct world *w, void *data)
{
	return session_ended(data);
}

bool world_run_ended(struct world *w, struct session *s)
{
	return world_run(w, 60 * NSEC_PER_SEC, has_ended, s);
}

void world_reload(struct world *w)
{
	g_autoptr(GPtrArray) problems = sessions_reload(w->sessions);
	g_autofree char *text = problems_format(problems);

	g_assert_cmpstr(text, ==, "");
}

struct session *world_start(struct world *w, const char *plan)
{
	g_autofree char *message = NULL;
	struct session *s = NULL;

	if (sessions_start(w->sessions, plan, NULL, true, 1000, &s, &message) < 0)
		g_error("%s: %s", plan, message);
	return s;
}

/* A child of this process that is executing the measuring program. */
static bool find_child(struct world *w, void *data)
{
	g_autofree char *children = NULL;
	g_autofree char *path = g_strdup_printf("/proc/self/task/%d/children", getpid());
	g_auto(GStrv) pids = NULL;

	if (!g_file_get_contents(path, &children, NULL, NULL))
		return false;
	pids = g_strsplit(g_strstrip(children), " ", -1);
	for (char **p = pids; *p; p++) {
		g_autofree char *link = g_strdup_printf("/proc/%s/exe", *p);
		g_autofree char *exe = g_file_read_link(link, NULL);

		if (exe && strstr(exe, "measure")) {
			*(pid_t *)data = (pid_t)g_ascii_strtoll(*p, NULL, 10);
			return true;
		}
	}
	return false;
}

pid_t world_child(struct world *w)
{
	pid_t pid = 0;

	g_assert_true(world_run(w, 10 * NSEC_PER_SEC, find_child, &pid));
	return pid;
}

struct result *world_result(struct world *w, const char *id)
{
	g_autofree char *message = NULL;
	struct result *r = NULL;

	if (sessions_result(w->sessions, id, &r, &message) < 0)
		g_error("%s: %s", id, message);
	return r;
}

struct result *world_assert_ends(struct world *w, struct session *s, enum session_state state)
{
	struct result *r;

	g_assert_true(world_run_ended(w, s));
	r = world_result(w, session_result(s)->id);
	if (r->state != state)
		g_error("%s and not %s: %s", session_state_to_string(r->state),
			session_state_to_string(state), r->reason);
	return r;
}

unsigned world_regions(struct world *w)
{
	DIR *d = opendir(w->runtime);
	struct dirent *e;
	unsigned n = 0;

	g_assert_nonnull(d);
	while ((e = readdir(d)))
		n += g_str_has_suffix(e->d_name, ".region");
	closedir(d);
	return n;
}

enum session_state world_state(const struct session *s)
{
	return session_result(s)->state;
}

uint64_t world_count(const struct result *r)
{
	g_autofree struct figures *all = result_all(r);

	return figures_count(all);
}

bool world_has_finding(const GPtrArray *findings, const char *id)
{
	for (guint i = 0; i < findings->len; i++)
		if (strcmp(((struct finding *)findings->pdata[i])->kind->id, id) == 0)
			return true;
	return false;
}

char *world_plan_text(unsigned ms, const char *load, const char *more)
{
	return g_strdup_printf(
		"instrument = \"timer\"; policy = \"other\"; interval = \"1ms\";\n"
		"duration = \"%ums\"; cpus = \"0\"; warm_up = \"0ms\"; settle = \"50ms\";\n"
		"stages = ( { load = \"%s\"; } );\n%s\n",
		ms, load, more ?: "");
}

void world_assert_verdict(enum verdict got, enum verdict want, const GPtrArray *findings)
{
	if (got == VERDICT_INCONCLUSIVE && want < got && world_has_finding(findings, "steal"))
		return;
	g_assert_cmpstr(verdict_to_string(got), ==, verdict_to_string(want));
}

void world_assert_session_verdict(const struct result *r, enum verdict want)
{
	for (guint i = 0; i < r->stages->len; i++) {
		const struct result_stage *s = r->stages->pdata[i];

		if (world_has_finding(s->findings, "steal")) {
			world_assert_verdict(r->verdict, want, s->findings);
			return;
		}
	}
	world_assert_verdict(r->verdict, want, r->findings);
}
