/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The small nouns of a session, each by itself: lock, names of regions, rights, the child's start
 * and end. */
#include "child.h"
#include "cleanup.h"
#include "clock.h"
#include "house.h"
#include "lock.h"
#include "policy.h"
#include "probe.h"
#include "region.h"
#include "regionfile.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char *temp_dir(void)
{
	char *dir = g_dir_make_tmp("lrtbf-parts-XXXXXX", NULL);

	g_assert_nonnull(dir);
	return dir;
}

static void test_lock(void)
{
	g_autofree char *dir = temp_dir(), *path = g_build_filename(dir, "lock", NULL);
	g_autofree char *pid = g_strdup_printf("process %d", getpid());
	g_autofree char *busy = NULL, *stale = NULL, *named = NULL;
	char name[16];
	int fd, other;

	g_assert_cmpint(lock_take(path, &fd, &busy), ==, 0);
	g_assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	g_assert_cmpint(lock_take(path, &other, &busy), ==, -EBUSY);
	g_assert_true(strstr(busy, pid) != NULL);
	close(fd);
	/* whatever the file says */
	g_assert_true(g_file_set_contents(path, "999999999\n", -1, NULL));
	g_assert_cmpint(lock_take(path, &fd, &stale), ==, 0);
	g_assert_cmpint(lock_take(path, &other, &stale), ==, -EBUSY);
	g_assert_true(strstr(stale, pid) != NULL);
	close(fd);
	/* nor does a name do anything to a terminal or a bus */
	g_assert_cmpint(prctl(PR_GET_NAME, name), ==, 0);
	g_assert_cmpint(prctl(PR_SET_NAME, "a\033[2J\n\377b"), ==, 0);
	g_assert_cmpint(lock_take(path, &fd, &named), ==, 0);
	g_assert_cmpint(lock_take(path, &other, &named), ==, -EBUSY);
	g_assert_cmpint(prctl(PR_SET_NAME, name), ==, 0);
	g_assert_true(strstr(named, "(a?[2J?") != NULL);
	g_assert_true(g_utf8_validate(named, -1, NULL));
	close(fd);
	g_assert_cmpint(lock_take(path, &fd, &busy), ==, 0);
	close(fd);
	g_unlink(path);
	g_rmdir(dir);
}

static void test_lock_traps(void)
{
	g_autofree char *dir = temp_dir(), *path = g_build_filename(dir, "lock", NULL);
	g_autofree char *victim = g_build_filename(dir, "victim", NULL);
	g_autofree char *m1 = NULL, *m2 = NULL, *m3 = NULL;
	g_autofree char *nowhere = g_build_filename(dir, "no", "lock", NULL);
	g_autofree char *text = NULL;
	int fd;

	/* a link that somebody put there is not followed: the file behind it keeps its bytes */
	g_assert_true(g_file_set_contents(victim, "precious", -1, NULL));
	g_assert_cmpint(symlink(victim, path), ==, 0);
	g_assert_cmpint(lock_take(path, &fd, &m1), ==, -ELOOP);
	g_assert_true(strstr(m1, path) != NULL);
	g_assert_true(g_file_get_contents(victim, &text, NULL, NULL));
	g_assert_cmpstr(text, ==, "precious");
	g_unlink(path);
	/* a fifo does not block */
	g_assert_cmpint(mkfifo(path, 0600), ==, 0);
	g_assert_cmpint(lock_take(path, &fd, &m2), <, 0);
	g_assert_nonnull(m2);
	g_unlink(path);
	g_assert_cmpint(lock_take(nowhere, &fd, &m3), ==, -ENOENT);
	g_assert_nonnull(m3);
	g_unlink(victim);
	g_rmdir(dir);
}

