/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why /proc and the system calls both: the calls take a number and ask nobody whose it is, and only
 * /proc knows what makes a thread this one: its start time, and that it is the kernel's. So it is
 * asked before a call and after it, and what the calls tell is compared with what /proc tells: in a
 * namespace with somebody else's /proc the same number is two threads, and nothing is set there.
 *
 * Reading needs the question only afterwards: a thread that has the right start time then had the
 * number all the while. Setting asks before as well, because it must never touch another.
 *
 * Threads that nobody may touch are refused here too, whatever the caller's table said: it may be
 * older than the thread's policy.
 */
#include "tuning.h"

#include "cleanup.h"
#include "cpulist.h"
#include "lineaffinity.h"
#include "message.h"
#include "policy.h"
#include "proc-pid.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#define PROC		    "/proc"
#define STAT_MAX	    4096
#define TUNING_DISAGREE_MAX 5 /* a change between two readings is no disagreement */

static int tuning_read_stat(pid_t tid, struct proc_pid_stat *ret)
{
	g_autofree char *path = g_strdup_printf(PROC "/%d/stat", tid);
	g_auto(fd_t) fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	char text[STAT_MAX];
	ssize_t n;

	if (fd < 0)
		return errno == ENOENT ? -ESRCH : -errno;
	n = read(fd, text, sizeof(text));
	if (n < 0)
		return -errno;
	return proc_pid_stat_parse(text, (size_t)n, ret);
}

/* Who has the number now: 0, and it is the subject; -ESRCH, -EPERM. */
static int tuning_identify(const struct tuning_subject *s, struct proc_pid_stat *ret)
{
	int r;

	if (s->tid <= 0)
		return -ESRCH;
	r = tuning_read_stat(s->tid, ret);
	if (r < 0)
		return r;
	if (ret->start_ticks != s->start_ticks)
		return -ESRCH;
	if (!(ret->flags & PROC_PF_KTHREAD))
		return -EPERM;
	return kthread_name_same(ret->comm, s->name) ? 0 : -ESRCH;
}

static int tuning_get_scheduling(const struct tuning_subject *s, struct tuning_value *ret)
{
	struct proc_pid_stat stat;
	struct policy_state now;
	int r, id;

	for (int i = 0; i < TUNING_DISAGREE_MAX; i++) {
		r = policy_read(s->tid, &now);
		id = tuning_identify(s, &stat);
		if (id < 0)
			return id;
		if (r < 0)
			return r == -ESRCH ? -EXDEV : r;
		if (now.policy != stat.policy || now.priority != stat.rt_prio ||
		    now.nice != stat.nice)
			continue;
		*ret = (struct tuning_value){
			.policy = now.policy,
			.priority = now.priority,
			.reset_on_fork = now.reset_on_fork,
			.nice = now.nice,
		};
		return 0;
	}
	return -EXDEV;
}

static int tuning_get_mask(const struct tuning_subject *s, struct tuning_value *ret)
{
	struct proc_pid_stat stat;
	cpu_set_t set;
	int r = sched_getaffinity(s->tid, sizeof(set), &set) < 0 ? -errno : 0;
	int id = tuning_identify(s, &stat);

	if (id < 0)
		return id;
	if (r < 0)
		return r == -ESRCH ? -EXDEV : r;
	*ret = (struct tuning_value){ .affinity = cpulist_format(&set) };
	return 0;
}

static int tuning_get_line(const struct tuning_subject *s, enum tuning_attribute a,
			   struct tuning_value *ret)
{
	cpu_set_t set;
	int r;

	if (a != TUNING_AFFINITY)
		return -EINVAL;
	r = lineaffinity_get(PROC, s->irq, &set);
	if (r < 0)
		return r;
	*ret = (struct tuning_value){ .affinity = cpulist_format(&set) };
	return 0;
}

int tuning_get(const struct tuning_subject *s, enum tuning_attribute a, struct tuning_value *ret)
{
	if (s->is_line)
		return tuning_get_line(s, a, ret);
	return a == TUNING_AFFINITY ? tuning_get_mask(s, ret) : tuning_get_scheduling(s, ret);
}

