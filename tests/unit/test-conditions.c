/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Conditions of captured machines, what they mean, and those of the machine the test runs on. */
#include <locale.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conditions.h"
#include "irqpolicy.h"

static char *tree(const char *name)
{
	return g_build_filename(g_getenv("FIXTURES"), "conditions", name, NULL);
}

static json_t *collect(const char *name)
{
	g_autofree char *root = tree(name);

	return conditions_collect(root);
}

static const json_t *at(const json_t *c, const char *path)
{
	g_auto(GStrv) keys = g_strsplit(path, ".", -1);

	for (char **k = keys; *k; k++)
		c = json_is_array(c) ? json_array_get(c, atoi(*k)) : json_object_get(c, *k);
	g_assert_nonnull(c);
	return c;
}

static const char *text_at(const json_t *c, const char *path)
{
	return json_string_value(at(c, path));
}

/* Ids in order, with commas. */
static char *ids(const GPtrArray *findings)
{
	GString *s = g_string_new(NULL);

	for (guint i = 0; i < findings->len; i++) {
		const struct finding *f = findings->pdata[i];

		g_string_append_printf(s, "%s%s", i ? "," : "", f->kind->id);
	}
	return g_string_free(s, FALSE);
}

static const char *sentence(const GPtrArray *findings, const char *id)
{
	for (guint i = 0; i < findings->len; i++) {
		const struct finding *f = findings->pdata[i];

		if (strcmp(f->kind->id, id) == 0)
			return f->text;
	}
	return NULL;
}

static char *judge(const json_t *c, const char *cpus, int policy)
{
	g_autoptr(GPtrArray) findings = findings_new();
	cpu_set_t set;

	CPU_ZERO(&set);
	for (const char *s = cpus; s && *s; s++)
		CPU_SET(*s - '0', &set);
	conditions_judge(c, cpus ? &set : NULL, policy, findings);
	return ids(findings);
}

static void test_board(void)
{
	json_t *c = collect("board-rt");
	g_autofree char *all = judge(c, NULL, SCHED_FIFO),
			*housekeeping = judge(c, "01", SCHED_FIFO);

	g_assert_cmpstr(text_at(c, "kernel.release"), ==, "6.6.30-rt30-v8+");
	g_assert_cmpstr(text_at(c, "kernel.version"), ==,
			"#3 SMP PREEMPT_RT Tue May  7 10:00:00 UTC 2024");
	g_assert_true(json_is_true(at(c, "kernel.realtime")));
	g_assert_cmpstr(text_at(c, "kernel.preemption"), ==, "rt");
	g_assert_true(json_is_false(at(c, "kernel.preemption_dynamic")));
	g_assert_cmpstr(text_at(c, "kernel.config.HZ"), ==, "250");
	g_assert_cmpstr(text_at(c, "kernel.config.RT_GROUP_SCHED"), ==, "n");
	g_assert_cmpuint(strlen(text_at(c, "kernel.config_hash")), ==, 64);
	g_assert_cmpstr(text_at(c, "processor.model"), ==, "Raspberry Pi 4 Model B Rev 1.4");
	g_assert_cmpstr(text_at(c, "processor.isolated"), ==, "2-3");
	g_assert_cmpstr(text_at(c, "processor.mitigations.spectre_v2"), ==, "Vulnerable");
	g_assert_true(json_is_null(at(c, "processor.microcode")));
	g_assert_true(json_is_true(at(c, "clock.highres")));
	g_assert_cmpint(json_integer_value(at(c, "scheduler.rt_runtime_us")), ==, -1);
	g_assert_true(json_is_null(at(c, "scheduler.fair_server")));
	g_assert_cmpint(json_integer_value(at(c, "memory.total_kib")), ==, 3882132);
	g_assert_cmpuint(json_array_size(at(c, "cpus")), ==, 4);
	g_assert_cmpstr(text_at(c, "cpus.2.governor"), ==, "ondemand");
	g_assert_true(json_is_null(at(c, "virtualisation.machine")));
	g_assert_true(json_is_false(at(c, "irqbalance")));
	g_assert_cmpstr(all, ==, "governor,timer-migration");
	g_assert_cmpstr(housekeeping, ==, "timer-migration");
	json_decref(c);
}

