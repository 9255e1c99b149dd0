/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * A plan's schedule as a timer unit of systemd.timer(5). Pure.
 */
#include "plan.h"

/*
 * The unit's text (g_free); NULL: the plan does not begin by itself. @path: the plan's file as
 * systemd sees it.
 */
char *timerunit_format(const struct plan *p, const char *path);

/* The text of the timer that only on_boot of a persistent plan has, lrtbf-plan-NAME-boot.timer;
 * else NULL. */
char *timerunit_format_boot(const struct plan *p, const char *path);
