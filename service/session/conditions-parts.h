/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The parts that conditions_collect() is made of: each returns one member of the object, never
 * NULL. */
#include <jansson.h>

json_t *conditions_kernel(const char *root); /* conditions-kernel.c */
json_t *conditions_config(const char *root, const char *release, char **ret_hash);
json_t *conditions_clock(const char *root);	/* conditions.c, as all without a file named */
json_t *conditions_processor(const char *root); /* conditions-cpu.c */
json_t *conditions_cpus(const char *root);
json_t *conditions_threads(const char *root);	     /* conditions-threads.c */
json_t *conditions_virtualisation(const char *root); /* conditions-virtual.c */

/* Does a process of that name run? */
json_t *conditions_process_runs(const char *root, const char *comm);
