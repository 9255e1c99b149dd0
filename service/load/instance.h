/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * One instance of a load and its guardian: the process that calls instance_guard() runs the
 * command, again and again when the errand says so, and ends every process that comes of it.
 */
#include "errand.h"

struct instance {
	const struct errand *errand;
	const char *path; /* of the command */
	int life_fd;	  /* reads end-of-file when the nanny has died */
	bool namespaced;  /* the caller is pid 1 of a process namespace of its own */
};

/*
 * Returns when the load has ended (by SIGTERM, by itself, with the nanny) and no process of it is
 * left. SIGTERM and SIGCHLD must be blocked.
 */
void instance_guard(const struct instance *i);
