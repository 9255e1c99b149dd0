/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parsers of /proc and of the kernel's other texts. */
#include <errno.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "kconfig.h"
#include "preemption.h"
#include "proc-counters.h"
#include "proc-cpuinfo.h"
#include "proc-interrupts.h"
#include "proc-locks.h"
#include "proc-pid.h"

static char *real(const char *path, gsize *ret_size)
{
	char *text;

	g_assert_true(g_file_get_contents(path, &text, ret_size, NULL));
	return text;
}

static struct proc_interrupts *fixture(const char *name)
{
	g_autofree char *path = g_build_filename(g_getenv("FIXTURES"), "interrupts", name, NULL);
	struct proc_interrupts *t = NULL;
	gsize size;
	g_autofree char *text = real(path, &size);

	g_assert_cmpint(proc_interrupts_parse(text, size, &t), ==, 0);
	return t;
}

static void check_irq(const struct proc_interrupts *t, const char *name, const char *actions,
		      guint n, const uint64_t *counts)
{
	const struct proc_irq *irq = proc_interrupts_find(t, name);

	g_assert_nonnull(irq);
	g_assert_cmpstr(irq->actions, ==, actions);
	g_assert_cmpuint(irq->n_counts, ==, n);
	for (guint i = 0; i < n; i++)
		g_assert_cmpuint(irq->counts[i], ==, counts[i]);
}

#define CHECK_IRQ(t, name, actions, ...)                                                           \
	check_irq(t, name, actions, G_N_ELEMENTS(((uint64_t[]){ __VA_ARGS__ })),                   \
		  (uint64_t[]){ __VA_ARGS__ })

static void test_interrupts_names(void)
{
	struct proc_interrupts *t = fixture("arm64-pcie-names-with-spaces");

	g_assert_cmpuint(t->n_cpus, ==, 4);
	CHECK_IRQ(t, "43", "PCIe PME, aerdrv, pciehp", 1, 0, 0, 0);
	CHECK_IRQ(t, "IPI0", "Rescheduling interrupts", 1024, 2048, 12, 99);
	CHECK_IRQ(t, "Err", "", 0);
	g_assert_true(proc_interrupts_find(t, "43")->device);
	g_assert_false(proc_interrupts_find(t, "IPI0")->device);
	g_assert_true(proc_interrupts_find(t, "Err")->total);
	proc_interrupts_free(t);

	t = fixture("mlx5-names");
	CHECK_IRQ(t, "184", "mlx5_comp40@pci:0000:86:00.0", 7, 0);
	CHECK_IRQ(t, "185", "iwlwifi:queue_12", 1, 1);
	proc_interrupts_free(t);

	t = fixture("dma-controller-chan");
	CHECK_IRQ(t, "274", "485c0100.dma-controller chan6", 0, 3);
	proc_interrupts_free(t);

	t = fixture("comm-with-parenthesis");
	CHECK_IRQ(t, "30", "a) b (c", 0, 0);
	proc_interrupts_free(t);

	t = fixture("shared-line");
	CHECK_IRQ(t, "16", "ehci_hcd:usb1, eth0", 10, 0);
	proc_interrupts_free(t);

	t = fixture("not-irq-threads");
	CHECK_IRQ(t, "9", "acpi", 0, 0);
	proc_interrupts_free(t);
}

static void test_interrupts_odd(void)
{
	struct proc_interrupts *t = fixture("totals-and-missing");

	g_assert_cmpuint(t->n_cpus, ==, 2);
	g_assert_cmpint(t->cpus[1], ==, 2);
	CHECK_IRQ(t, "0", "timer", 42, 0);
	CHECK_IRQ(t, "7", "", 3, 0);
	CHECK_IRQ(t, "30", "9p button, spare", 5, 2);
	CHECK_IRQ(t, "40", "eth0-tx:rx 0", 4294967295, 7);
	CHECK_IRQ(t, "ERR", "", 12345678901);
	g_assert_null(proc_interrupts_find(t, "31"));
	proc_interrupts_free(t);

	t = fixture("sparse-cpus");
	g_assert_cmpint(t->cpus[2], ==, 3);
	CHECK_IRQ(t, "7", "parport0", 0, 5, 1);
	proc_interrupts_free(t);
}

static struct proc_interrupts *table(const char *text)
{
	struct proc_interrupts *t = NULL;

	g_assert_cmpint(proc_interrupts_parse(text, strlen(text), &t), ==, 0);
	return t;
}

