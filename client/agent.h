/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Who asks for a password on a terminal when polkit wants one: pkttyagent(1), while a command runs
 * that changes something.
 */
#include <sys/types.h>

struct agent {
	pid_t pid; /* 0: none */
};

/*
 * Start it and wait until polkit knows it. None for root, who is not asked, without a terminal, or
 * where there is no pkttyagent: the service then refuses what needs a password.
 */
void agent_open(struct agent *a);
void agent_close(struct agent *a);
