/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Kernel threads by name: what each is, and what only looks like one. */
#include <glib.h>
#include <string.h>

#include "kthread.h"

static void check_kind(const char *comm, enum kthread_kind kind, int cpu)
{
	struct kthread_name k;

	kthread_name_parse(comm, &k);
	g_test_message("%s: %s", comm, kthread_kind_to_string(k.kind));
	g_assert_cmpint(k.kind, ==, kind);
	g_assert_cmpint(k.cpu, ==, cpu);
	if (kind != KTHREAD_IRQ) {
		g_assert_cmpint(k.irq, ==, -1);
		g_assert_null(k.rest);
	}
}

static void test_kinds(void)
{
	check_kind("ksoftirqd/0", KTHREAD_KSOFTIRQD, 0);
	check_kind("ksoftirqd/511", KTHREAD_KSOFTIRQD, 511);
	check_kind("ktimers/3", KTHREAD_KTIMERS, 3);
	check_kind("ktimersoftd/1", KTHREAD_KTIMERS, 1);
	check_kind("rcuc/2", KTHREAD_RCU, 2);
	check_kind("rcub/0", KTHREAD_RCU, 0);
	check_kind("rcu_preempt", KTHREAD_RCU, -1);
	check_kind("rcu_sched", KTHREAD_RCU, -1);
	check_kind("rcuog/0", KTHREAD_RCU, 0);
	check_kind("rcuop/7", KTHREAD_RCU, 7);
	check_kind("rcu_exp_par_gp_kthread_worker/0", KTHREAD_RCU, 0);
	check_kind("rcu_exp_par_gp_", KTHREAD_RCU, -1);
	check_kind("irq_work/1", KTHREAD_IRQ_WORK, 1);
	check_kind("backlog_napi/12", KTHREAD_BACKLOG_NAPI, 12);
	check_kind("migration/0", KTHREAD_PROTECTED, 0);
	check_kind("cpuhp/1", KTHREAD_PROTECTED, 1);
	check_kind("watchdog/1", KTHREAD_PROTECTED, 1);
	check_kind("watchdogd", KTHREAD_PROTECTED, -1);
}

static void test_lookalikes(void)
{
	static const char *const others[] = {
		"",
		"irq",
		"irq/",
		"irq/24",
		"irq/-foo",
		"irq/x-foo",
		"irq/2147483648-foo",
		"irq/99999999999999999999-foo",
		" irq/5-foo",
		"IRQ/5-foo",
		"ls ksoftirqd",
		"ksoftirqd",
		"ksoftirqd/",
		"ksoftirqd/0x",
		"ksoftirqd/-1",
		"ksoftirqd/0 ",
		"xksoftirqd/0",
		"ktimersoftd",
		"rcu_preempt2",
		"rcu_tasks_kthread",
		"rcu_gp",
		"irq_work",
		"irq_work/",
		"napi",
		"napi/",
		"napi/eth0",
		"napi/eth0-",
		"napi/eth0-x",
		"napi/-5",
		"migration",
		"kworker/0:0H-events_highpri",
		"kthreadd",
		"watchdogd/0",
	};

	for (guint i = 0; i < G_N_ELEMENTS(others); i++)
		check_kind(others[i], KTHREAD_OTHER, -1);
}

static void check_irq(const char *comm, int irq, bool secondary, const char *rest)
{
	struct kthread_name k;

	kthread_name_parse(comm, &k);
	g_assert_cmpint(k.kind, ==, KTHREAD_IRQ);
	g_assert_cmpint(k.irq, ==, irq);
	g_assert_cmpint(k.secondary, ==, secondary);
	g_assert_cmpstr(k.rest, ==, rest);
	g_assert_true(k.rest >= comm && k.rest <= comm + strlen(comm));
}

static void test_irq(void)
{
	check_irq("irq/24-ACPI:Ged", 24, false, "ACPI:Ged");
	check_irq("irq/0-timer", 0, false, "timer");
	check_irq("irq/43-PCIe PME", 43, false, "PCIe PME");
	check_irq("irq/43-s-aerdrv", 43, true, "aerdrv");
	check_irq("irq/43-s-", 43, true, "");
	check_irq("irq/43-", 43, false, "");
	check_irq("irq/43--", 43, false, "-");
	check_irq("irq/30-a) b (c", 30, false, "a) b (c");
	check_irq("irq/7-\xff\n", 7, false, "\xff\n");
	check_irq("irq/2147483647-x", 2147483647, false, "x");
}

static void check_interface(const char *comm, const char *interface)
{
	struct kthread_name k;

	kthread_name_parse(comm, &k);
	if (!interface) {
		g_assert_cmpint(k.kind, !=, KTHREAD_NAPI);
		return;
	}
	g_assert_cmpint(k.kind, ==, KTHREAD_NAPI);
	g_assert_cmpuint(k.interface_size, ==, strlen(interface));
	g_assert_cmpmem(comm + 5, k.interface_size, interface, strlen(interface));
}