static int tuning_identity_failed(const struct tuning_subject *s, int r, const char *when,
				  char **ret_message)
{
	switch (r) {
	case -ESRCH:
		return message_fail(ret_message, r,
				    "Thread %d is not %s any more%s: it ended, or another thread "
				    "has its number now.",
				    s->tid, s->name, when);
	case -EPERM:
		return message_fail(ret_message, r,
				    "Thread %d is no kernel thread, whatever it calls itself (%s): "
				    "it is not touched.",
				    s->tid, s->name);
	}
	return message_fail(ret_message, r, "Who thread %d (%s) is cannot be read%s: %s.", s->tid,
			    s->name, when, g_strerror(-r));
}

/* Is it somebody that may be touched at all, in this attribute? */
static int tuning_admit_thread(const struct tuning_subject *s, enum tuning_attribute a,
			       const struct proc_pid_stat *stat, char **ret_message)
{
	struct kthread_name what;

	kthread_name_parse(stat->comm, &what);
	if (what.kind == KTHREAD_PROTECTED)
		return message_fail(ret_message, -EKEYREJECTED,
				    "%s (thread %d) is never touched: the machine depends on it "
				    "as the kernel made it.",
				    s->name, s->tid);
	if (!kthread_kind_namable(what.kind))
		return message_fail(ret_message, -EKEYREJECTED,
				    "%s (thread %d) is none of the kernel threads that can be set.",
				    s->name, s->tid);
	if (stat->policy == SCHED_DEADLINE)
		return message_fail(ret_message, -EKEYREJECTED,
				    "%s (thread %d) has the policy deadline and is never touched: "
				    "its runtime and period could not be put back.",
				    s->name, s->tid);
	if (a != TUNING_AFFINITY)
		return 0;
	if (what.kind == KTHREAD_IRQ)
		return message_fail(ret_message, -EINVAL,
				    "%s (thread %d) runs where its interrupt line is sent: set the "
				    "affinity of line %d.",
				    s->name, s->tid, what.irq);
	if (stat->flags & PROC_PF_NO_SETAFFINITY)
		return message_fail(ret_message, -EKEYREJECTED,
				    "%s (thread %d) is bound to its CPUs by the kernel: it has no "
				    "affinity to set.",
				    s->name, s->tid);
	return 0;
}

static int tuning_check_policy(const struct tuning_value *v, char **ret_message)
{
	const char *name = policy_to_string(v->policy);

	if (v->policy == SCHED_DEADLINE)
		return message_fail(ret_message, -EINVAL,
				    "The policy deadline needs more than a priority and cannot be "
				    "set.");
	if (policy_is_realtime(v->policy) && (v->priority < 1 || v->priority > 99))
		return message_fail(ret_message, -EINVAL,
				    "%u is no priority of %s: it takes 1 to 99.", v->priority,
				    name);
	if (policy_is_ordinary(v->policy) && v->priority != 0)
		return message_fail(ret_message, -EINVAL, "%s has no priority, %u was asked for.",
				    name, v->priority);
	return 0;
}

static int tuning_check_affinity(const struct tuning_value *v, cpu_set_t *ret_cpus,
				 char **ret_message)
{
	g_autofree char *why = NULL;
	int r = cpulist_parse(v->affinity ?: "", NULL, ret_cpus, &why);

	return r < 0 ? message_fail(ret_message, -EINVAL, "These are no CPUs: %s.", why) : 0;
}

static int tuning_check_value(enum tuning_attribute a, const struct tuning_value *v,
			      cpu_set_t *ret_cpus, char **ret_message)
{
	switch (a) {
	case TUNING_POLICY:
		return tuning_check_policy(v, ret_message);
	case TUNING_NICE:
		if (v->nice < -20 || v->nice > 19)
			return message_fail(ret_message, -EINVAL,
					    "%d is no nice value: it goes from -20 to 19.",
					    v->nice);
		return 0;
	case TUNING_AFFINITY:
		return tuning_check_affinity(v, ret_cpus, ret_message);
	case TUNING_ATTRIBUTES:
		break;
	}
	g_assert_not_reached();
}

static int tuning_call(pid_t tid, enum tuning_attribute a, const struct tuning_value *v,
		       const cpu_set_t *cpus)
{
	switch (a) {
	case TUNING_POLICY:
		return policy_change(tid, v->policy, v->priority, v->reset_on_fork);
	case TUNING_NICE:
		return policy_renice(tid, v->nice);
	case TUNING_AFFINITY:
		return sched_setaffinity(tid, sizeof(*cpus), cpus) < 0 ? -errno : 0;
	case TUNING_ATTRIBUTES:
		break;
	}
	g_assert_not_reached();
}

