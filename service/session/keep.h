/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Which results are kept: the plans' and lrtbfd.conf's bounds brought to the store, and the marks
 * of single sessions. Event loop's thread.
 */
#include "sessions.h"

/* A session of @plan has ended: what is beyond its bounds is made smaller. */
void keep_plan(struct sessions *m, const char *plan);
/* The same for every plan that has sessions. */
void keep_all(struct sessions *m);