static void test_region_names(void)
{
	static const char *const bad[] = {
		"lrtbf-0000002a-s1-.region",
		"lrtbf-0000002a-s1-0.regio",
		"lrtbf-0000002b-s1-0.region",
		"lrtbf-0000002a-../x-0.region",
		"lrtbf-0000002a-s1-99999.region",
		"lrtbf-0000002a-S1-0.region",
		"lrtbf-0000002a--0.region",
		"lrtbf-0000002a-.region",
		"",
		"lrtbf-0000002a-s1--1.region",
		"lrtbf-0000002a-s1-0..region",
		"lrtbf-0000002a-s1-0.12.region",
		"lrtbf-0000002a-s1-.12ab34cd.region",
		"lrtbf-0000002a-s1-0.12ab34cg.region",
		"lrtbf-0000002a-s1-0.12ab34cd.region.region",
	};
	g_autofree char *id = NULL;
	unsigned stage;

	g_assert_true(regionfile_parse("lrtbf-0000002a-s20261130T020000Z_4f2a-12.region", 42, &id,
				       &stage));
	g_assert_cmpstr(id, ==, "s20261130T020000Z_4f2a");
	g_assert_cmpuint(stage, ==, 12);
	g_clear_pointer(&id, g_free);
	g_assert_true(regionfile_parse("lrtbf-0000002a-s1-3.0a1b2c3d.region", 42, &id, &stage));
	g_assert_cmpstr(id, ==, "s1");
	g_assert_cmpuint(stage, ==, 3);
	for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
		char *none = NULL;

		if (regionfile_parse(bad[i], 42, &none, &stage))
			g_error("\"%s\" was taken as %s", bad[i], none);
	}
}

/* On a disk the region would disturb what it records: /dev/shm is taken instead. */
static void test_region_places(void)
{
	g_autofree char *dir = temp_dir(), *path = NULL, *message = NULL;
	uint32_t tag = regionfile_tag(dir);
	g_autoptr(GPtrArray) files = NULL;
	cpu_set_t cpus;
	int fd;

	CPU_ZERO(&cpus);
	CPU_SET(3, &cpus);
	g_assert_cmpint(regionfile_create(dir, tag, "s1", 0, &cpus, &fd, &path, &message), ==, 0);
	close(fd);
	files = regionfile_list(dir, tag);
	g_assert_cmpuint(files->len, ==, 1);
	g_assert_cmpstr(((struct regionfile *)files->pdata[0])->path, ==, path);
	g_unlink(path);
	g_rmdir(dir);

	/* removed by somebody while the daemon runs */
	g_clear_pointer(&path, g_free);
	g_assert_cmpint(regionfile_create(dir, tag, "s1", 0, &cpus, &fd, &path, &message), ==, 0);
	close(fd);
	g_unlink(path);
}

/* Somebody put something of that name there: a link that must not be followed, a file to be read.
 */
static void test_region_name_taken(void)
{
	g_autofree char *dir = temp_dir(), *first = NULL, *path = NULL, *message = NULL;
	uint32_t tag = regionfile_tag(dir);
	g_autoptr(GPtrArray) files = NULL;
	cpu_set_t cpus;
	struct stat st;
	int fd;

	CPU_ZERO(&cpus);
	CPU_SET(0, &cpus);
	first = g_strdup_printf("/dev/shm/lrtbf-%08x-s1-0.region", tag);
	g_assert_cmpint(symlink("/nonexistent/lrtbf", first), ==, 0);
	g_assert_cmpint(regionfile_create(dir, tag, "s1", 0, &cpus, &fd, &path, &message), ==, 0);
	close(fd);
	g_assert_cmpstr(path, !=, first);
	g_assert_true(lstat(first, &st) == 0 && S_ISLNK(st.st_mode));
	files = regionfile_list(dir, tag);
	g_assert_cmpuint(files->len, ==, 1);
	g_assert_cmpstr(((struct regionfile *)files->pdata[0])->path, ==, path);
	g_assert_cmpstr(((struct regionfile *)files->pdata[0])->id, ==, "s1");
	g_unlink(path);
	g_unlink(first);
	g_rmdir(dir);
}

