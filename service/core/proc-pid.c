/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The name stands in parentheses and may hold blanks and parentheses itself: it ends at the last
 * ')' of the text, since nothing behind it has one.
 */
#include "proc-pid.h"

#include <errno.h>
#include <glib.h>
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

static int proc_pid_stat_numbers(char **field, struct proc_pid_stat *p)
{
	int64_t value[FIELD_MAX] = { 0 };

	for (int i = FIELD_PPID; i < FIELD_MAX; i++) {
		char *end;

		errno = 0;
		/* addresses and "no limit" use all 64 bits; they are not wanted here */
		value[i] = (int64_t)(*field[i] == '-' ? (guint64)g_ascii_strtoll(field[i], &end, 10)
						      : g_ascii_strtoull(field[i], &end, 10));
		if (end == field[i] || *end || errno == ERANGE)
			return -EBADMSG;
	}
	if (value[FIELD_PPID] < 0 || value[FIELD_PPID] > G_MAXINT ||
	    value[FIELD_SESSION] > G_MAXINT || value[FIELD_NICE] < -20 || value[FIELD_NICE] > 19 ||
	    value[FIELD_RT_PRIO] < 0 || value[FIELD_RT_PRIO] > 99 || value[FIELD_POLICY] < 0 ||
	    value[FIELD_POLICY] > 255 || value[FIELD_CPU] < 0 || value[FIELD_CPU] > G_MAXINT)
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

int proc_pid_stat_parse(const char *text, size_t size, struct proc_pid_stat *ret)
{
	g_autofree char *copy =
		size > 0 ? g_strndup(text, size) : g_strdup(""); /* no text, no NUL */
	g_auto(GStrv) field = NULL;
	struct proc_pid_stat p = { 0 };
	char *open, *close, *end;
	gint64 pid;

	open = strchr(copy, '(');
	close = strrchr(copy, ')');
	pid = g_ascii_strtoll(copy, &end, 10);
	if (!open || !close || close < open || end == copy || end + 1 != open || *end != ' ' ||
	    close[1] != ' ' || pid < 0 || pid > G_MAXINT)
		return -EBADMSG;
	*close = '\0';
	if (g_strlcpy(p.comm, open + 1, sizeof(p.comm)) >= sizeof(p.comm))
		return -EBADMSG;
	field = g_strsplit(g_strchomp(close + 2), " ", -1);
	if (g_strv_length(field) < FIELD_MAX || strlen(field[FIELD_STATE]) != 1)
		return -EBADMSG;
	p.pid = pid;
	p.state = *field[FIELD_STATE];
	if (proc_pid_stat_numbers(field, &p) < 0)
		return -EBADMSG;
	*ret = p;
	return 0;
}