static void test_interrupts_glued(void)
{
	struct proc_interrupts *t = fixture("glued-counts");

	CHECK_IRQ(t, "11", "arch_timer", 4294967295, 3221225472);
	CHECK_IRQ(t, "IPI0", "Rescheduling interrupts", 1145401553, 3287008667);
	CHECK_IRQ(t, "MIS", "", 0);
	proc_interrupts_free(t);

	/* the first one may be short */
	t = table("  CPU0 CPU1 CPU2 CPU3\n"
		  "IPI0:       12429496729542949672964294967295  Some interrupts\n"
		  "IPI1:         7 42949672954294967296         1  Others\n");
	CHECK_IRQ(t, "IPI0", "Some interrupts", 12, 4294967295, 4294967296, 4294967295);
	CHECK_IRQ(t, "IPI1", "Others", 7, 4294967295, 4294967296, 1);
	proc_interrupts_free(t);
}

static void test_interrupts_delta(void)
{
	struct proc_interrupts *a = table("     CPU0 CPU1 CPU2\n"
					  " 1:   10   20   30  chip 1-edge  dev\n"
					  " 2:   4294967290  0  0  chip 2-edge  wraps\n"
					  " 3:   100  0  0  chip 3-edge  made anew\n"
					  " 5:   1  1  1  chip 5-edge  goes\n"
					  "ERR: 7\n");
	/* CPU1 went offline, CPU3 came */
	struct proc_interrupts *b = table("     CPU0 CPU2 CPU3\n"
					  " 1:   15   31  900  chip 1-edge  dev\n"
					  " 2:   4  0  0  chip 2-edge  wraps\n"
					  " 3:   50  0  0  chip 3-edge  made anew\n"
					  " 4:   3  4  5  chip 4-edge  new\n"
					  "ERR: 9\n");
	struct proc_interrupts *c = table("     CPU2 CPU4 CPU0\n"
					  " 1:   31  900  15  chip 1-edge  dev\n");
	uint64_t delta = 0;

	g_assert_true(proc_interrupts_delta(a, b, "1", &delta));
	g_assert_cmpuint(delta, ==, 6);
	g_assert_true(proc_interrupts_delta(a, b, "2", &delta));
	g_assert_cmpuint(delta, ==, 10);
	g_assert_false(proc_interrupts_delta(a, b, "3", &delta));
	g_assert_true(proc_interrupts_delta(a, b, "4", &delta));
	g_assert_cmpuint(delta, ==, 12);
	g_assert_false(proc_interrupts_delta(a, b, "5", &delta));
	g_assert_true(proc_interrupts_delta(a, b, "ERR", &delta));
	g_assert_cmpuint(delta, ==, 2);
	g_assert_true(proc_interrupts_delta(a, c, "1", &delta));
	g_assert_cmpuint(delta, ==, 6);
	proc_interrupts_free(a);
	proc_interrupts_free(b);
	proc_interrupts_free(c);
}

static void test_interrupts_bad(void)
{
	static const char *const bad[] = { "",
					   "\n",
					   "CPU\n",
					   "CPU0 CPUx\n",
					   "CPU0x\n",
					   "  1: 2 3\n",
					   "CPU99999999999999999999\n" };
	struct proc_interrupts *t = NULL;

	for (guint i = 0; i < G_N_ELEMENTS(bad); i++)
		g_assert_cmpint(proc_interrupts_parse(bad[i], strlen(bad[i]), &t), ==, -EBADMSG);
	t = table("CPU0\nnonsense\n : 3\n 4 5: 6\n");
	g_assert_cmpuint(t->lines->len, ==, 0);
	proc_interrupts_free(t);
}

static void test_stat(void)
{
	static const char text[] = "cpu  10 1 20 300 4 5 6 7 8 9\n"
				   "cpu0 1 1 1 1\n"
				   "intr 12345 1 2 3\n"
				   "ctxt 18446744073709551615\n"
				   "btime 1\nprocesses 77\n";
	static const char *const bad[] = {
		"", "cpu 1 2 3 4\nintr 1\nctxt 2\n", "cpu 1 2 3\nintr 1\nctxt 2\nprocesses 3\n",
		"cpu 1 2 3 4\nintr x\nctxt 2\nprocesses 3\n",
		"cpu 1 2 3 4\nintr 1\nctxt 18446744073709551616\nprocesses 3\n"
	};
	struct proc_stat s = { 0 };

	g_assert_cmpint(proc_stat_parse(text, strlen(text), &s), ==, 0);
	g_assert_cmpuint(s.context_switches, ==, G_MAXUINT64);
	g_assert_cmpuint(s.forks, ==, 77);
	g_assert_cmpuint(s.interrupts, ==, 12345);
	g_assert_cmpuint(s.total_ticks, ==, 353);
	g_assert_cmpuint(s.steal_ticks, ==, 7);
	for (guint i = 0; i < G_N_ELEMENTS(bad); i++)
		g_assert_cmpint(proc_stat_parse(bad[i], strlen(bad[i]), &s), ==, -EBADMSG);
}