/* In a process of its own: @check returns its exit status. 77: cannot be tested here. */
static void in_process(int (*check)(void))
{
	int status;
	pid_t pid = fork();

	if (pid == 0)
		_exit(check());
	g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
	g_assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 77)
		g_test_skip("needs root");
	else
		g_assert_cmpint(WEXITSTATUS(status), ==, 0);
}

static void order_fifo(struct order *o)
{
	order_init(o);
	o->policy = SCHED_FIFO;
	o->priority = 80;
	CPU_ZERO(&o->cpus);
	CPU_SET(0, &o->cpus);
}

static int nobody(void)
{
	struct rlimit none = { 0, 0 };

	if (setrlimit(RLIMIT_RTPRIO, &none) < 0 || setrlimit(RLIMIT_MEMLOCK, &none) < 0)
		return 1;
	if (geteuid() == 0 && (setgid(65534) < 0 || setuid(65534) < 0))
		return 1;
	return 0;
}

static int check_policy_refused(void)
{
	g_autofree char *message = NULL, *none = NULL;
	struct order o;

	if (nobody() != 0)
		return 2;
	order_fifo(&o);
	if (probe_policy(&o, &message) != -EPERM)
		return 3;
	if (!strstr(message, "CAP_SYS_NICE") || !strstr(message, "RLIMIT_RTPRIO") ||
	    !strstr(message, "priority 80 is") || !strstr(message, "limit to 81"))
		return 4;
	o.policy = SCHED_OTHER;
	o.priority = 0;
	return probe_policy(&o, &none) == 0 ? 0 : 5;
}

static int check_memory_refused(void)
{
	g_autofree char *message = NULL, *none = NULL;
	struct order o;

	if (nobody() != 0)
		return 2;
	order_fifo(&o);
	if (probe_memory(&o, &message) != -EPERM || !strstr(message, "RLIMIT_MEMLOCK"))
		return 3;
	o.lock_memory = 0;
	return probe_memory(&o, &none) == 0 ? 0 : 4;
}

static int check_policy_permitted(void)
{
	g_autofree char *message = NULL;
	struct policy_attr a;
	struct order o;

	if (geteuid() != 0)
		return 77;
	order_fifo(&o);
	if (probe_policy(&o, &message) != 0)
		return strstr(message, "CAP_SYS_NICE") ? 77 : 1; /* a container */
	/* and we are what we were */
	return policy_get(0, &a) == 0 && a.policy == SCHED_OTHER ? 0 : 2;
}

static void test_probe_policy_refused(void)
{
	in_process(check_policy_refused);
}

static void test_probe_memory_refused(void)
{
	in_process(check_memory_refused);
}

static void test_probe_permitted(void)
{
	in_process(check_policy_permitted);
}

/* The daemon leaves measured CPUs and comes back; what it may use does not shrink meanwhile. */
static void test_house(void)
{
	g_autofree char *dir = temp_dir(), *message = NULL;
	struct house h = { .root = "/" };
	cpu_set_t before, now, measured, allowed;

	g_assert_cmpint(store_open(dir, NULL, NULL, NULL, &h.store, &message), ==, 0);
	g_assert_cmpint(sched_getaffinity(0, sizeof(before), &before), ==, 0);
	house_leave_cpus(&h, &before);
	g_assert_false(h.away); /* none is left */
	if (CPU_COUNT(&before) < 2) {
		g_test_skip("needs two CPUs");
	} else {
		CPU_ZERO(&measured);
		for (int cpu = 0; CPU_COUNT(&measured) == 0; cpu++)
			if (CPU_ISSET(cpu, &before))
				CPU_SET(cpu, &measured);
		house_leave_cpus(&h, &measured);
		g_assert_true(h.away);
		g_assert_cmpint(sched_getaffinity(0, sizeof(now), &now), ==, 0);
		CPU_AND(&allowed, &now, &measured);
		g_assert_cmpint(CPU_COUNT(&allowed), ==, 0);
		g_assert_cmpint(house_allowed(&h, &allowed), ==, 0);
		g_assert_true(CPU_EQUAL(&allowed, &before));
		house_return(&h);
		g_assert_cmpint(sched_getaffinity(0, sizeof(now), &now), ==, 0);
		g_assert_true(CPU_EQUAL(&now, &before));
	}
	h.store = store_close(h.store);
	for (int i = 0; i < 3; i++) {
		static const char *const names[] = { "lrtbfd.db", "lrtbfd.db-wal",
						     "lrtbfd.db-shm" };
		g_autofree char *path = g_build_filename(dir, names[i], NULL);

		g_unlink(path);
	}
	g_rmdir(dir);
}

