/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why the raw system calls: sched_setscheduler() knows no deadline policy, and only
 * sched_getattr(2) reads policy, priority, nice and deadline parameters back in one go. Everything
 * set is read back, because a policy that was set and is not in force (a misspelled one, a sandbox
 * that swallows the call) makes every figure that follows a lie.
 *
 * Two ways of setting, because they differ: sched_setattr(2) describes the whole thread, nice
 * included, and what its caller leaves out is reset; sched_setscheduler(2), which chrt uses,
 * changes policy and priority alone, and the kernel itself carries over nice, slice and clamps,
 * whichever of them it has. Reading them first to pass them on would lose what changes in between,
 * and what only a newer kernel knows. And sched_getattr(2) tells no nice of fifo and rr threads,
 * getpriority(2) does.
 */
#include "policy.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static const struct {
	int policy;
	const char *name;
} policies[] = {
	{ SCHED_OTHER, "other" }, { SCHED_BATCH, "batch" }, { SCHED_IDLE, "idle" },
	{ SCHED_FIFO, "fifo" },	  { SCHED_RR, "rr" },	    { SCHED_DEADLINE, "deadline" },
};

/* SCHED_FLAG_RESET_ON_FORK of linux/sched.h */
#define POLICY_FLAG_RESET_ON_FORK UINT64_C(0x01)

#define N_POLICIES (sizeof(policies) / sizeof(*policies))

const char *policy_to_string(int policy)
{
	for (size_t i = 0; i < N_POLICIES; i++)
		if (policies[i].policy == policy)
			return policies[i].name;
	return NULL;
}

int policy_from_string(const char *name)
{
	for (size_t i = 0; i < N_POLICIES; i++)
		if (strcmp(policies[i].name, name) == 0)
			return policies[i].policy;
	return -EINVAL;
}

bool policy_is_realtime(int policy)
{
	return policy == SCHED_FIFO || policy == SCHED_RR;
}

bool policy_is_ordinary(int policy)
{
	return policy == SCHED_OTHER || policy == SCHED_BATCH || policy == SCHED_IDLE;
}

int policy_get(pid_t tid, struct policy_attr *ret)
{
	struct policy_attr a = { 0 };

	if (syscall(SYS_sched_getattr, tid, &a, sizeof(a), 0) < 0)
		return -errno;
	*ret = a;
	return 0;
}

/* Only what the policy uses: the kernel reads the rest back as it likes. */
static bool policy_attr_equal(const struct policy_attr *a, const struct policy_attr *b)
{
	if (a->policy != b->policy)
		return false;
	if (policy_is_realtime(a->policy))
		return a->priority == b->priority;
	if (a->policy == SCHED_DEADLINE)
		return a->runtime_ns == b->runtime_ns && a->deadline_ns == b->deadline_ns &&
		       a->period_ns == b->period_ns;
	return a->nice == b->nice;
}

int policy_set(pid_t tid, const struct policy_attr *a)
{
	struct policy_attr set = *a, got;
	int r;

	set.size = sizeof(set);
	/* the slice of other and batch (6.12) shares the field: leave it at the kernel's own */
	if (set.policy != SCHED_DEADLINE)
		set.runtime_ns = set.deadline_ns = set.period_ns = 0;
	if (!policy_is_realtime(set.policy))
		set.priority = 0;
	if (syscall(SYS_sched_setattr, tid, &set, 0) < 0)
		return -errno;
	/* the kernel takes the nice of other and batch from there, that of idle not */
	if (set.policy == SCHED_IDLE && setpriority(PRIO_PROCESS, (id_t)tid, set.nice) < 0)
		return -errno;
	r = policy_get(tid, &got);
	if (r < 0)
		return r;
	return policy_attr_equal(&set, &got) ? 0 : -EBADE;
}

int policy_read(pid_t tid, struct policy_state *ret)
{
	struct policy_attr a;
	int r, nice;

	r = policy_get(tid, &a);
	if (r < 0)
		return r;
	errno = 0;
	nice = getpriority(PRIO_PROCESS, (id_t)tid);
	if (nice == -1 && errno != 0)
		return -errno;
	*ret = (struct policy_state){
		.policy = (int)a.policy,
		.priority = policy_is_realtime((int)a.policy) ? a.priority : 0,
		.reset_on_fork = a.flags & POLICY_FLAG_RESET_ON_FORK,
		.nice = nice,
	};
	return 0;
}

/* After a change. Who is there and cannot be read may well have it: no error of the change. */
static int policy_read_back(pid_t tid, struct policy_state *ret)
{
	int r = policy_read(tid, ret);

	return r < 0 && r != -ESRCH ? -EBADE : r;
}

int policy_change(pid_t tid, int policy, unsigned priority, bool reset_on_fork)
{
	struct sched_param param = { .sched_priority = (int)priority };
	struct policy_state got;
	int r;

	/* the kernel checks the rest, and knows more policies than we have names for */
	if (policy < 0 || (policy & SCHED_RESET_ON_FORK) || policy == SCHED_DEADLINE ||
	    priority > 99)
		return -EINVAL;
	if (syscall(SYS_sched_setscheduler, tid, policy | (reset_on_fork ? SCHED_RESET_ON_FORK : 0),
		    &param) < 0)
		return -errno;
	r = policy_read_back(tid, &got);
	if (r < 0)
		return r;
	return got.policy == policy && got.priority == priority &&
			       got.reset_on_fork == reset_on_fork
		       ? 0
		       : -EBADE;
}

int policy_renice(pid_t tid, int nice)
{
	struct policy_state got;
	int r;

	if (nice < -20 || nice > 19)
		return -EINVAL;
	if (setpriority(PRIO_PROCESS, (id_t)tid, nice) < 0)
		return -errno;
	r = policy_read_back(tid, &got);
	if (r < 0)
		return r;
	return got.nice == nice ? 0 : -EBADE;
}
