/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The name stands in parentheses and may hold blanks and parentheses itself: it ends at the last
 * ')' of the text, since nothing behind it has one. One pass and nothing copied but the name,
 * because whoever looks for threads reads this of every process.
 */
#include "proc-pid.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>

/* Fields behind the name, counted from the state (which is field 3 of proc(5)). */
enum {
	FIELD_STATE,
	FIELD_PPID = 1,
	FIELD_SESSION = 3,
	FIELD_FLAGS = 6,
	FIELD_NICE = 16,
	FIELD_START = 19,
	FIELD_CPU = 36,
	FIELD_RT_PRIO = 37,
	FIELD_POLICY = 38,
	FIELD_MAX
};

struct proc_cursor {
	const char *at, *end;
};

/*
 * A decimal number of 64 bits with an optional '-', ended by a blank or the end. Addresses and "no
 * limit" use all 64 bits without a sign; they are not wanted here.
 */
static bool proc_pid_number(struct proc_cursor *c, int64_t *ret)
{
	bool negative = c->at < c->end && *c->at == '-';
	const char *at = c->at + negative, *begin = at;
	uint64_t value = 0;

	for (; at < c->end && *at >= '0' && *at <= '9'; at++)
		if (__builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, (uint64_t)(*at - '0'), &value))
			return false;
	if (at == begin || (at < c->end && *at != ' ') || (negative && value > INT64_MAX))
		return false;
	*ret = negative ? -(int64_t)value : (int64_t)value;
	c->at = at < c->end ? at + 1 : at;
	return true;
}

static int proc_pid_stat_numbers(struct proc_cursor c, struct proc_pid_stat *p)
{
	int64_t value[FIELD_MAX];

	for (int i = FIELD_PPID; i < FIELD_MAX; i++)
		if (!proc_pid_number(&c, &value[i]))
			return -EBADMSG;
	if (value[FIELD_PPID] < 0 || value[FIELD_PPID] > INT_MAX ||
	    value[FIELD_SESSION] > INT_MAX || value[FIELD_NICE] < -20 || value[FIELD_NICE] > 19 ||
	    value[FIELD_RT_PRIO] < 0 || value[FIELD_RT_PRIO] > 99 || value[FIELD_POLICY] < 0 ||
	    value[FIELD_POLICY] > 255 || value[FIELD_CPU] < 0 || value[FIELD_CPU] > INT_MAX)
		return -EBADMSG;
	p->ppid = value[FIELD_PPID];
	p->session = value[FIELD_SESSION];
	p->flags = value[FIELD_FLAGS];
	p->nice = value[FIELD_NICE];
	p->start_ticks = value[FIELD_START];
	p->cpu = value[FIELD_CPU];
	p->rt_prio = value[FIELD_RT_PRIO];
	p->policy = value[FIELD_POLICY];
	return 0;
}

/* "4242 (" with the cursor left behind it, and how long the name is. */
static int proc_pid_stat_name(struct proc_cursor *c, struct proc_pid_stat *p)
{
	const char *close = memrchr(c->at, ')', c->end - c->at);
	size_t length;
	int64_t pid;

	if (!close || !proc_pid_number(c, &pid) || pid < 0 || pid > INT_MAX || c->at >= close ||
	    *c->at != '(')
		return -EBADMSG;
	c->at++;
	length = close - c->at;
	if (length >= sizeof(p->comm) || memchr(c->at, '\0', length))
		return -EBADMSG;
	memcpy(p->comm, c->at, length);
	p->comm[length] = '\0';
	p->pid = pid;
	c->at = close + 1;
	return 0;
}

int proc_pid_stat_parse(const char *text, size_t size, struct proc_pid_stat *ret)
{
	struct proc_pid_stat p = { 0 };
	struct proc_cursor c;

	if (size == 0) /* and maybe no text */
		return -EBADMSG;
	c = (struct proc_cursor){ .at = text, .end = text + size };
	if (c.end[-1] == '\n')
		c.end--;
	if (proc_pid_stat_name(&c, &p) < 0)
		return -EBADMSG;
	/* " S " */
	if (c.end - c.at < 3 || c.at[0] != ' ' || c.at[1] == ' ' || c.at[2] != ' ')
		return -EBADMSG;
	p.state = c.at[1];
	c.at += 3;
	if (proc_pid_stat_numbers(c, &p) < 0)
		return -EBADMSG;
	*ret = p;
	return 0;
}
