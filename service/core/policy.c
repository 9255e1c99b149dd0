/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why the raw system calls: sched_setscheduler() knows no deadline policy, and only
 * sched_getattr(2) reads policy, priority, nice and deadline parameters back in one go. Everything
 * set is read back, because a policy that was set and is not in force (a misspelled one, a sandbox
 * that swallows the call) makes every figure that follows a lie.
 */
#include "policy.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static const struct {
	int policy;
	const char *name;
} policies[] = {
	{ SCHED_OTHER, "other" }, { SCHED_BATCH, "batch" }, { SCHED_IDLE, "idle" },
	{ SCHED_FIFO, "fifo" },	  { SCHED_RR, "rr" },	    { SCHED_DEADLINE, "deadline" },
};

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
	r = policy_get(tid, &got);
	if (r < 0)
		return r;
	return policy_attr_equal(&set, &got) ? 0 : -EBADE;
}