static void test_vmstat(void)
{
	static const char text[] =
		"nr_free_pages 1\nnr_dirtied 10\nnr_dirtied_more 3\npgpgin 20\npgpgout 30\n";
	struct proc_vmstat v = { 0 };

	g_assert_cmpint(proc_vmstat_parse(text, strlen(text), &v), ==, 0);
	g_assert_cmpuint(v.dirtied_pages, ==, 10);
	g_assert_cmpuint(v.read_kib, ==, 20);
	g_assert_cmpuint(v.written_kib, ==, 30);
	g_assert_cmpint(proc_vmstat_parse(text, 40, &v), ==, -EBADMSG);
}

static void test_net_dev(void)
{
	static const char text[] = "Inter-|   Receive |  Transmit\n"
				   " face |bytes    packets errs|bytes\n"
				   "    lo:    3867      41    0 0\n"
				   "eth0:1:12345678901 18446744073709551615 0 0\n"
				   "wlan0:7 8\n";
	g_autoptr(GArray) devices = NULL;
	const struct proc_netdev *d;

	g_assert_cmpint(proc_net_dev_parse(text, strlen(text), &devices), ==, 0);
	g_assert_cmpuint(devices->len, ==, 3);
	d = &g_array_index(devices, struct proc_netdev, 0);
	g_assert_cmpstr(d[0].name, ==, "lo");
	g_assert_cmpuint(d[0].received, ==, 41);
	g_assert_cmpstr(d[1].name, ==, "eth0:1");
	g_assert_cmpuint(d[1].received, ==, G_MAXUINT64);
	g_assert_cmpstr(d[2].name, ==, "wlan0");
	g_assert_cmpuint(d[2].received, ==, 8);
	g_clear_pointer(&devices, g_array_unref);
	g_assert_cmpint(proc_net_dev_parse("lo: 1 2\n", 8, &devices), ==, -EBADMSG);
}

static void test_counter_delta(void)
{
	uint64_t d = 0;

	g_assert_true(proc_counter_delta(5, 5, &d));
	g_assert_cmpuint(d, ==, 0);
	g_assert_true(proc_counter_delta(4294967295, 4, &d));
	g_assert_cmpuint(d, ==, 5);
	g_assert_false(proc_counter_delta(100, 50, &d));
	g_assert_false(proc_counter_delta(4294967296, 1, &d));
	g_assert_true(proc_counter_delta(1, G_MAXUINT64, &d));
	g_assert_cmpuint(d, ==, G_MAXUINT64 - 1);
}

/* Fields 5 to 40. */
#define PID_FIELDS_36                                                                              \
	"2 2 0 -1 69238848 0 0 0 0 0 0 0 0 20 0 1 0 26 0 0 1 1 1 1 1 1 1 1 1 1 0 0 0 17 1 0"

