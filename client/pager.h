/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Long output through the user's pager: $LRTBF_PAGER, $PAGER, else less; none for "" and "cat".
 */
#include <stdbool.h>
#include <sys/types.h>

struct pager {
	pid_t pid;     /* 0: none */
	int stdout_fd; /* what stdout was */
};

/* From here on stdout goes to the pager, if @wanted and there is one. */
void pager_open(struct pager *p, bool wanted);
/* Wait until the user has left it; stdout is as before. */
void pager_close(struct pager *p);
