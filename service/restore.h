/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * lrtbfd --restore: what a daemon that was killed left, without a daemon and without a bus. Its
 * values on interrupt threads and lines are put back, and what its session measured goes into the
 * store. The service manager runs it after every end of the daemon.
 */
struct daemon_options;

/*
 * Says what it did: in the journal, when standard error is that, else on standard output. The
 * process' exit status: 1 when something stayed.
 */
int restore_run(const struct daemon_options *o);
