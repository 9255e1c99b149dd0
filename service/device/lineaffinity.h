/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * The CPUs an interrupt line may use: /proc/irq/N/smp_affinity_list, which is what was asked for
 * (where it goes, the effective affinity, is the controller's choice among them). Its threads
 * follow it when its next interrupt comes. @proc: "/proc". Source: kernel/irq/proc.c,
 * kernel/irq/manage.c.
 */
#include <sched.h>
#include <stdbool.h>

/* -ENODEV: no such line; -EBADMSG: no list of CPUs; -errno. */
int lineaffinity_get(const char *proc, unsigned irq, cpu_set_t *ret);

/*
 * Write it and read it back. @online: of this machine. Always with a sentence: -ENODEV: no such
 * line; -EIO, -EPERM: the kernel keeps it to itself (managed by its driver, or of one CPU; EPERM
 * from 6.12 on); -EPERM too when the right is missing; -EROFS: a sandbox; -ENOSPC: no free
 * interrupt vectors; -EINVAL: none of the CPUs is online; -EBADE: it reads back as something else;
 * -errno.
 */
int lineaffinity_set(const char *proc, unsigned irq, const cpu_set_t *cpus, const cpu_set_t *online,
		     char **ret_message);

/*
 * The same for whoever runs now: CPUs that are not online make no difference, since kernels differ
 * in whether they keep them in what was asked for.
 */
bool affinity_same(const cpu_set_t *a, const cpu_set_t *b, const cpu_set_t *online);