static void test_napi(void)
{
	check_interface("napi/eth0-8193", "eth0");
	check_interface("napi/a-b-1-12", "a-b-1");
	check_interface("napi/enp0s31f6-8193", "enp0s31f6");
	/* cut at 15 characters: within the id, in front of it, in front of its dash, in the name */
	check_interface("napi/enp3s0f0-8", "enp3s0f0");
	check_interface("napi/enp0s31f6-", "enp0s31f6");
	check_interface("napi/enp0s31f60", "enp0s31f60");
	check_interface("napi/wlx00c0ca8", "wlx00c0ca8");
	check_interface("napi/eth0-", NULL);
	check_interface("napi/wlx00c0ca8d1f5", NULL);
}

#define SEVEN "0123456789012345678901234567890123456789012345678"

static void test_runs(void)
{
	g_assert_true(kthread_runs_action("irq/24-ACPI:Ged", "ACPI:Ged"));
	g_assert_true(kthread_runs_action("irq/43-s-aerdrv", "aerdrv"));
	g_assert_true(kthread_runs_action("irq/9-", ""));
	/* cut, and not */
	g_assert_true(kthread_runs_action("irq/184-mlx5_co", "mlx5_comp40@pci:0000:86:00.0"));
	g_assert_true(kthread_runs_action("irq/184-mlx5_comp40@pci:0000", "mlx5_comp40@pci:0000"));
	g_assert_false(
		kthread_runs_action("irq/184-mlx5_comp40@pci:0000", "mlx5_comp40@pci:0000:86"));
	g_assert_false(kthread_runs_action("irq/16-eth", "eth0"));
	g_assert_false(kthread_runs_action("irq/16-eth0", "eth"));
	g_assert_false(kthread_runs_action("irq/184-mlx5_co", "mlx4_core"));
	/* 63 are shown, however many there are */
	g_assert_true(kthread_runs_action("irq/5-" SEVEN "01234567", SEVEN "0123456789"));
	g_assert_true(kthread_runs_action("irq/5-s-" SEVEN "012345", SEVEN "0123456789"));
	g_assert_false(kthread_runs_action("irq/5-" SEVEN "0123456", SEVEN "0123456789"));
	/* an action named as secondary threads are */
	g_assert_true(kthread_runs_action("irq/5-s-video", "s-video"));
	g_assert_true(kthread_runs_action("irq/5-s-video", "video"));
	g_assert_false(kthread_runs_action("irq/5-video", "s-video"));
	g_assert_false(kthread_runs_action("irq_work/0", "irq_work/0"));
	g_assert_false(kthread_runs_action("eth0", "eth0"));
}

static void test_same(void)
{
	g_assert_true(kthread_name_same("irq/5-eth0", "irq/5-eth0"));
	g_assert_true(kthread_name_same("irq/184-mlx5_co", "irq/184-mlx5_comp40@pci"));
	g_assert_true(kthread_name_same("napi/enp0s31f6-8193", "napi/enp0s31f6-"));
	g_assert_true(kthread_name_same("irq/184-mlx5_co", "irq/184-mlx5_co"));
	g_assert_false(kthread_name_same("irq/5-eth0", "irq/5-eth01"));
	g_assert_false(kthread_name_same("irq/184-mlx5_co", "irq/184-mlx5_cx"));
	g_assert_false(kthread_name_same("irq/184-mlx5_co", "irq/184-mlx5_c"));
	g_assert_false(kthread_name_same("irq/184-mlx5_comp1", "irq/184-mlx5_comp2"));
	g_assert_false(kthread_name_same("irq/184-mlx5_cm", "irq/184-mlx5_comp2"));
}

static void test_namable(void)
{
	g_assert_true(kthread_kind_namable(KTHREAD_IRQ));
	g_assert_true(kthread_kind_namable(KTHREAD_BACKLOG_NAPI));
	g_assert_false(kthread_kind_namable(KTHREAD_OTHER));
	g_assert_false(kthread_kind_namable(KTHREAD_PROTECTED));
	g_assert_cmpstr(kthread_kind_to_string(KTHREAD_KTIMERS), ==, "ktimers");
	g_assert_cmpstr(kthread_kind_to_string(KTHREAD_PROTECTED), ==, "protected");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/kthread/kinds", test_kinds);
	g_test_add_func("/kthread/lookalikes", test_lookalikes);
	g_test_add_func("/kthread/irq", test_irq);
	g_test_add_func("/kthread/napi", test_napi);
	g_test_add_func("/kthread/runs", test_runs);
	g_test_add_func("/kthread/same", test_same);
	g_test_add_func("/kthread/namable", test_namable);
	return g_test_run();
}