static void test_board_threads(void)
{
	json_t *c = collect("board-rt");
	g_autoptr(GPtrArray) high = findings_new(), low = findings_new(), port = findings_new();

	g_assert_cmpuint(json_array_size(at(c, "threads")), ==, 3);
	g_assert_cmpstr(text_at(c, "threads.0.name"), ==, "migration/0");
	g_assert_cmpstr(text_at(c, "threads.1.name"), ==, "audio (out)");
	g_assert_cmpstr(text_at(c, "threads.1.policy"), ==, "rr");
	g_assert_true(json_is_false(at(c, "threads.1.kernel")));
	g_assert_cmpint(json_integer_value(at(c, "threads.1.priority")), ==, 85);
	g_assert_true(json_is_true(at(c, "threads.2.kernel")));
	conditions_judge_priority(c, 86, NULL, high);
	g_assert_cmpuint(high->len, ==, 0);
	conditions_judge_priority(c, 50, "PCIe PM", low);
	g_assert_cmpstr(sentence(low, "rt-neighbours"), ==,
			"Other threads have the measuring threads' priority or a higher one: "
			"audio (out) (rr 85), irq/43-PCIe PME (fifo 50).");
	conditions_judge_priority(c, 50, "PCIe PME", port); /* it is what is measured */
	g_assert_null(strstr(sentence(port, "rt-neighbours"), "PCIe"));
	json_decref(c);
}

static void test_workstation(void)
{
	json_t *c = collect("workstation");
	g_autoptr(GPtrArray) findings = findings_new();
	g_autofree char *all = judge(c, NULL, SCHED_FIFO), *ordinary = judge(c, "0", SCHED_OTHER);
	g_autofree char *first = judge(c, "0", SCHED_FIFO);

	g_assert_true(json_is_false(at(c, "kernel.realtime")));
	/* what it says now stands over what it was told at boot */
	g_assert_cmpstr(text_at(c, "kernel.preemption"), ==, "full");
	g_assert_true(json_is_true(at(c, "kernel.preemption_dynamic")));
	/* rented metal: the firmware's name alone makes no virtual machine, nor does another flag's
	 * name */
	g_assert_true(json_is_null(at(c, "virtualisation.machine")));
	g_assert_cmpstr(text_at(c, "processor.model"), ==,
			"Intel(R) Core(TM) i7-4770 CPU @ 3.40GHz");
	g_assert_cmpint(json_integer_value(at(c, "scheduler.rt_group_runtime_us")), ==, 0);
	g_assert_cmpint(json_integer_value(at(c, "scheduler.fair_server.1.runtime_ns")), ==,
			50000000);
	g_assert_true(json_is_null(at(c, "kernel.machine")));
	g_assert_cmpstr(
		all, ==,
		"not-preempt-rt,debug-kernel,clock-source,fair-server,governor,smt,numa-balancing,"
		"compaction,irqbalance,tracing");
	/* its fair server is off; an ordinary policy has none to fear */
	g_assert_cmpstr(
		first, ==,
		"not-preempt-rt,debug-kernel,clock-source,governor,smt,numa-balancing,compaction,"
		"irqbalance,tracing");
	g_assert_cmpstr(ordinary, ==, first);
	conditions_judge(c, NULL, SCHED_FIFO, findings);
	g_assert_cmpstr(sentence(findings, "debug-kernel"), ==,
			"The kernel has debugging options that cost time: PROVE_LOCKING, KASAN.");
	g_assert_cmpstr(sentence(findings, "governor"), ==,
			"The frequency of CPU 0-1 may change: the governor is powersave.");
	json_decref(c);
}

static void test_guest(void)
{
	json_t *c = collect("guest-old-rt");
	g_autofree char *real = judge(c, NULL, SCHED_RR), *ordinary = judge(c, NULL, SCHED_OTHER);

	g_assert_cmpstr(text_at(c, "kernel.preemption"), ==, "rt");
	g_assert_cmpstr(text_at(c, "virtualisation.machine"), ==, "qemu");
	g_assert_cmpstr(text_at(c, "virtualisation.container"), ==, "lxc");
	g_assert_true(json_is_null(at(c, "kernel.config")));
	g_assert_true(json_is_null(at(c, "kernel.config_hash")));
	g_assert_true(json_is_null(at(c, "tracing.tracer")));
	g_assert_cmpstr(real, ==, "virtual,throttling");
	g_assert_cmpstr(ordinary, ==, "virtual");
	json_decref(c);
}

