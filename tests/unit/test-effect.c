/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Effects from a made-up machine whose counters are known, and from the one the test runs on. */
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "effect.h"
#include "load.h"

#define SECOND 1000000000ULL

struct machine {
	char *root;
	uint64_t ctxt, forks, intr, cpu_user, steal, pgpgin, pgpgout, dirtied, lo, eth;
	bool has_eth;
	const char *interrupts;
};

static void machine_file(struct machine *m, const char *name, const char *text)
{
	g_autofree char *path = g_build_filename(m->root, name, NULL),
			*dir = g_path_get_dirname(path);

	g_assert_cmpint(g_mkdir_with_parents(dir, 0755), ==, 0);
	/* written in place: the readers keep it open, as they may a file of /proc */
	if (g_file_test(path, G_FILE_TEST_EXISTS)) {
		int fd = open(path, O_WRONLY | O_TRUNC);

		g_assert_cmpint(write(fd, text, strlen(text)), ==, (ssize_t)strlen(text));
		close(fd);
	} else {
		g_assert_true(g_file_set_contents(path, text, -1, NULL));
	}
}

static void machine_write(struct machine *m)
{
	g_autofree char *stat =
		g_strdup_printf("cpu  %" G_GUINT64_FORMAT " 0 0 0 0 0 0 %" G_GUINT64_FORMAT
				" 0 0\nintr %" G_GUINT64_FORMAT " 1 2\nctxt %" G_GUINT64_FORMAT
				"\nprocesses %" G_GUINT64_FORMAT "\n",
				m->cpu_user, m->steal, m->intr, m->ctxt, m->forks);
	g_autofree char *vmstat =
		g_strdup_printf("pgpgin %" G_GUINT64_FORMAT "\npgpgout %" G_GUINT64_FORMAT
				"\nnr_dirtied %" G_GUINT64_FORMAT "\n",
				m->pgpgin, m->pgpgout, m->dirtied);
	g_autofree char *eth = g_strdup_printf("eth0: 1 %" G_GUINT64_FORMAT " 0\n", m->eth);
	g_autofree char *net = g_strdup_printf("a|b\nc|d\n lo: 1 %" G_GUINT64_FORMAT " 0\n%s",
					       m->lo, m->has_eth ? eth : "");

	machine_file(m, "proc/stat", stat);
	machine_file(m, "proc/vmstat", vmstat);
	machine_file(m, "proc/net/dev", net);
	if (m->interrupts)
		machine_file(m, "proc/interrupts", m->interrupts);
}

static void machine_init(struct machine *m)
{
	memset(m, 0, sizeof(*m));
	m->root = g_dir_make_tmp("lrtbf-test-XXXXXX", NULL);
	m->ctxt = m->forks = m->intr = m->cpu_user = 1000;
	m->steal = m->pgpgin = m->pgpgout = m->dirtied = m->lo = m->eth = 1000;
	m->has_eth = true;
}

static void machine_done(struct machine *m)
{
	static const char *const files[] = { "proc/stat",
					     "proc/vmstat",
					     "proc/net/dev",
					     "proc/interrupts",
					     "sys/kernel/irq/7/actions",
					     "proc/net",
					     "proc",
					     "sys/kernel/irq/7",
					     "sys/kernel/irq",
					     "sys/kernel",
					     "sys",
					     "" };

	for (guint i = 0; i < G_N_ELEMENTS(files); i++) {
		g_autofree char *path = g_build_filename(m->root, files[i], NULL);

		(void)g_remove(path);
	}
	g_assert_false(g_file_test(m->root, G_FILE_TEST_EXISTS));
	g_free(m->root);
}

static const struct result_metric *find(const GPtrArray *metrics, const char *name)
{
	for (guint i = 0; i < metrics->len; i++) {
		const struct result_metric *m = metrics->pdata[i];

		if (strcmp(m->name, name) == 0)
			return m;
	}
	return NULL;
}