static void test_pid_stat(void)
{
	static const char odd[] =
		"42 (a) b (c) S 2 3 4 0 -1 2129984 0 0 0 0 0 0 0 0 -51 0 1 0 26 0 0 "
		"18446744073709551615 0 0 0 0 0 0 0 2147483647 0 0 0 0 17 3 50 1 0 0 0\n";
	static const char *const bad[] = {
		"", "42", "42 (a", "42 a) S 1", "x (a) S 1 2 3", "42 (a) S 1 2 3", "-1 (a) S 1",
		/* a field too few; a number of 65 bits; one that is none; two blanks; no state */
		"42 (a) S " PID_FIELDS_36 " 50",
		"42 (a) S 18446744073709551616 " PID_FIELDS_36 " 1",
		"42 (a) S 2x " PID_FIELDS_36 " 1", "42 (a) S  2 " PID_FIELDS_36 " 1",
		"42 (a)  2 " PID_FIELDS_36 " 1", "42 (a) S 2 " PID_FIELDS_36 " -1",
		"42 (a) S -9223372036854775809 " PID_FIELDS_36 " 1"
	};
	static const char whole[] = "42 (a) S 2 " PID_FIELDS_36 " 1";
	struct proc_pid_stat p = { 0 };
	g_autofree char *text = NULL;
	gsize size;

	g_assert_cmpint(proc_pid_stat_parse(odd, strlen(odd), &p), ==, 0);
	g_assert_cmpint(p.pid, ==, 42);
	g_assert_cmpstr(p.comm, ==, "a) b (c");
	g_assert_cmpint(p.state, ==, 'S');
	g_assert_cmpint(p.ppid, ==, 2);
	g_assert_cmpint(p.session, ==, 4);
	g_assert_cmpuint(p.flags & PROC_PF_KTHREAD, !=, 0);
	g_assert_cmpint(p.cpu, ==, 3);
	g_assert_cmpuint(p.rt_prio, ==, 50);
	g_assert_cmpint(p.policy, ==, 1);
	g_assert_cmpuint(p.start_ticks, ==, 26);
	g_assert_cmpint(proc_pid_stat_parse(whole, strlen(whole), &p), ==, 0);
	g_assert_cmpuint(p.flags & PROC_PF_NO_SETAFFINITY, !=, 0);
	for (guint i = 0; i < G_N_ELEMENTS(bad); i++)
		g_assert_cmpint(proc_pid_stat_parse(bad[i], strlen(bad[i]), &p), ==, -EBADMSG);
	/* bytes behind the size are not looked at */
	g_assert_cmpint(proc_pid_stat_parse(whole, strlen(whole) - 1, &p), ==, -EBADMSG);
	g_assert_cmpint(
		proc_pid_stat_parse("42 (a\0b) S 2 " PID_FIELDS_36 " 1", strlen(whole) + 2, &p), ==,
		-EBADMSG);
	text = real("/proc/self/stat", &size);
	g_assert_cmpint(proc_pid_stat_parse(text, size, &p), ==, 0);
	g_assert_cmpint(p.pid, ==, getpid());
	g_assert_cmpint(p.ppid, ==, getppid());
}

/* The files of the machine the test runs on, whatever it is. */
static void test_here(void)
{
	g_autofree char *stat = NULL, *vmstat = NULL, *net = NULL, *interrupts = NULL;
	g_autoptr(GArray) devices = NULL;
	struct proc_interrupts *t = NULL;
	struct proc_vmstat v;
	struct proc_stat s;
	gsize size;

	stat = real("/proc/stat", &size);
	g_assert_cmpint(proc_stat_parse(stat, size, &s), ==, 0);
	g_assert_cmpuint(s.context_switches, >, 0);
	vmstat = real("/proc/vmstat", &size);
	g_assert_cmpint(proc_vmstat_parse(vmstat, size, &v), ==, 0);
	net = real("/proc/net/dev", &size);
	g_assert_cmpint(proc_net_dev_parse(net, size, &devices), ==, 0);
	interrupts = real("/proc/interrupts", &size);
	g_assert_cmpint(proc_interrupts_parse(interrupts, size, &t), ==, 0);
	g_assert_cmpuint(t->n_cpus, ==, sysconf(_SC_NPROCESSORS_ONLN));
	proc_interrupts_free(t);
}

static void test_cpuinfo(void)
{
	static const char text[] =
		"processor\t: 0\nvendor_id\t: GenuineIntel\nmodel name\t: A: B\n"
		"flags\t\t: fpu nohypervisor\n\nprocessor\t: 1\nmodel name\t: C\n";
	struct proc_cpuinfo c;

	proc_cpuinfo_parse(text, strlen(text), &c);
	g_assert_cmpstr(c.model, ==, "A: B");
	g_assert_cmpstr(c.vendor, ==, "GenuineIntel");
	g_assert_null(c.microcode);
	g_assert_true(c.has_flags);
	g_assert_false(c.hypervisor);
	proc_cpuinfo_done(&c);
	proc_cpuinfo_parse("flags : a hypervisor", 20, &c);
	g_assert_true(c.hypervisor);
	proc_cpuinfo_done(&c);
	proc_cpuinfo_parse("Hardware\t: BCM2835\n", 19, &c);
	g_assert_cmpstr(c.model, ==, "BCM2835");
	g_assert_false(c.has_flags);
	proc_cpuinfo_done(&c);
}

