/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * lrtbfd --restore: what a daemon that was killed left on interrupt threads and lines is put back,
 * without a daemon and without a bus.
 */

/* Says what it did on standard output. The process' exit status: 1 when something stayed. */
int restore_run(const char *runtime_dir);