static void check(const GPtrArray *metrics, const char *name, const char *unit, unsigned n,
		  double mean, double min, double max, double stddev)
{
	const struct result_metric *m = find(metrics, name);

	g_assert_nonnull(m);
	g_assert_cmpstr(m->unit, ==, unit);
	g_assert_cmpuint(m->n, ==, n);
	g_assert_cmpfloat_with_epsilon(m->mean, mean, 1e-6 * (1 + mean));
	g_assert_cmpfloat_with_epsilon(m->min, min, 1e-6 * (1 + min));
	g_assert_cmpfloat_with_epsilon(m->max, max, 1e-6 * (1 + max));
	g_assert_cmpfloat_with_epsilon(m->stddev, stddev, 1e-6 * (1 + stddev));
}

static void test_rates(void)
{
	struct machine m;
	struct effect *e;
	g_autoptr(GPtrArray) metrics = NULL;
	json_t *irqs;

	machine_init(&m);
	machine_write(&m);
	e = effect_new(m.root, 5 * SECOND);
	m.ctxt += 100, m.forks += 10, m.intr += 50, m.pgpgin += 4, m.lo += 7, m.eth += 3;
	m.cpu_user += 90, m.steal += 10;
	machine_write(&m);
	effect_sample(e, 6 * SECOND);
	effect_sample(e, 6 * SECOND + SECOND / 20); /* too soon: left out */
	m.ctxt += 600, m.intr += 100, m.pgpgin += 8, m.lo += 20;
	m.cpu_user += 200;
	machine_write(&m);
	effect_finish(e, 8 * SECOND, &metrics, &irqs);
	/* 100 in the first second, 300 a second in the two after it: 700 in 3 s */
	check(metrics, "context_switches", "1/s", 2, 700 / 3.0, 100, 300, 133.3333333);
	check(metrics, "forks", "1/s", 2, 10 / 3.0, 0, 10, 6.6666667);
	check(metrics, "interrupts", "1/s", 2, 50, 50, 50, 0);
	check(metrics, "bytes_read", "B/s", 2, 4096, 4096, 4096, 0);
	check(metrics, "packets", "1/s", 2, 10, 10, 10, 0);
	check(metrics, "steal_pct", "%", 2, 10 / 3.0, 0, 10, 6.6666667);
	check(metrics, "bytes_written", "B/s", 2, 0, 0, 0, 0);
	g_assert_null(irqs);
	effect_free(e);
	machine_done(&m);
}

/* Memory first, the disk later, then past the cache: no byte counts twice and none is missed. */
static void test_written(void)
{
	const double page = sysconf(_SC_PAGESIZE);
	struct machine m;
	struct effect *e;
	g_autoptr(GPtrArray) metrics = NULL;
	json_t *irqs;

	machine_init(&m);
	machine_write(&m);
	e = effect_new(m.root, 0);
	m.dirtied += 1000;
	machine_write(&m);
	effect_sample(e, SECOND);
	m.pgpgout += 1000 * page / 1024; /* the same bytes reach the disk */
	machine_write(&m);
	effect_sample(e, 2 * SECOND);
	m.pgpgout += 500 * page / 1024; /* and others without having been in memory */
	machine_write(&m);
	effect_finish(e, 3 * SECOND, &metrics, &irqs);
	check(metrics, "bytes_written", "B/s", 3, 500 * page, 0, 1000 * page, 500 * page);
	effect_free(e);
	machine_done(&m);
}

static void test_backward(void)
{
	struct machine m;
	struct effect *e;
	g_autoptr(GPtrArray) metrics = NULL;
	json_t *irqs;

	machine_init(&m);
	m.ctxt = 4294967290; /* 32 bits: about to wrap */
	m.has_eth = false;
	machine_write(&m);
	e = effect_new(m.root, 0);
	m.ctxt = 4, m.forks -= 100;		      /* one wraps, the other went back */
	m.has_eth = true, m.eth = 1000000, m.lo += 5; /* an interface comes with its own past */
	machine_write(&m);
	effect_sample(e, SECOND);
	m.has_eth = false;
	machine_write(&m);
	effect_finish(e, 2 * SECOND, &metrics, &irqs);
	check(metrics, "context_switches", "1/s", 2, 5, 0, 10, 7.0710678);
	check(metrics, "forks", "1/s", 1, 0, 0, 0, 0);
	check(metrics, "packets", "1/s", 2, 2.5, 0, 5, 3.5355339);
	effect_free(e);
	machine_done(&m);
}

