/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * What the daemon asks of PID 1 over the bus: jobs and how they ended, a reload, when timers fire.
 * Never blocks, except systemd1_clear(), which is for the start. Event loop's thread only.
 *
 * The bus may have no systemd, or one that does not answer: every call ends in time.
 */
#include <glib.h>
#include <stdbool.h>
#include <systemd/sd-bus.h>

struct systemd1_call; /* one that is under way */

/*
 * Once, from the event loop; the call is freed afterwards. @r: 0; -EOPNOTSUPP: nobody is there to
 * be asked; -EACCES: not permitted; -ETIMEDOUT: no answer; -EIO: refused, or the job failed.
 * @message: half a sentence that says so, NULL with 0.
 */
typedef void (*systemd1_done_t)(int r, const char *message, void *userdata);

/* A call of org.freedesktop.systemd1.Manager, to be filled. */
int systemd1_message(sd_bus *bus, const char *member, sd_bus_message **ret);

/*
 * Send @m, whose reply is a job for @unit (StartUnit, StartTransientUnit ...), and wait until the
 * job has ended well, @usec at most. Never @done from within. -errno: it could not be sent.
 */
int systemd1_job(sd_bus *bus, sd_bus_message *m, const char *unit, uint64_t usec,
		 systemd1_done_t done, void *userdata, struct systemd1_call **ret);
int systemd1_start_unit(sd_bus *bus, const char *unit, uint64_t usec, systemd1_done_t done,
			void *userdata, struct systemd1_call **ret);
/* Unit files are read again, and generators run. */
int systemd1_reload(sd_bus *bus, systemd1_done_t done, void *userdata, struct systemd1_call **ret);

/* A timer as PID 1 has it. Times are of CLOCK_REALTIME; 0: none. */
struct systemd1_timer {
	bool active;
	bool elapsed; /* active, and will not fire any more */
	uint64_t next_usec, last_usec;
};
/* @t: NULL when @r (as above) is not 0. A timer that does not exist is one that is not active. */
typedef void (*systemd1_timer_t)(int r, const struct systemd1_timer *t, void *userdata);
int systemd1_get_timer(sd_bus *bus, const char *unit, systemd1_timer_t done, void *userdata,
		       struct systemd1_call **ret);

/* Its answer is not waited for any more. NULL is fine; returns NULL. */
struct systemd1_call *systemd1_forget(struct systemd1_call *c);

/* KillUnit, and nobody waits for the answer. @whom: "main", "all". */
void systemd1_kill_unit(sd_bus *bus, const char *unit, const char *whom, int signo);
/*
 * SIGKILL to every unit whose name one of @patterns (shell's, NULL-ended) matches. Blocks for two
 * seconds at most. Their number or -errno.
 */
int systemd1_clear(sd_bus *bus, const char *const *patterns);
