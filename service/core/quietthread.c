/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A stack of its own size: the default of 8 MiB would all be locked where the process locks its
 * memory.
 */
#include "quietthread.h"

#include <signal.h>

#define QUIETTHREAD_STACK (128 * 1024)

int quietthread_start(pthread_t *ret, void *(*run)(void *userdata), void *userdata)
{
	pthread_attr_t attr;
	sigset_t all, before;
	int r;

	sigfillset(&all);
	(void)pthread_attr_init(&attr); /* cannot fail on Linux */
	(void)pthread_attr_setstacksize(&attr, QUIETTHREAD_STACK);
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	r = pthread_create(ret, &attr, run, userdata);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	(void)pthread_attr_destroy(&attr);
	return -r;
}
