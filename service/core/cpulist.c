/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why a parser of its own: sched_setaffinity(2) silently ignores CPUs that are not there and tools
 * that clip a list to what fits report figures for other CPUs than asked. Here a list is taken as a
 * whole or refused, and whether its CPUs exist is a second, separate question (cpulist_check()).
 *
 * A CPU number above CPU_SETSIZE is refused with its own errno: such machines exist, and "syntax
 * error" would be a lie there.
 */
#include "cpulist.h"

#include "message.h"

#include <errno.h>
#include <glib.h>
#include <stdbool.h>
#include <string.h>

#define CPULIST_TEXT_MAX 65536
/* The kernel refuses a mask shorter than its own; machines have up to 8192 CPUs. */
#define CPULIST_MASK_SETS 8

static const char *skip_blanks(const char *s)
{
	return s + strspn(s, " \t\n");
}

static int cpu_scan(const char **s, int *ret, char **ret_message)
{
	const char *p = *s;
	int cpu = 0;

	if (!g_ascii_isdigit(*p)) {
		if (!*p || *p == ',')
			return message_fail(
				ret_message, -EINVAL,
				"a part of the CPU list is empty; write it like \"0-3,8\"");
		if (*p == '!')
			return message_fail(ret_message, -EINVAL,
					    "\"!\" stands before the whole list, once: \"!0,2-3\"");
		return message_fail(ret_message, -EINVAL,
				    "the CPU list has something other than numbers, commas and "
				    "ranges in it; write it like \"0-3,8\", \"all\" or \"!0\"");
	}
	for (; g_ascii_isdigit(*p); p++) {
		cpu = cpu * 10 + (*p - '0');
		if (cpu >= CPU_SETSIZE)
			return message_fail(ret_message, -ERANGE,
					    "a CPU number in the list is above the limit of %d",
					    CPU_SETSIZE - 1);
	}
	*s = p;
	*ret = cpu;
	return 0;
}

/* One number or range, blanks around it taken. */
static int range_scan(const char **s, cpu_set_t *set, char **ret_message)
{
	int first, last, r;

	*s = skip_blanks(*s);
	r = cpu_scan(s, &first, ret_message);
	if (r < 0)
		return r;
	last = first;
	*s = skip_blanks(*s);
	if (**s == '-') {
		*s = skip_blanks(*s + 1);
		r = cpu_scan(s, &last, ret_message);
		if (r < 0)
			return r;
		*s = skip_blanks(*s);
	}
	if (last < first)
		return message_fail(ret_message, -EINVAL,
				    "the CPU range %d-%d runs backwards; write %d-%d", first, last,
				    last, first);
	for (int cpu = first; cpu <= last; cpu++)
		CPU_SET(cpu, set);
	return 0;
}

static int ranges_parse(const char *s, cpu_set_t *ret, char **ret_message)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	for (;; s++) {
		int r = range_scan(&s, &set, ret_message);

		if (r < 0)
			return r;
		if (!*s)
			break;
		if (*s != ',')
			return message_fail(ret_message, -EINVAL,
					    "the CPU list needs commas between its parts; write it "
					    "like \"0-3,8\"");
	}
	*ret = set;
	return 0;
}

int cpulist_parse(const char *text, const cpu_set_t *allowed, cpu_set_t *ret, char **ret_message)
{
	const char *s = skip_blanks(text);
	cpu_set_t set;
	int r;

	if (!*s)
		return message_fail(
			ret_message, -EINVAL,
			"the CPU list is empty; write \"all\" or a list like \"0-3,8\"");
	if (strlen(s) > CPULIST_TEXT_MAX)
		return message_fail(ret_message, -EINVAL, "the CPU list is too long");
	if (allowed && g_str_has_prefix(s, "all") && !*skip_blanks(s + 3)) {
		*ret = *allowed;
		return 0;
	}
	if (!allowed && (*s == '!' || *s == 'a'))
		return message_fail(ret_message, -EINVAL,
				    "this CPU list takes numbers and ranges only, like \"0-3,8\"");
	if (*s != '!')
		return ranges_parse(s, ret, ret_message);
	r = ranges_parse(s + 1, &set, ret_message);
	if (r < 0)
		return r;
	CPU_AND(&set, &set, allowed);
	CPU_XOR(&set, &set, allowed);
	if (CPU_COUNT(&set) == 0)
		return message_fail(ret_message, -EINVAL, "the CPU list leaves no CPU");
	*ret = set;
	return 0;
}

