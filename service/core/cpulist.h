/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * CPU lists as people and the kernel write them: "0-3,8", "2,0,1", " 1 , 3 ", "all", "!0", "!2-3"
 * (all allowed but these). Pure. Fuzzed.
 */
#include <sched.h>
#include <stddef.h>

/*
 * Parse @text. "all" and "!" refer to @allowed (NULL: only plain lists are taken). Up to
 * CPU_SETSIZE CPUs. -EINVAL (syntax, empty), -ERANGE (a number above the limit) with a sentence in
 * @ret_message (g_free; may be NULL).
 */
int cpulist_parse(const char *text, const cpu_set_t *allowed, cpu_set_t *ret, char **ret_message);

/* Whether @text could be such a list of some machine; which CPUs there are is another question. */
int cpulist_check_syntax(const char *text, char **ret_message);

/* "0-3,8"; "" for none. g_free(). */
char *cpulist_format(const cpu_set_t *set);

/*
 * CPUs this process may use: online, in its affinity mask and cpuset. @root is "/" or a captured
 * tree (then online only).
 */
int cpulist_allowed(const char *root, cpu_set_t *ret);
int cpulist_online(const char *root, cpu_set_t *ret);
/*
 * @allowed and the isolated CPUs (isolcpus=, of @root) that the kernel lets the caller move to:
 * they are in no mask that is inherited, so "all" is without them, but who names one means it. The
 * calling thread is moved for a moment. @allowed alone where that fails.
 */
void cpulist_reachable(const char *root, const cpu_set_t *allowed, cpu_set_t *ret);

/*
 * Every CPU of @wanted must be in @allowed: -EINVAL with a sentence that names those which are not,
 * and why (offline, not there, outside this process's cpuset or mask).
 */
int cpulist_check(const cpu_set_t *wanted, const cpu_set_t *allowed, const cpu_set_t *online,
		  char **ret_message);
