/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why a process and not a look at limits and capabilities: whether a policy is permitted depends on
 * RLIMIT_RTPRIO, CAP_SYS_NICE, the cgroup's real-time budget, the root domain and admission
 * control, and a seccomp filter may have the last word. Limits are looked at afterwards, only to
 * find the sentence for a refusal that has happened.
 *
 * The forked child makes system calls and nothing else: the daemon has a second thread.
 */
#include "probe.h"

#include "policy.h"
#include "region.h"

#include <errno.h>
#include <glib.h>
#include <linux/capability.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static bool probe_capable(unsigned cap)
{
	struct __user_cap_header_struct h = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct d[2] = { { 0 }, { 0 } };

	if (syscall(SYS_capget, &h, d) < 0)
		return false;
	return d[cap / 32].effective & (1u << (cap % 32));
}

/* A measuring thread is pinned first and gets its policy then; so is this. */
static int probe_try(const struct policy_attr *a, const cpu_set_t *one)
{
	if (a->policy == SCHED_DEADLINE && sched_setaffinity(0, sizeof(*one), one) < 0)
		return errno;
	if (syscall(SYS_sched_setattr, 0, a, 0) < 0)
		return errno;
	return 0;
}

static int probe_fork(const struct policy_attr *a, const cpu_set_t *one)
{
	int status;
	pid_t pid;

	pid = fork();
	if (pid < 0)
		return -errno;
	if (pid == 0)
		_exit(probe_try(a, one));
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return WIFEXITED(status) ? -WEXITSTATUS(status) : -EPERM;
}

/* @a: of the thread that ends the measurement; sentences name the priority that was asked for. */
static char *probe_refusal(const struct policy_attr *a, int err)
{
	const char *policy = policy_to_string((int)a->policy);
	struct rlimit limit = { 0 };

	if (a->policy == SCHED_DEADLINE)
		return g_strdup_printf(
			"A pinned thread with policy deadline is refused by the kernel (%s): give "
			"its "
			"CPUs a root domain of their own (cpuset partition), or switch admission "
			"control off (sysctl kernel.sched_rt_runtime_us=-1).",
			g_strerror(err));
	if (!policy_is_realtime((int)a->policy))
		return g_strdup_printf(
			"Policy %s with nice %d is not permitted: lrtbfd has no "
			"CAP_SYS_NICE, and RLIMIT_NICE forbids it. Run it as root or "
			"leave nice out of the plan.",
			policy, a->nice);
	(void)getrlimit(RLIMIT_RTPRIO, &limit);
	if (probe_capable(CAP_SYS_NICE) || limit.rlim_cur >= a->priority)
		return g_strdup_printf(
			"Policy %s with priority %u is not permitted although limits allow it: the "
			"cgroup of lrtbfd has no real-time budget. Give it one "
			"(cpu.rt_runtime_us), or "
			"move lrtbfd to the root group.",
			policy, a->priority - 1);
	return g_strdup_printf(
		"Policy %s with priority %u is not permitted: lrtbfd has no "
		"CAP_SYS_NICE and RLIMIT_RTPRIO is %llu. Run it as root or with "
		"CAP_SYS_NICE, or raise the limit to %u, one for the thread that ends the "
		"measurement (LimitRTPRIO=, /etc/security/limits.conf).",
		policy, a->priority - 1, (unsigned long long)limit.rlim_cur, a->priority);
}

static void probe_attr(const struct order *o, struct policy_attr *ret)
{
	*ret = (struct policy_attr){
		.size = sizeof(*ret),
		.policy = o->policy,
		.nice = o->nice,
	};
	if (policy_is_realtime((int)o->policy))
		ret->priority = o->priority + 1;
	if (o->policy == SCHED_DEADLINE) {
		ret->runtime_ns = o->dl_runtime_ns;
		ret->deadline_ns = o->dl_deadline_ns;
		ret->period_ns = o->dl_period_ns;
	}
}

int probe_policy(const struct order *o, char **ret_message)
{
	struct policy_attr a;
	cpu_set_t one;
	int r;

	probe_attr(o, &a);
	if (policy_is_ordinary((int)a.policy) && a.nice >= 0)
		return 0; /* never refused */
	CPU_ZERO(&one);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &o->cpus))
			continue;
		CPU_SET(cpu, &one);
		break;
	}
	r = probe_fork(&a, &one);
	if (r == 0)
		return 0;
	if (r == -EPERM || r == -EACCES || (r == -EBUSY && o->policy == SCHED_DEADLINE)) {
		*ret_message = probe_refusal(&a, -r);
		return -EPERM;
	}
	*ret_message = g_strdup_printf("Whether policy %s is permitted cannot be found out: %s.",
				       policy_to_string((int)o->policy), g_strerror(-r));
	return r;
}

/*
 * A lower bound: the region and a thread's stack for each CPU. What the C library adds is known to
 * the measurement alone, which says so itself when the limit falls in between.
 */
int probe_memory(const struct order *o, char **ret_message)
{
	unsigned n = (unsigned)CPU_COUNT(&o->cpus);
	size_t need = region_size(n) + n * 64 * 1024;
	struct rlimit limit = { 0 };

	if (!o->lock_memory || probe_capable(CAP_IPC_LOCK))
		return 0;
	if (policy_is_ordinary((int)o->policy))
		return 0; /* tried, and warned about */
	if (getrlimit(RLIMIT_MEMLOCK, &limit) < 0 || limit.rlim_cur >= need)
		return 0;
	*ret_message = g_strdup_printf("Memory cannot be locked: lrtbfd has no CAP_IPC_LOCK, and "
				       "RLIMIT_MEMLOCK is %llu bytes "
				       "where at least %zu are needed. Raise the limit "
				       "(LimitMEMLOCK=), or say lock_memory = "
				       "false in the plan.",
				       (unsigned long long)limit.rlim_cur, need);
	return -EPERM;
}