int cpulist_check_syntax(const char *text, char **ret_message)
{
	cpu_set_t every, set;

	memset(&every, 0xff, sizeof(every));
	return cpulist_parse(text, &every, &set, ret_message);
}

char *cpulist_format(const cpu_set_t *set)
{
	GString *out = g_string_new(NULL);

	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		int first = cpu;

		if (!CPU_ISSET(cpu, set))
			continue;
		while (cpu + 1 < CPU_SETSIZE && CPU_ISSET(cpu + 1, set))
			cpu++;
		g_string_append_printf(out, "%s%d", out->len ? "," : "", first);
		if (cpu > first)
			g_string_append_printf(out, "-%d", cpu);
	}
	return g_string_free(out, FALSE);
}

int cpulist_online(const char *root, cpu_set_t *ret)
{
	g_autofree char *path = g_build_filename(root, "sys/devices/system/cpu/online", NULL);
	g_autofree char *text = NULL;

	if (!g_file_get_contents(path, &text, NULL, NULL))
		return -ENOENT;
	return cpulist_parse(text, NULL, ret, NULL);
}

/* The kernel masks a task's affinity with its cpuset, so one question answers both. */
static int cpulist_affinity(cpu_set_t *ret)
{
	cpu_set_t sets[CPULIST_MASK_SETS];

	memset(sets, 0, sizeof(sets));
	if (sched_getaffinity(0, sizeof(sets), sets) < 0)
		return -errno;
	*ret = sets[0];
	return CPU_COUNT(ret) > 0 ? 0 : -ERANGE;
}

int cpulist_allowed(const char *root, cpu_set_t *ret)
{
	cpu_set_t online, mask;
	int r;

	if (strcmp(root, "/") != 0)
		return cpulist_online(root, ret);
	r = cpulist_affinity(&mask);
	if (r < 0)
		return r;
	/* without /sys (a bare chroot) the mask is all there is to know */
	if (cpulist_online(root, &online) == 0)
		CPU_AND(&mask, &mask, &online);
	*ret = mask;
	return 0;
}

static bool cpulist_isolated(const char *root, cpu_set_t *ret)
{
	g_autofree char *path = g_build_filename(root, "sys/devices/system/cpu/isolated", NULL);
	g_autofree char *text = NULL;

	return g_file_get_contents(path, &text, NULL, NULL) &&
	       cpulist_parse(g_strstrip(text), NULL, ret, NULL) == 0; /* none: an empty line */
}

void cpulist_reachable(const char *root, const cpu_set_t *allowed, cpu_set_t *ret)
{
	cpu_set_t own, isolated;

	*ret = *allowed;
	if (!cpulist_isolated(root, &isolated) || cpulist_affinity(&own) < 0)
		return;
	/* its cpuset, which may leave them out, is asked by trying */
	if (sched_setaffinity(0, sizeof(isolated), &isolated) < 0)
		return;
	if (cpulist_affinity(&isolated) == 0)
		CPU_OR(ret, ret, &isolated);
	(void)sched_setaffinity(0, sizeof(own), &own); /* where it was a moment ago */
}

int cpulist_check(const cpu_set_t *wanted, const cpu_set_t *allowed, const cpu_set_t *online,
		  char **ret_message)
{
	g_autofree char *may = cpulist_format(allowed);
	g_autofree char *off_text = NULL;
	g_autofree char *outside_text = NULL;
	cpu_set_t off, outside;

	CPU_AND(&off, wanted, online);
	CPU_XOR(&off, &off, wanted);
	CPU_OR(&outside, allowed, &off);
	CPU_AND(&outside, &outside, wanted);
	CPU_XOR(&outside, &outside, wanted);
	off_text = cpulist_format(&off);
	outside_text = cpulist_format(&outside);
	if (*off_text && *outside_text)
		return message_fail(ret_message, -EINVAL,
				    "CPU %s is offline or not there, and CPU %s is outside this "
				    "process's cpuset or affinity mask; it may use %s",
				    off_text, outside_text, may);
	if (*off_text)
		return message_fail(ret_message, -EINVAL,
				    "CPU %s is offline or not there; this process may use %s",
				    off_text, may);
	if (*outside_text)
		return message_fail(ret_message, -EINVAL,
				    "CPU %s is outside this process's cpuset or affinity mask; it "
				    "may use %s",
				    outside_text, may);
	return 0;
}