static void set_counters(json_t *c, json_int_t c6_us, json_int_t smi)
{
	json_t *idle = json_object_get(json_array_get(json_object_get(c, "cpus"), 1), "idle");

	json_object_set_new(json_array_get(idle, 1), "time_us", json_integer(900000 - c6_us));
	json_object_set_new(json_array_get(json_object_get(c, "cpus"), 1), "smi_delta",
			    json_integer(smi));
}

static void test_meanwhile(void)
{
	g_autofree char *root = tree("workstation");
	json_t *c = collect("workstation");
	g_autoptr(GPtrArray) quiet = findings_new(), asleep = findings_new(),
			     allowed = findings_new();
	g_autoptr(GPtrArray) other = findings_new();
	cpu_set_t zero;

	conditions_finish(c, root);
	g_assert_cmpint(json_integer_value(at(c, "cpus.1.idle.1.usage_delta")), ==, 0);
	g_assert_true(json_is_null(at(c, "cpus.1.smi_delta")));
	g_assert_cmpint(json_integer_value(at(c, "meanwhile.duration_ns")), >, 0);
	conditions_judge_meanwhile(c, NULL, 0, quiet);
	g_assert_cmpuint(quiet->len, ==, 0);

	set_counters(c, 800000, 3);
	conditions_finish(c, root);
	g_assert_cmpint(json_integer_value(at(c, "cpus.1.idle.1.time_us_delta")), ==, 800000);
	set_counters(c, 0, 3);
	json_object_set_new(json_object_get(c, "meanwhile"), "duration_ns",
			    json_integer(1000000000));
	conditions_judge_meanwhile(c, NULL, 0, asleep);
	g_assert_cmpstr(sentence(asleep, "smi"), ==,
			"3 system management interrupts came meanwhile.");
	g_assert_cmpstr(
		sentence(asleep, "idle-states"), ==,
		"CPU 1 spent 80 % of the session in idle states that take time to leave although "
		"latency 0 was asked for.");
	conditions_judge_meanwhile(c, NULL, -1, allowed);
	g_assert_null(sentence(allowed, "idle-states"));
	CPU_ZERO(&zero);
	CPU_SET(0, &zero);
	conditions_judge_meanwhile(c, &zero, 0, other);
	g_assert_cmpuint(other->len, ==, 0);
	json_decref(c);
}

/* What is not there is null and no finding; what is nonsense is no crash. */
static void test_nothing(void)
{
	g_autofree char *root = g_dir_make_tmp("lrtbf-test-XXXXXX", NULL);
	g_autofree char *proc = g_build_filename(root, "proc", NULL);
	g_autofree char *stat = g_build_filename(proc, "cpuinfo", NULL);
	json_t *c = conditions_collect(root), *null = json_null(), *empty = json_object();
	g_autofree char *found = judge(c, NULL, SCHED_FIFO), *none = judge(null, NULL, SCHED_FIFO);
	g_autofree char *bare = judge(empty, NULL, SCHED_FIFO);
	g_autoptr(GPtrArray) findings = findings_new();

	g_assert_true(json_is_null(at(c, "kernel.release")));
	conditions_finish(c, root);
	conditions_finish(empty, root);
	conditions_judge_meanwhile(c, NULL, 0, findings);
	conditions_judge_meanwhile(null, NULL, 0, findings);
	conditions_judge_priority(empty, 1, NULL, findings);
	g_assert_cmpuint(findings->len, ==, 0);
	g_assert_cmpstr(bare, ==, "");
	g_assert_cmpstr(none, ==, "");
	g_assert_cmpstr(found, ==, "");
	json_decref(c);
	json_decref(empty);
	/* a fifo in place of a file must not be waited for */
	g_assert_cmpint(mkdir(proc, 0755), ==, 0);
	g_assert_cmpint(mkfifo(stat, 0644), ==, 0);
	json_decref(conditions_collect(root));
	g_assert_cmpint(unlink(stat), ==, 0);
	g_assert_cmpint(rmdir(proc), ==, 0);
	g_assert_cmpint(rmdir(root), ==, 0);
}

