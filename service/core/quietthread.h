/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * A thread for something short that would keep the event loop waiting. It is nobody's to signal:
 * the process' signals are for the event loop. Embedded in what is the thread's own until it has
 * ended.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

struct quietthread {
	int fd; /* readable when it has ended */
	/* changes before the start, if at all */
	size_t stack_size; /* bytes; 0: enough for what does not call itself */
	/* its own */
	pthread_t thread;
	bool running; /* or not joined yet */
	void (*run)(void *userdata);
	void *userdata;
};

/* -errno; quietthread_done() all the same. */
int quietthread_init(struct quietthread *t);
/* Once. -errno: no thread. */
int quietthread_start(struct quietthread *t, void (*run)(void *userdata), void *userdata);
/* Waits for its end; one that was not started or has been waited for is fine. */
void quietthread_join(struct quietthread *t);
void quietthread_done(struct quietthread *t); /* joins */
