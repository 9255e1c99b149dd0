/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * A thread for something short that would keep the event loop waiting. It is nobody's to signal:
 * the process' signals are for the event loop.
 */
#include <pthread.h>

/* pthread_join() ends it. -errno. */
int quietthread_start(pthread_t *ret, void *(*run)(void *userdata), void *userdata);
