/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A stack of its own size: the default of 8 MiB would all be locked where the process locks its
 * memory.
 */
#include "quietthread.h"

#include <errno.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define QUIETTHREAD_STACK (128 * 1024)

int quietthread_init(struct quietthread *t)
{
	*t = (struct quietthread){ .fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK) };
	return t->fd < 0 ? -errno : 0;
}

static void *quietthread_run(void *userdata)
{
	struct quietthread *t = userdata;

	t->run(t->userdata);
	(void)eventfd_write(t->fd, 1); /* its counter cannot be full */
	return NULL;
}

int quietthread_start(struct quietthread *t, void (*run)(void *userdata), void *userdata)
{
	struct sched_param param = { .sched_priority = 0 };
	pthread_attr_t attr;
	sigset_t all, before;
	int r;

	t->run = run;
	t->userdata = userdata;
	sigfillset(&all);
	(void)pthread_attr_init(&attr); /* cannot fail on Linux */
	(void)pthread_attr_setstacksize(&attr, t->stack_size ?: QUIETTHREAD_STACK);
	/* never real-time, whatever its maker is run with */
	(void)pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED);
	(void)pthread_attr_setschedpolicy(&attr, SCHED_OTHER);
	(void)pthread_attr_setschedparam(&attr, &param);
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	r = pthread_create(&t->thread, &attr, quietthread_run, t);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	(void)pthread_attr_destroy(&attr);
	t->running = r == 0;
	return -r;
}

void quietthread_join(struct quietthread *t)
{
	if (t->running)
		(void)pthread_join(t->thread, NULL); /* it is one, and not joined */
	t->running = false;
}

void quietthread_done(struct quietthread *t)
{
	quietthread_join(t);
	if (t->fd >= 0)
		close(t->fd);
	t->fd = -1;
}
