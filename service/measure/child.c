/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why the lock on the region: it is held by the open file, which this process and its daemon share,
 * until both are gone, whatever kills them. So the next daemon, which finds the region, knows
 * whether anybody still writes.
 *
 * Why a parent's pid in the order: the signal at the parent's death is armed too late if the parent
 * died before. Whoever is the parent then, it is not the one that is expected.
 */
#include "child.h"

#include "measurement.h"
#include "order.h"
#include "region.h"

#include <errno.h>
#include <glib.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <unistd.h>

static int child_error(const char *text)
{
	fprintf(stderr, "lrtbf-measure: %s\n", text);
	return 1;
}

static int child_region(int fd, struct region_header **ret)
{
	g_autofree char *text = NULL;
	int r;

	if (flock(fd, LOCK_EX | LOCK_NB) < 0)
		r = -errno;
	else
		r = region_map(fd, true, ret);
	if (r == 0)
		return 0;
	if (r == -EWOULDBLOCK)
		text = g_strdup("The result region is in use.");
	else if (r == -EMEDIUMTYPE)
		text = g_strdup(
			"The result region is not on tmpfs: writing to it would be measured too.");
	else
		text = g_strdup_printf("The result region cannot be used: %s.", g_strerror(-r));
	(void)child_error(text);
	return r;
}

/* The blocks must be those of the order's CPUs. */
static bool child_matches(struct region_header *h, const struct order *o)
{
	if ((int)h->n_cpus != CPU_COUNT(&o->cpus))
		return false;
	for (unsigned i = 0; i < h->n_cpus; i++) {
		int cpu = region_cpu(h, i)->cpu;

		if (cpu < 0 || cpu >= CPU_SETSIZE || !CPU_ISSET(cpu, &o->cpus))
			return false;
	}
	return true;
}

int child_run(int order_fd, int region_fd)
{
	pid_t parent = getppid();
	g_autofree char *message = NULL;
	struct region_header *h = NULL;
	struct order o;

	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != parent)
		return child_error("The parent is gone.");
	if (child_region(region_fd, &h) < 0)
		return 1;
	if (order_read(order_fd, &o, &message) < 0) {
		(void)measurement_fail(h, -EIO, message);
		return child_error(message);
	}
	(void)close(order_fd);
	if (o.parent_pid > 0 && getppid() != o.parent_pid)
		return child_error("The parent is gone.");
	if (region_phase(h) != REGION_EMPTY || !child_matches(h, &o)) {
		(void)measurement_fail(h, -EIO, "The region does not belong to the order.");
		return child_error("The region does not belong to the order.");
	}
	if (measurement_run(&o, h) < 0 || region_phase(h) == REGION_FAILED)
		return child_error(h->text);
	return 0; /* the region stays mapped: a thread may not have come back */
}