static void test_preemption(void)
{
	static const struct {
		const char *version;
		enum preemption is;
		bool dynamic;
	} cases[] = {
		{ "#1 SMP PREEMPT RT Debian 4.19.304-1", PREEMPTION_RT, false },
		{ "#3 SMP PREEMPT_RT Tue May 7", PREEMPTION_RT, false },
		{ "#1 SMP PREEMPT_DYNAMIC @0", PREEMPTION_UNKNOWN, true },
		{ "#1 SMP PREEMPT_DYNAMIC PREEMPT_RT x", PREEMPTION_RT, false },
		{ "#1 SMP PREEMPT Thu", PREEMPTION_FULL, false },
		{ "#1 SMP PREEMPT_LAZY Thu", PREEMPTION_LAZY, false },
		{ "#1 SMP Thu Jan 1", PREEMPTION_UNKNOWN, false },
		{ "#1 SMP NOT_PREEMPT_RT RT", PREEMPTION_UNKNOWN, false },
		{ "", PREEMPTION_UNKNOWN, false },
	};

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		bool dynamic = false;
		enum preemption p = preemption_from_version(cases[i].version, &dynamic);

		g_assert_cmpint(p, ==, cases[i].is);
		if (p != PREEMPTION_RT)
			g_assert_cmpint(dynamic, ==, cases[i].dynamic);
	}
	g_assert_cmpint(preemption_from_debugfs("none (voluntary) full"), ==, PREEMPTION_VOLUNTARY);
	g_assert_cmpint(preemption_from_debugfs("none voluntary full (lazy)"), ==, PREEMPTION_LAZY);
	g_assert_cmpint(preemption_from_debugfs(")("), ==, PREEMPTION_UNKNOWN);
	g_assert_cmpint(preemption_from_command_line("a preempt=none preempt=full"), ==,
			PREEMPTION_FULL);
	g_assert_cmpint(preemption_from_command_line("a -- preempt=full"), ==, PREEMPTION_UNKNOWN);
	g_assert_cmpstr(preemption_to_string(PREEMPTION_RT), ==, "rt");
	g_assert_null(preemption_to_string(PREEMPTION_UNKNOWN));
}

static void test_kconfig(void)
{
	static const char text[] =
		"# CONFIG_A is not set\nCONFIG_B=y\nCONFIG_HZ=250\nCONFIG_=x\nCONFIG_C\n"
		"CONFIG_S=\"a=b\"\r\nCONFIG_LAST=m";
	g_autoptr(GHashTable) o = kconfig_parse(text, strlen(text));

	g_assert_cmpuint(g_hash_table_size(o), ==, 4);
	g_assert_cmpstr(g_hash_table_lookup(o, "B"), ==, "y");
	g_assert_cmpstr(g_hash_table_lookup(o, "HZ"), ==, "250");
	g_assert_cmpstr(g_hash_table_lookup(o, "S"), ==, "\"a=b\"");
	g_assert_cmpstr(g_hash_table_lookup(o, "LAST"), ==, "m");
}

static void test_locks(void)
{
	static const char text[] = "1: -> FLOCK  ADVISORY  WRITE 5 fe:00:1096 0 EOF\n"
				   "2: POSIX  ADVISORY  WRITE 6 fe:00:1096 0 EOF\n"
				   "3: FLOCK  ADVISORY  WRITE 7 fe:00:10961 0 EOF\n"
				   "4: FLOCK  ADVISORY  WRITE 8 fe:00:1096 0 EOF\n";
	size_t n = sizeof(text) - 1;

	g_assert_cmpint(proc_locks_holder(text, n, makedev(0xfe, 0), 1096), ==, 8);
	g_assert_cmpint(proc_locks_holder(text, n, makedev(0xfe, 0), 10961), ==, 7);
	g_assert_cmpint(proc_locks_holder(text, n, makedev(0xfd, 0), 1096), ==, 0);
	g_assert_cmpint(proc_locks_holder(text, n - 7, makedev(0xfe, 0), 1096), ==, 0);
	g_assert_cmpint(proc_locks_holder("", 0, 0, 0), ==, 0);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/proc/locks", test_locks);
	g_test_add_func("/proc/interrupts/names", test_interrupts_names);
	g_test_add_func("/proc/interrupts/glued", test_interrupts_glued);
	g_test_add_func("/proc/interrupts/odd", test_interrupts_odd);
	g_test_add_func("/proc/interrupts/delta", test_interrupts_delta);
	g_test_add_func("/proc/interrupts/bad", test_interrupts_bad);
	g_test_add_func("/proc/stat", test_stat);
	g_test_add_func("/proc/vmstat", test_vmstat);
	g_test_add_func("/proc/net-dev", test_net_dev);
	g_test_add_func("/proc/counter-delta", test_counter_delta);
	g_test_add_func("/proc/pid-stat", test_pid_stat);
	g_test_add_func("/proc/here", test_here);
	g_test_add_func("/proc/cpuinfo", test_cpuinfo);
	g_test_add_func("/proc/preemption", test_preemption);
	g_test_add_func("/proc/kconfig", test_kconfig);
	return g_test_run();
}