static void test_missing(void)
{
	g_autofree char *root = g_dir_make_tmp("lrtbf-test-XXXXXX", NULL);
	struct effect *e = effect_new(root, 0);
	g_autoptr(GPtrArray) metrics = NULL, none = NULL;
	json_t *irqs;

	effect_sample(e, SECOND);
	effect_finish(e, 2 * SECOND, &metrics, &irqs);
	g_assert_cmpuint(metrics->len, ==, 0);
	g_assert_null(irqs);
	effect_free(e);
	/* a stage that ended at once has no seconds to tell of */
	e = effect_new("/", 0);
	effect_finish(e, SECOND / 100, &none, &irqs);
	g_assert_cmpuint(none->len, ==, 0);
	json_decref(irqs);
	effect_free(e);
	g_assert_cmpint(g_rmdir(root), ==, 0);
}

static void check_irq(const json_t *irqs, const char *line, const char *actions, json_int_t delta)
{
	const json_t *o = json_object_get(irqs, line);

	g_assert_cmpstr(json_string_value(json_object_get(o, "actions")), ==, actions);
	g_assert_cmpint(json_integer_value(json_object_get(o, "delta")), ==, delta);
}

static void test_irqs(void)
{
	struct machine m;
	struct effect *e;
	g_autoptr(GPtrArray) metrics = NULL;
	json_t *irqs;

	machine_init(&m);
	m.interrupts =
		"    CPU0 CPU1\n 7: 1 2  chip 7-edge    parport0\n 8: 5 5  chip 8-edge  rtc0\n"
		"LOC: 10 20   Local timer interrupts\n";
	machine_write(&m);
	machine_file(&m, "sys/kernel/irq/7/actions", "parport0,spare \xff\n");
	e = effect_new(m.root, 0);
	m.interrupts = "    CPU0\n 7: 11  chip 7-edge    parport0\n 8: 5  chip 8-edge  rtc0\n"
		       " 9: 3   chip 9-edge    new one\nLOC: 30   Local timer interrupts\n";
	machine_write(&m);
	effect_finish(e, SECOND, &metrics, &irqs);
	g_assert_cmpuint(json_object_size(irqs), ==, 3);
	check_irq(irqs, "7", "parport0,spare \xef\xbf\xbd", 10);
	check_irq(irqs, "9", "new one", 3);
	check_irq(irqs, "LOC", "Local timer interrupts", 20);
	json_decref(irqs);
	effect_free(e);
	machine_done(&m);
}

static void test_here(void)
{
	gint64 start = g_get_monotonic_time();
	struct effect *e = effect_new("/", start * 1000);
	g_autoptr(GPtrArray) metrics = NULL;
	json_t *irqs = NULL;
	gint64 now;

	for (int i = 0; i < 200; i++) {
		pid_t pid = fork();

		if (pid == 0) {
			execl("/bin/true", "true", NULL);
			_exit(127);
		}
		g_assert_cmpint(waitpid(pid, NULL, 0), ==, pid);
	}
	while ((now = g_get_monotonic_time()) < start + 200000)
		g_usleep(20000);
	effect_finish(e, now * 1000, &metrics, &irqs);
	/* a rate times a time: 200 but for rounding */
	g_assert_cmpfloat(find(metrics, "forks")->mean * (now - start) / 1e6, >=, 199.9);
	g_assert_cmpfloat(find(metrics, "context_switches")->mean, >, 0);
	g_assert_nonnull(find(metrics, "packets"));
	g_assert_cmpuint(json_object_size(irqs), >, 0);
	json_decref(irqs);
	effect_free(e);
}

