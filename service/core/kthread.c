/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names are matched whole and numbers to their end: "irq_work/0" is no interrupt thread, and
 * "ksoftirqd/0x" no softirq thread. Only what the kernel cuts is taken for a beginning: it kept 15
 * characters of a thread's name until 5.17, and shows 63 of it since (fs/proc/array.c,
 * proc_task_name()).
 */
#include "kthread.h"

#include <limits.h>
#include <stddef.h>
#include <string.h>

#define COMM_CUT	 15 /* TASK_COMM_LEN - 1 */
#define COMM_SHOWN	 63
#define ARRAY_END(array) ((array) + sizeof(array) / sizeof(*(array)))

static const struct kthread_form {
	const char *name;
	bool per_cpu; /* "/N" follows */
	enum kthread_kind kind;
} kthread_forms[] = {
	{ "ksoftirqd", true, KTHREAD_KSOFTIRQD },
	{ "ktimers", true, KTHREAD_KTIMERS },
	{ "ktimersoftd", true, KTHREAD_KTIMERS },
	{ "rcuc", true, KTHREAD_RCU },
	{ "rcub", true, KTHREAD_RCU },
	{ "rcuog", true, KTHREAD_RCU },
	{ "rcuop", true, KTHREAD_RCU },
	{ "rcuos", true, KTHREAD_RCU },
	{ "rcuob", true, KTHREAD_RCU },
	{ "rcu_preempt", false, KTHREAD_RCU },
	{ "rcu_sched", false, KTHREAD_RCU },
	{ "rcu_bh", false, KTHREAD_RCU },
	{ "rcu_exp_gp_kthread_worker", false, KTHREAD_RCU },
	{ "rcu_exp_par_gp_kthread_worker", true, KTHREAD_RCU },
	{ "rcu_exp_gp_kthr", false, KTHREAD_RCU }, /* the same two, cut */
	{ "rcu_exp_par_gp_", false, KTHREAD_RCU },
	{ "irq_work", true, KTHREAD_IRQ_WORK },
	{ "backlog_napi", true, KTHREAD_BACKLOG_NAPI },
	{ "migration", true, KTHREAD_PROTECTED },
	{ "cpuhp", true, KTHREAD_PROTECTED },
	{ "watchdog", true, KTHREAD_PROTECTED },
	{ "watchdogd", false, KTHREAD_PROTECTED },
};

static const char *const kthread_kinds[] = {
	[KTHREAD_OTHER] = "other",
	[KTHREAD_IRQ] = "irq",
	[KTHREAD_KSOFTIRQD] = "ksoftirqd",
	[KTHREAD_KTIMERS] = "ktimers",
	[KTHREAD_RCU] = "rcu",
	[KTHREAD_IRQ_WORK] = "irq_work",
	[KTHREAD_NAPI] = "napi",
	[KTHREAD_BACKLOG_NAPI] = "backlog_napi",
	[KTHREAD_PROTECTED] = "protected",
};

/* The number at @at, and where it ends; NULL: none, or too big for an int. */
static const char *kthread_number(const char *at, int *ret)
{
	const char *begin = at;
	int value = 0;

	for (; *at >= '0' && *at <= '9'; at++)
		if (__builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, *at - '0', &value))
			return NULL;
	if (at == begin)
		return NULL;
	*ret = value;
	return at;
}

static bool kthread_is_form(const char *comm, const struct kthread_form *form, int *ret_cpu)
{
	size_t length = strlen(form->name);
	const char *end;

	if (strncmp(comm, form->name, length) != 0)
		return false;
	if (!form->per_cpu)
		return comm[length] == '\0';
	if (comm[length] != '/')
		return false;
	end = kthread_number(comm + length + 1, ret_cpu);
	return end && *end == '\0';
}

/* "irq/N-NAME", "irq/N-s-NAME"; the name may be empty. */
static bool kthread_parse_irq(const char *comm, struct kthread_name *k)
{
	const char *at;
	int irq;

	if (strncmp(comm, "irq/", 4) != 0)
		return false;
	at = kthread_number(comm + 4, &irq);
	if (!at || *at != '-')
		return false;
	at++;
	k->kind = KTHREAD_IRQ;
	k->irq = irq;
	k->secondary = strncmp(at, "s-", 2) == 0;
	k->rest = k->secondary ? at + 2 : at;
	return true;
}

/*
 * "napi/INTERFACE-ID". An interface's name may have '-' in it and end like an id: the last one
 * counts. Of a cut name the id may be missing in part or whole.
 */
static bool kthread_parse_napi(const char *comm, struct kthread_name *k)
{
	const char *name = comm + 5, *dash;
	bool cut = kthread_name_is_cut(comm);
	size_t size;

	if (strncmp(comm, "napi/", 5) != 0)
		return false;
	dash = strrchr(name, '-');
	if (dash && strspn(dash + 1, "0123456789") == strlen(dash + 1) && (dash[1] || cut))
		size = dash - name;
	else if (cut)
		size = strlen(name);
	else
		return false;
	if (size == 0)
		return false;
	k->kind = KTHREAD_NAPI;
	k->interface_size = size;
	return true;
}

void kthread_name_parse(const char *comm, struct kthread_name *ret)
{
	struct kthread_name k = { .kind = KTHREAD_OTHER, .irq = -1, .cpu = -1 };

	if (!kthread_parse_irq(comm, &k) && !kthread_parse_napi(comm, &k)) {
		const struct kthread_form *form = kthread_forms;
		int cpu = -1;

		while (form < ARRAY_END(kthread_forms) && !kthread_is_form(comm, form, &cpu))
			form++;
		if (form < ARRAY_END(kthread_forms)) {
			k.kind = form->kind;
			k.cpu = cpu;
		}
	}
	*ret = k;
}

bool kthread_kind_namable(enum kthread_kind kind)
{
	return kind != KTHREAD_OTHER && kind != KTHREAD_PROTECTED;
}

const char *kthread_kind_to_string(enum kthread_kind kind)
{
	return kthread_kinds[kind];
}

bool kthread_name_is_cut(const char *comm)
{
	return strlen(comm) == COMM_CUT;
}

bool kthread_name_same(const char *x, const char *y)
{
	return strcmp(x, y) == 0 ||
	       ((kthread_name_is_cut(x) || kthread_name_is_cut(y)) && strncmp(x, y, COMM_CUT) == 0);
}

/* @rest is @action, or its beginning when the whole name @comm is as long as one that was cut. */
static bool kthread_rest_is(const char *comm, const char *rest, const char *action)
{
	size_t whole = strlen(comm);

	if (whole == COMM_CUT || whole == COMM_SHOWN)
		return strncmp(rest, action, strlen(rest)) == 0;
	return strcmp(rest, action) == 0;
}

bool kthread_runs_action(const char *comm, const char *action)
{
	struct kthread_name k;

	kthread_name_parse(comm, &k);
	if (k.kind != KTHREAD_IRQ)
		return false;
	/* an action may be called "s-..." itself */
	return kthread_rest_is(comm, k.rest, action) ||
	       (k.secondary && kthread_rest_is(comm, k.rest - 2, action));
}