/* What the child finds: its order and region, a clean signal mask, and nothing else open. */
static void on_ended(const struct child_end *end, void *userdata)
{
	*(struct child_end *)userdata = *end;
}

static void test_child(void)
{
	g_autofree char *dir = temp_dir(), *script = g_build_filename(dir, "child", NULL);
	g_autofree char *out = g_build_filename(dir, "out", NULL), *text = NULL, *message = NULL;
	g_autofree char *body = g_strdup_printf("#!/bin/sh\n{ echo \"$@\"; "
						"test -e /proc/$$/fd/3 && printf '3 '; "
						"test -e /proc/$$/fd/4 && printf '4 '; "
						"test -e /proc/$$/fd/63 || echo not-63; "
						"grep -E 'SigBlk|SigIgn' /proc/self/status; } >%s\n"
						"exit 7\n",
						out);
	struct child_end end = { 0 };
	struct child *c = NULL;
	sd_event *event = NULL;
	struct order o;
	struct child_params p = { .order = &o, .ended = on_ended, .userdata = &end };
	sigset_t chld;
	int region;

	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	sigprocmask(SIG_BLOCK, &chld, NULL);
	g_assert_true(g_file_set_contents(script, body, -1, NULL));
	g_assert_cmpint(chmod(script, 0755), ==, 0);
	order_fifo(&o);
	region = open("/dev/null", O_RDWR);
	g_assert_cmpint(dup2(region, 63), ==,
			63); /* without O_CLOEXEC, like a careless library's */
	g_assert_cmpint(sd_event_new(&event), >=, 0);
	p.event = event;
	p.path = script;
	p.region_fd = region;
	g_assert_cmpint(child_start(&p, &c, &message), ==, 0);
	while (end.code == 0)
		g_assert_cmpint(sd_event_run(event, 100000), >=, 0);
	g_assert_cmpint(end.code, ==, CLD_EXITED);
	g_assert_cmpint(end.status, ==, 7);
	g_assert_false(end.asked);
	child_free(c);
	g_assert_true(g_file_get_contents(out, &text, NULL, NULL));
	{
		g_auto(GStrv) lines = g_strsplit(text, "\n", -1);

		g_assert_cmpstr(lines[0], ==, "--order-fd=3 --region-fd=4");
		g_assert_cmpstr(lines[1], ==, "3 4 not-63");
		g_assert_true(g_str_has_suffix(lines[2], "0000000000000000"));
	}
	close(region);
	close(63);
	sd_event_unref(event);
	g_unlink(script);
	g_unlink(out);
	g_rmdir(dir);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/session/lock", test_lock);
	g_test_add_func("/session/lock-traps", test_lock_traps);
	g_test_add_func("/session/region-names", test_region_names);
	g_test_add_func("/session/region-places", test_region_places);
	g_test_add_func("/session/region-name-taken", test_region_name_taken);
	g_test_add_func("/session/probe-policy-refused", test_probe_policy_refused);
	g_test_add_func("/session/probe-memory-refused", test_probe_memory_refused);
	g_test_add_func("/session/probe-permitted", test_probe_permitted);
	g_test_add_func("/session/house", test_house);
	g_test_add_func("/session/child", test_child);
	return g_test_run();
}
