/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How long a table takes: 4096 interrupts, each with a thread, among 10,000 processes, in a made-up
 * tree; with kthreadd's list of children, and without it, when every process is read. The peer is
 * cat(1) of the files that have to be read for it, once each. And this machine's own table, next to
 * ps(1) of its threads. Best of ten, and the middle. Both CPUs of a small machine are used: what
 * else runs shows.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "irqtable.h"

#define LINES	  4096
#define PROCESSES 10000
#define ROUNDS	  10
#define GOAL_MS	  60.0

static void put(const char *root, const char *text, const char *fmt, ...) G_GNUC_PRINTF(3, 4);
static void put(const char *root, const char *text, const char *fmt, ...)
{
	g_autofree char *name = NULL, *path = NULL, *folder = NULL;
	va_list ap;

	va_start(ap, fmt);
	name = g_strdup_vprintf(fmt, ap);
	va_end(ap);
	path = g_build_filename(root, name, NULL);
	folder = g_path_get_dirname(path);
	if (g_mkdir_with_parents(folder, 0755) < 0 ||
	    !g_file_set_contents_full(path, text, strlen(text), G_FILE_SET_CONTENTS_NONE, 0644,
				      NULL))
		g_error("%s cannot be written", path);
}

static void put_process(const char *root, int tid, const char *comm, bool kernel, int rt)
{
	g_autofree char *stat = g_strdup_printf(
		"%d (%s) S %d 0 0 0 -1 %u 0 0 0 0 12 345 0 0 20 0 1 0 %d 0 0 18446744073709551615 "
		"0 0 0 0 0 0 0 2147483647 0 0 0 0 17 1 %d %d 0 0 0 0 0 0 0 0 0 0 0\n",
		tid, comm, kernel ? 2 : 1, kernel ? 0x208040u : 0x400000u, 100 + tid, rt, rt > 0);
	g_autofree char *status = g_strdup_printf(
		"Name:\t%s\nUmask:\t0000\nState:\tS (sleeping)\nTgid:\t%d\nNgid:\t0\nPid:\t%d\n"
		"PPid:\t2\nTracerPid:\t0\nUid:\t0\t0\t0\t0\nGid:\t0\t0\t0\t0\nFDSize:\t64\n"
		"Threads:\t1\nSigQ:\t0/15446\nSigPnd:\t0000000000000000\nCpus_allowed:\t3\n"
		"Cpus_allowed_list:\t0-1\nMems_allowed_list:\t0\nvoluntary_ctxt_switches:\t2\n",
		comm, tid, tid);

	put(root, stat, "proc/%d/stat", tid);
	if (kernel)
		put(root, status, "proc/%d/status", tid);
}

static void make_tree(const char *root)
{
	g_autoptr(GString) interrupts = g_string_new("            CPU0       CPU1\n");
	g_autoptr(GString) children = g_string_new(NULL);

	put_process(root, 2, "kthreadd", true, 0);
	for (int i = 0; i < LINES; i++) {
		g_autofree char *name = g_strdup_printf("mlx5_comp%d@pci:0000:86:00.0", i);
		g_autofree char *actions = g_strdup_printf("%s\n", name);
		g_autofree char *comm = g_strdup_printf("irq/%d-%s", i, name);
		g_autofree char *hwirq = g_strdup_printf("%d\n", 45613128 + i);

		g_string_append_printf(interrupts, "%4d: %10d %10d  IR-PCI-MSI %d-edge      %s\n",
				       i, i * 3, i, 45613128 + i, name);
		put(root, "0-1\n", "proc/irq/%d/smp_affinity_list", i);
		put(root, "1\n", "proc/irq/%d/effective_affinity_list", i);
		put(root, actions, "sys/kernel/irq/%d/actions", i);
		put(root, "IR-PCI-MSI\n", "sys/kernel/irq/%d/chip_name", i);
		put(root, hwirq, "sys/kernel/irq/%d/hwirq", i);
		put(root, "edge\n", "sys/kernel/irq/%d/type", i);
		put_process(root, 100 + i, comm, true, 50);
		g_string_append_printf(children, "%d ", 100 + i);
	}
	for (int i = LINES; i < PROCESSES; i++)
		put_process(root, 100 + i, "a process", false, 0);
	put(root, interrupts->str, "proc/interrupts");
	put(root, children->str, "proc/2/task/2/children");
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double say(const char *what, double *ms)
{
	qsort(ms, ROUNDS, sizeof(*ms), compare);
	g_print("%s: %.1f ms (median %.1f ms)\n", what, ms[0], ms[ROUNDS / 2]);
	return ms[0];
}

static double time_table(const char *what, const char *root)
{
	double ms[ROUNDS];

	for (int i = 0; i < ROUNDS; i++) {
		gint64 start = g_get_monotonic_time();
		struct irq_table *t = NULL;

		if (irqtable_read(root, &t) < 0)
			g_error("no table in %s", root);
		ms[i] = (g_get_monotonic_time() - start) / 1000.0;
		if (strcmp(root, "/") != 0 && (t->lines->len != LINES || t->threads->len != LINES))
			g_error("not the whole table");
		irqtable_free(t);
	}
	return say(what, ms);
}

static double time_command(const char *what, const char *command)
{
	double ms[ROUNDS];

	for (int i = 0; i < ROUNDS; i++) {
		gint64 start = g_get_monotonic_time();

		if (system(command) != 0)
			g_error("failed: %s", command);
		ms[i] = (g_get_monotonic_time() - start) / 1000.0;
	}
	return say(what, ms);
}

static double time_cat(const char *root, bool walk)
{
	g_autofree char *list = g_build_filename(root, walk ? "walk" : "list", NULL);
	g_autofree char *command = g_strdup_printf(
		"cd %s && { echo proc/interrupts; printf '%%s\\n' proc/irq/*/*_list; "
		"seq -f proc/%%.0f/stat 100 %d; } >%s",
		root, 100 + (walk ? PROCESSES : LINES) - 1, list);

	if (system(command) != 0)
		g_error("failed: %s", command);
	g_free(command);
	command = g_strdup_printf("cd %s && xargs cat <%s >/dev/null", root, list);
	return time_command("  cat of the same files", command);
}

int main(void)
{
	g_autofree char *root = g_dir_make_tmp("lrtbf-bench-XXXXXX", NULL);
	g_autofree char *children = NULL;
	double ms, peer;

	if (!root)
		g_error("no temporary folder");
	make_tree(root);
	ms = time_table("4096 interrupts and threads, 10,000 processes", root);
	peer = time_cat(root, false);
	g_print("  ratio %.2f; goal %.0f ms: %s\n", ms / peer, GOAL_MS,
		ms < GOAL_MS ? "kept" : "NOT kept");
	children = g_build_filename(root, "proc/2/task/2/children", NULL);
	(void)unlink(children); /* the time shows whether it worked */
	ms = time_table("the same without kthreadd's list of children", root);
	peer = time_cat(root, true);
	g_print("  ratio %.2f; goal %.0f ms: %s\n", ms / peer, GOAL_MS,
		ms < GOAL_MS ? "kept" : "NOT kept");
	ms = time_table("this machine", "/");
	peer = time_command("  ps -eLo tid,cls,rtprio,comm",
			    "ps -eLo tid,cls,rtprio,comm >/dev/null");
	g_print("  ratio %.2f\n", ms / peer);
	g_autofree char *command = g_strdup_printf("rm -rf %s", root);
	return system(command) != 0;
}