static int tuning_call_failed(const struct tuning_subject *s, enum tuning_attribute a, int r,
			      const char *wanted, char **ret_message)
{
	switch (r) {
	case -EPERM:
	case -EACCES:
		return message_fail(ret_message, -EPERM,
				    "%s (thread %d) cannot be set to %s: this process lacks the "
				    "right to (CAP_SYS_NICE).",
				    s->name, s->tid, wanted);
	case -EINVAL:
		return message_fail(
			ret_message, -EINVAL,
			a == TUNING_AFFINITY
				? "%s (thread %d) cannot be set to CPU %s: none of them "
				  "is online."
				: "%s (thread %d) cannot be set to %s: this kernel does "
				  "not know that.",
			s->name, s->tid, wanted);
	}
	return message_fail(ret_message, r, "%s (thread %d) cannot be set to %s: %s.", s->name,
			    s->tid, wanted, g_strerror(-r));
}

/* After the call: still the same thread, and with what was asked for? */
static int tuning_confirm(const struct tuning_subject *s, enum tuning_attribute a,
			  const struct tuning_value *v, const char *wanted, char **ret_message)
{
	struct tuning_value got = { 0 };
	g_autofree char *back = NULL;
	int r = tuning_get(s, a, &got);
	bool same;

	if (r == -ESRCH || r == -EPERM)
		return tuning_identity_failed(s, -ESRCH, ", since it was set", ret_message);
	if (r < 0) /* it may well be in force: not what any other error says */
		return message_fail(ret_message, -EBADE,
				    "%s (thread %d) was set to %s and cannot be read back: %s.",
				    s->name, s->tid, wanted, g_strerror(-r));
	same = tuning_value_equal(a, v, &got);
	back = tuning_value_format(a, &got);
	tuning_value_done(&got);
	if (same)
		return 0;
	return message_fail(ret_message, -EBADE,
			    "%s (thread %d) was set to %s, the kernel took that, and it reads "
			    "back as %s.",
			    s->name, s->tid, wanted, back);
}

static int tuning_set_thread(const struct tuning_subject *s, enum tuning_attribute a,
			     const struct tuning_value *v, const cpu_set_t *cpus,
			     char **ret_message)
{
	g_autofree char *wanted = tuning_value_format(a, v);
	struct proc_pid_stat stat;
	int r;

	r = tuning_identify(s, &stat);
	if (r < 0)
		return tuning_identity_failed(s, r, "", ret_message);
	r = tuning_admit_thread(s, a, &stat, ret_message);
	if (r < 0)
		return r;
	r = irqtable_check_own("/", ret_message);
	if (r < 0)
		return r;
	r = tuning_call(s->tid, a, v, cpus);
	/* -EBADE is tuning_confirm()'s to find and to say */
	if (r < 0 && r != -EBADE)
		return r == -ESRCH ? tuning_identity_failed(s, r, "", ret_message)
				   : tuning_call_failed(s, a, r, wanted, ret_message);
	return tuning_confirm(s, a, v, wanted, ret_message);
}

static int tuning_set_line(const struct tuning_subject *s, enum tuning_attribute a,
			   const cpu_set_t *cpus, char **ret_message)
{
	cpu_set_t online;

	if (a != TUNING_AFFINITY)
		return message_fail(ret_message, -EINVAL,
				    "Line %u has an affinity only; policy, priority and nice are "
				    "its threads'.",
				    s->irq);
	if (cpulist_online("/", &online) < 0)
		memset(&online, 0xff, sizeof(online)); /* no /sys: then to the letter */
	return lineaffinity_set(PROC, s->irq, cpus, &online, ret_message);
}

int tuning_set(const struct tuning_subject *s, enum tuning_attribute a,
	       const struct tuning_value *v, char **ret_message)
{
	cpu_set_t cpus;
	int r = tuning_check_value(a, v, &cpus, ret_message);

	if (r < 0)
		return r;
	return s->is_line ? tuning_set_line(s, a, &cpus, ret_message)
			  : tuning_set_thread(s, a, v, &cpus, ret_message);
}