static void test_judge(void)
{
	struct load_effect writes = { .metric = (char *)"bytes_written", .at_least = 1000000 };
	struct load_effect packets = { .metric = (char *)"packets", .at_least = 1 };
	g_autoptr(GPtrArray) effects = g_ptr_array_new(), loads = g_ptr_array_new();
	g_autoptr(GPtrArray) metrics =
		g_ptr_array_new_with_free_func((GDestroyNotify)result_metric_free);
	g_autoptr(GPtrArray) findings = findings_new();
	struct load hd = { .name = (char *)"hd", .effects = effects };
	struct result_metric *written = result_metric_new("bytes_written", "B/s");
	struct result_metric *steal = result_metric_new("steal_pct", "%");
	const struct finding *f;

	g_ptr_array_add(loads, &hd);
	g_ptr_array_add(effects, &writes);
	g_ptr_array_add(metrics, written);
	g_ptr_array_add(metrics, steal);
	written->mean = 1000000;
	steal->mean = 1.0;
	effect_judge(metrics, loads, 20000, findings);
	g_assert_cmpuint(findings->len, ==, 0);

	written->mean = 999999.4;
	steal->mean = 2.25;
	g_ptr_array_add(effects, &packets);
	hd.as_root = true;
	hd.why_root = (char *)"it mounts.";
	effect_judge(metrics, loads, 20000, findings);
	g_assert_cmpuint(findings->len, ==, 4);
	f = findings->pdata[0];
	g_assert_cmpstr(f->kind->id, ==, "load-root");
	f = findings->pdata[1];
	g_assert_cmpstr(f->kind->id, ==, "load-no-effect");
	g_assert_cmpstr(f->text, ==,
			"Load hd promises 1000000 bytes_written a second; there were 999999.");
	f = findings->pdata[2];
	g_assert_cmpstr(f->text, ==,
			"Load hd promises 1 packets a second; they could not be counted.");
	f = findings->pdata[3];
	g_assert_cmpstr(f->kind->id, ==, "steal");
	g_assert_true(findings_inconclusive(findings));
	effect_judge(metrics, NULL, 20000, findings);
}

/* On 64 CPUs measuring at 1 ms alone makes ten times the switches that hackbench promises. */
static void test_judge_own(void)
{
	g_autoptr(GPtrArray) findings = findings_new(), metrics = g_ptr_array_new();
	g_autoptr(GPtrArray) loads = g_ptr_array_new(), effects = g_ptr_array_new();
	struct load_effect switches = { .metric = (char *)"context_switches", .at_least = 10000 };
	struct load_effect timers = { .metric = (char *)"interrupts", .at_least = 1000 };
	struct load hackbench = { .name = (char *)"hackbench", .effects = effects };
	struct result_metric *seen = result_metric_new("context_switches", "1/s");
	struct result_metric *interrupts = result_metric_new("interrupts", "1/s");

	g_ptr_array_add(loads, &hackbench);
	g_ptr_array_add(effects, &switches);
	g_ptr_array_add(metrics, seen);
	g_ptr_array_add(metrics, interrupts);
	seen->mean = 138001;
	effect_judge(metrics, loads, 64000, findings);
	g_assert_cmpuint(findings->len, ==, 0);
	seen->mean = 130000;
	interrupts->mean = 64999;
	g_ptr_array_add(effects, &timers);
	effect_judge(metrics, loads, 64000, findings);
	g_assert_cmpuint(findings->len, ==, 2);
	g_assert_cmpstr(
		((struct finding *)findings->pdata[0])->text, ==,
		"Load hackbench promises 10000 context_switches a second; there were 2000 besides "
		"those of measuring.");
	g_assert_cmpstr(
		((struct finding *)findings->pdata[1])->text, ==,
		"Load hackbench promises 1000 interrupts a second; there were 999 besides those of "
		"measuring.");
	result_metric_free(seen);
	result_metric_free(interrupts);
}

static void test_known(void)
{
	for (const char *const *name = load_metrics; *name; name++)
		g_assert_true(effect_metric_known(*name));
	g_assert_false(effect_metric_known("bytes"));
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/effect/rates", test_rates);
	g_test_add_func("/effect/written", test_written);
	g_test_add_func("/effect/backward", test_backward);
	g_test_add_func("/effect/missing", test_missing);
	g_test_add_func("/effect/irqs", test_irqs);
	g_test_add_func("/effect/here", test_here);
	g_test_add_func("/effect/judge", test_judge);
	g_test_add_func("/effect/judge-own", test_judge_own);
	g_test_add_func("/effect/known", test_known);
	return g_test_run();
}