/* A table as irqtable_read() makes them, with one thread that a rule has given its value. */
static void test_irqs(void)
{
	static char *action[] = { (char *)"eth0\xff", NULL }, *none[] = { NULL };
	struct irq_thread eth = { .tid = 301, .name = (char *)"irq/16-eth0\xff", .nice = 19 };
	struct irq_thread soft = { .tid = 12, .name = (char *)"ksoftirqd/0" };
	struct irq_line used = { .irq = 16, .actions = action, .affinity = (char *)"0-1" };
	struct irq_line unused = { .irq = 17, .actions = none, .unthreaded = IRQ_UNUSED };
	struct irq_standing standing = { .rule = "plan:x/1" };
	struct irq_table table = { .threaded = true };
	struct irq_listing l = { .table = &table };
	json_t *c = json_object();

	eth.line = &used;
	used.threads = g_ptr_array_new();
	g_ptr_array_add(used.threads, &eth);
	table.lines = g_ptr_array_new();
	g_ptr_array_add(table.lines, &used);
	g_ptr_array_add(table.lines, &unused);
	table.threads = g_ptr_array_new();
	g_ptr_array_add(table.threads, &soft);
	g_ptr_array_add(table.threads, &eth);
	l.standings = g_hash_table_new(NULL, NULL);
	g_hash_table_insert(l.standings, &eth, &standing);

	json_object_set_new(c, "irqs", conditions_irqs(&l));
	g_assert_true(json_is_true(at(c, "irqs.threaded")));
	g_assert_cmpuint(json_array_size(at(c, "irqs.lines")), ==, 1);
	g_assert_cmpstr(text_at(c, "irqs.lines.0.actions.0"), ==, "eth0\xef\xbf\xbd");
	g_assert_cmpstr(text_at(c, "irqs.lines.0.affinity"), ==, "0-1");
	g_assert_true(json_is_null(at(c, "irqs.lines.0.effective")));
	g_assert_true(json_is_null(at(c, "irqs.lines.0.rule")));
	g_assert_cmpstr(text_at(c, "irqs.lines.0.threads.0.policy"), ==, "other");
	g_assert_cmpstr(text_at(c, "irqs.lines.0.threads.0.rule"), ==, "plan:x/1");
	g_assert_cmpint(json_integer_value(at(c, "irqs.lines.0.threads.0.nice")), ==, 19);
	/* the others only: an interrupt's thread is with its line */
	g_assert_cmpuint(json_array_size(at(c, "irqs.threads")), ==, 1);
	g_assert_cmpstr(text_at(c, "irqs.threads.0.name"), ==, "ksoftirqd/0");
	g_assert_true(json_is_null(at(c, "irqs.threads.0.rule")));
	json_decref(c);
	g_hash_table_unref(l.standings);
	g_ptr_array_unref(table.threads);
	g_ptr_array_unref(table.lines);
	g_ptr_array_unref(used.threads);
}

static void test_here(void)
{
	json_t *c = conditions_collect("/");
	g_autoptr(GPtrArray) findings = findings_new();
	char *text;

	g_assert_nonnull(text_at(c, "kernel.release"));
	g_assert_nonnull(text_at(c, "kernel.machine"));
	g_assert_true(json_is_boolean(at(c, "clock.highres")));
	g_assert_cmpuint(json_array_size(at(c, "cpus")), ==, sysconf(_SC_NPROCESSORS_ONLN));
	conditions_finish(c, "/");
	conditions_judge(c, NULL, SCHED_FIFO, findings);
	conditions_judge_priority(c, 80, NULL, findings);
	conditions_judge_meanwhile(c, NULL, 0, findings);
	for (guint i = 0; i < findings->len; i++) {
		const struct finding *f = findings->pdata[i];

		g_test_message("%s: %s", f->kind->id, f->text);
	}
	text = json_dumps(c, JSON_COMPACT);
	g_assert_nonnull(text);
	free(text);
	json_decref(c);
}

int main(int argc, char **argv)
{
	setlocale(LC_ALL, "");
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/conditions/board", test_board);
	g_test_add_func("/conditions/board-threads", test_board_threads);
	g_test_add_func("/conditions/workstation", test_workstation);
	g_test_add_func("/conditions/guest", test_guest);
	g_test_add_func("/conditions/meanwhile", test_meanwhile);
	g_test_add_func("/conditions/nothing", test_nothing);
	g_test_add_func("/conditions/irqs", test_irqs);
	g_test_add_func("/conditions/here", test_here);
	return g_test_run();
}
