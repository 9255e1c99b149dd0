/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why ask after the failure and not before: only the kernel knows all of its rules (capabilities,
 * limits, control groups, admission of deadlines). Once it has said no, what can be read tells
 * which of the usual reasons it is.
 */
#include "rights.h"

#include "policy.h"

#include <errno.h>
#include <glib.h>
#include <linux/capability.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool rights_has(unsigned capability)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = { 0 };

	if (syscall(SYS_capget, &head, data) < 0)
		return false;
	return data[capability / 32].effective & (1u << (capability % 32));
}

static char *rights_realtime_text(const char *what, unsigned priority)
{
	struct rlimit limit = { 0 };

	if (rights_has(CAP_SYS_NICE))
		return g_strdup_printf(
			"%s is refused although CAP_SYS_NICE is there: the control group "
			"of this process has no real-time budget. Give it one "
			"(cpu.rt_runtime_us), or move the process to the root group.",
			what);
	(void)getrlimit(RLIMIT_RTPRIO, &limit); /* 0 if it cannot be read */
	return g_strdup_printf(
		"%s is not permitted: run as root or with CAP_SYS_NICE, raise "
		"RLIMIT_RTPRIO (it is %lu) to at least %u, or measure with policy other.",
		what, (unsigned long)limit.rlim_cur, priority);
}

static char *rights_deadline_text(int error)
{
	if (error == -EPERM && rights_has(CAP_SYS_NICE))
		return g_strdup(
			"Policy deadline is refused for a thread that is pinned to a CPU: switch "
			"admission control off (sysctl kernel.sched_rt_runtime_us=-1), or give the "
			"CPU a root cpuset of its own.");
	if (error == -EPERM)
		return g_strdup(
			"Policy deadline is not permitted: run as root or with CAP_SYS_NICE.");
	if (error == -EBUSY)
		return g_strdup(
			"Policy deadline is refused: the CPUs have not so much time left. Ask for "
			"a smaller runtime or a longer period.");
	return g_strdup_printf("Policy deadline cannot be set: %s.", g_strerror(-error));
}

char *rights_policy_text(int error, const struct order *o, int cpu)
{
	const char *name = policy_to_string(o->policy);
	g_autofree char *what = NULL;

	if (o->policy == SCHED_DEADLINE)
		return rights_deadline_text(error);
	if (policy_is_realtime(o->policy))
		what = g_strdup_printf("Policy %s with priority %u", name, o->priority);
	else
		what = g_strdup_printf("Policy %s with nice %d", name, o->nice);
	if (error == -EPERM && policy_is_realtime(o->policy))
		return rights_realtime_text(what, o->priority + 1);
	if (error == -EPERM || error == -EACCES)
		return g_strdup_printf(
			"%s is not permitted: run as root or with CAP_SYS_NICE, raise "
			"RLIMIT_NICE, or take a nice value of 0.",
			what);
	if (error == -EBADE)
		return g_strdup_printf(
			"%s was set on CPU %d and is not in force: a sandbox or another "
			"program interferes.",
			what, cpu);
	return g_strdup_printf("%s cannot be set on CPU %d: %s.", what, cpu, g_strerror(-error));
}

char *rights_control_text(int error, unsigned priority)
{
	g_autofree char *what =
		g_strdup_printf("Priority %u, for the thread that ends the measurement,", priority);

	if (error == -EPERM)
		return rights_realtime_text(what, priority);
	return g_strdup_printf("%s cannot be set: %s.", what, g_strerror(-error));
}

char *rights_memory_text(int error)
{
	struct rlimit limit = { 0 };

	(void)getrlimit(RLIMIT_MEMLOCK, &limit); /* 0 if it cannot be read */
	if (error == -EPERM || error == -ENOMEM)
		return g_strdup_printf(
			"Locking memory is not permitted: run as root or with CAP_IPC_LOCK, "
			"raise RLIMIT_MEMLOCK (it is %lu KiB), or do without "
			"(lock_memory in the plan, policy other alone).",
			(unsigned long)(limit.rlim_cur / 1024));
	return g_strdup_printf("Memory cannot be locked: %s.", g_strerror(-error));
}
