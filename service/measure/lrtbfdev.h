/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * A device file of the kernel module lrtbf: /dev/lrtbf-PORT, or /dev/lrtbf for timers. Owned by the
 * one measuring thread that uses it. Refusals come as sentences that say what to do, and as -errno
 * of core/reason.h: -ENODEV no device, no module, no interrupt; -EBUSY somebody else has it;
 * -EPERM. The interface: kmod/lrtbf-ioctl.h. Times are nanoseconds of CLOCK_MONOTONIC.
 */
#include "lrtbf-ioctl.h"
#include "order.h"
#include "region.h"

#define LRTBFDEV_FOLDER "/dev"

struct lrtbfdev {
	int fd;		 /* -1: none */
	const char *dir; /* LRTBFDEV_FOLDER, or a test's */
	const struct order *order;
	int cpu;
	struct lrtbf_caps caps;
};

/* Open the device of @o's role, see whether it can do that, and set it up for @cpu. @o is borrowed.
 */
int lrtbfdev_open(struct lrtbfdev *d, const char *dir, const struct order *o, int cpu,
		  char **ret_message);
/* Stops it too. Harmless again. */
void lrtbfdev_close(struct lrtbfdev *d);

int lrtbfdev_start(struct lrtbfdev *d, char **ret_message);
void lrtbfdev_stop(struct lrtbfdev *d); /* what was not read stays */

/* Until there are records to read or it does not run, a signal, or @until_ns. */
void lrtbfdev_wait(const struct lrtbfdev *d, uint64_t until_ns);
/* Up to @n records, as many as there are; returns how many, 0: none now. */
size_t lrtbfdev_read(struct lrtbfdev *d, struct lrtbf_record *records, size_t n);
/* false: cannot be had (never of a module that took the set-up). */
bool lrtbfdev_counters(struct lrtbfdev *d, struct lrtbf_counters *ret);

/* Of a target that answers from user space. 0: it answered an interrupt; -ETIMEDOUT, -EINTR;
 * -ECANCELED, -ENODEV: it does not run any more. */
int lrtbfdev_answer(struct lrtbfdev *d, uint64_t timeout_ns);

/*
 * What device and counters say, as the region has it. @ret holds what was said before, or 0: a
 * thread is looked up when it is another, or has another priority.
 */
void lrtbfdev_facts(struct lrtbfdev *d, const struct lrtbf_counters *c, struct region_port *ret);
