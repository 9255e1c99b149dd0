/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef LRTBF_H
#define LRTBF_H
/*
 * What the files of lrtbf.ko share. One `node` is a device file: of a port, or /dev/lrtbf. Each
 * opener of it has a `run`: what he set up, what is running, its counters and records. What differs
 * between roles is in a table of operations, one file per role.
 *
 * Locks, outer ones first; outside of all is main.c's, of the list of nodes:
 *   node->lock       who opens, SETUP, START, STOP, removal of the port, suspend
 *   run->read_lock   one reader; START, which empties the buffer
 *   run->raw         everything that an interrupt handler changes, and each access to a claimed
 *                    port but those of a logger that polls
 *
 * Raw, because on PREEMPT_RT a timer's handler is in hard interrupt context, and a port's may be.
 * Times are nanoseconds of CLOCK_MONOTONIC.
 */
#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/miscdevice.h>
#include <linux/mutex.h>
#include <linux/parport.h>
#include <linux/spinlock.h>
#include <linux/wait.h>

#include "lrtbf-ioctl.h"

struct lrtbf_run;

/* A device file. Lives until neither its port nor an open file needs it. */
struct lrtbf_node {
	struct miscdevice misc;
	char name[40];
	struct kref ref;
	struct list_head link; /* main.c: of all nodes */
	bool of_port;
	u32 roles;	       /* bits of enum lrtbf_role */
	unsigned int runs_max; /* openers at one time */
	struct mutex lock;     /* of all below */
	struct list_head runs; /* one per open file */
	unsigned int runs_now;
	struct parport *port;	/* NULL: of no port, or removed */
	struct lrtbf_caps caps; /* what does not change, and access_ns */
};

/*
 * The buffer: one writer, under run->raw, and one reader, under run->read_lock. Positions count up
 * and wrap with their type, so head - tail is what is in it.
 */
#define LRTBF_RECORDS 16384U

struct lrtbf_records {
	struct lrtbf_record *slots;
	u32 head; /* the writer's */
	u32 tail; /* the reader's */
};

/* Pulses and their answers: pulse.c. Under run->raw. */
struct lrtbf_pulse {
	u64 seq;
	u64 t0_ns;
	u64 moved_ns; /* the line moved then last, or a pulse was sent that got no answer */
	u64 quiet_ns; /* of the line, wanted before a probe; 0: the least */
	u64 lost_seq; /* of the pulse whose answer may still come */
	u64 lost_t0_ns;
	u32 losses;   /* since the last sample */
	u32 answers;  /* to the pulse, or what takes itself for one */
	bool waiting; /* a pulse is out, neither answered nor lost */
	bool probe;   /* and it is sent to find the way back: no sample whatever comes */
	bool lost_open;
	bool resync; /* no sample until a probe went as it should */
};

/* Of a target: role-target.c. Under run->raw. */
struct lrtbf_target {
	u64 seq;
	u64 event_ns;		    /* the interrupt that is not answered yet */
	bool event;		    /* nobody has been told of it */
	bool open;		    /* it waits for its answer */
	struct task_struct *waiter; /* in LRTBF_WAIT, of this run */
};

/* What differs between roles. */
struct lrtbf_role_ops {
	/* Values of this role only. 0 or -EINVAL. */
	int (*check)(const struct lrtbf_setup *setup);
	/* Whether the port's interrupt is needed. NULL: no. */
	bool (*needs_irq)(const struct lrtbf_setup *setup);
	/* What the kernel thread does, until lrtbf_run_should_end(). NULL: there is none. */
	void (*work)(struct lrtbf_run *run);
	bool (*needs_thread)(const struct lrtbf_setup *setup); /* NULL: if there is work() */
	/* Under run->raw, in the port's interrupt handler, first of all. */
	void (*interrupt)(struct lrtbf_run *run, u64 now_ns);
	/* Where there is no thread. run->next_ns is the first period's. 0 or -errno. */
	int (*start)(struct lrtbf_run *run);
	void (*stop)(struct lrtbf_run *run);
};

extern const struct lrtbf_role_ops lrtbf_role_loopback;
extern const struct lrtbf_role_ops lrtbf_role_target;
extern const struct lrtbf_role_ops lrtbf_role_logger;
extern const struct lrtbf_role_ops lrtbf_role_timer_irq;
extern const struct lrtbf_role_ops lrtbf_role_timer_kthread;

struct lrtbf_run {
	struct lrtbf_node *node;
	struct list_head link; /* of node->runs */

	/* node->lock */
	struct lrtbf_setup setup; /* with defaults filled in; role 0: none yet */
	const struct lrtbf_role_ops *role;
	bool started; /* START without STOP: has what is in the next paragraph */
	struct task_struct *thread;
	struct pardevice *pardev;
	struct parport *port;
	bool irq; /* its interrupt is used */

	/* run->raw */
	raw_spinlock_t raw;
	bool active;  /* also read without it, to find out whether to go on */
	bool removed; /* the port; set under node->lock, before it is ended */
	struct lrtbf_counters counters;
	u64 due_ns;  /* grid: the period under way */
	u64 next_ns; /* the one to come */
	u64 period;  /* the number of that one */
	struct lrtbf_pulse pulse;
	struct lrtbf_target target;
	struct hrtimer timer;
	u8 data;     /* the port's data lines when at rest */
	u64 rate_ns; /* port.c: interrupts counted since then */
	u32 rate_count;
	bool masked; /* there were too many */
	u64 rest_ns; /* logger, poll: interrupts stay on until then */

	/* readers */
	struct lrtbf_records records;
	struct mutex read_lock;
	wait_queue_head_t readers;
	/* a wait queue cannot be woken in hard interrupt context on PREEMPT_RT */
	struct irq_work wake;
};

/* main.c: nodes. */
struct lrtbf_node *lrtbf_node_new(const char *name, u32 roles, unsigned int runs_max);
/* Makes the device file. After it ends with _remove(), which also takes the reference. */
int lrtbf_node_add(struct lrtbf_node *node);
/* No more openers; what runs is stopped for @reason; then the port is not touched any more. */
void lrtbf_node_remove(struct lrtbf_node *node, enum lrtbf_stop reason);
void lrtbf_node_put(struct lrtbf_node *node);
/* The node of @port; NULL. The caller sees to it that it is not removed meanwhile. */
struct lrtbf_node *lrtbf_node_find(const struct parport *port);
bool lrtbf_suspending(void);

/* chardev.c */
extern const struct file_operations lrtbf_chardev;

/* records.c */
int lrtbf_records_init(struct lrtbf_records *records);
void lrtbf_records_done(struct lrtbf_records *records);
void lrtbf_records_reset(struct lrtbf_records *records);
u32 lrtbf_records_count(const struct lrtbf_records *records);
/* false: full. */
bool lrtbf_records_add(struct lrtbf_records *records, const struct lrtbf_record *record);
/* Bytes copied, of whole records, up to @size; 0: none there; -EFAULT. */
ssize_t lrtbf_records_copy(struct lrtbf_records *records, char __user *buffer, size_t size);

/* run.c. With node->lock held: */
struct lrtbf_run *lrtbf_run_new(struct lrtbf_node *node);
void lrtbf_run_free(struct lrtbf_run *run); /* without the lock; stopped */
int lrtbf_run_setup(struct lrtbf_run *run, const struct lrtbf_setup *setup);
int lrtbf_run_start(struct lrtbf_run *run);
/* Returns when nothing of it runs any more and the port is released. */
void lrtbf_run_stop(struct lrtbf_run *run, enum lrtbf_stop reason);
/* With run->raw held: */
void lrtbf_run_end(struct lrtbf_run *run, enum lrtbf_stop reason); /* as far as a handler can */
void lrtbf_run_record(struct lrtbf_run *run, u64 seq, u64 at_ns, u64 latency_ns, u32 flags);
void lrtbf_run_note_context(struct lrtbf_run *run);
/* The number of the period that is due at @now_ns; goes on to the next and counts those missed. */
u64 lrtbf_run_advance(struct lrtbf_run *run, u64 now_ns);
/* Of its thread. Sleeps until the next period; the time of waking up, or 0: it is to end. */
u64 lrtbf_run_sleep(struct lrtbf_run *run);
bool lrtbf_run_should_end(const struct lrtbf_run *run);
bool lrtbf_run_readable(const struct lrtbf_run *run);

/* pulse.c. With run->raw held. */
bool lrtbf_pulse_due(struct lrtbf_run *run, u64 now_ns);
void lrtbf_pulse_sent(struct lrtbf_run *run, u64 t0_ns);
void lrtbf_pulse_answer(struct lrtbf_run *run, u64 t1_ns);
void lrtbf_pulse_lost(struct lrtbf_run *run);

/* port.c */
int lrtbf_port_register(void);
void lrtbf_port_unregister(void);
/* With node->lock held. */
int lrtbf_port_claim(struct lrtbf_run *run);
void lrtbf_port_release(struct lrtbf_run *run);
/* With run->raw held, but for the thread of a logger that polls, which is alone with the port. */
void lrtbf_port_mask(struct lrtbf_run *run);
u8 lrtbf_port_status(struct lrtbf_run *run);
void lrtbf_port_strobe(struct lrtbf_run *run, bool low);
void lrtbf_port_ready(struct lrtbf_run *run); /* all that can be done before the edge */
void lrtbf_port_edge(struct lrtbf_run *run);  /* the write that makes it */
void lrtbf_port_rest(struct lrtbf_run *run);  /* and back, a microsecond or more later */

/* role-target.c */
int lrtbf_target_wait(struct lrtbf_run *run, struct lrtbf_wait *wait);
int lrtbf_target_answer(struct lrtbf_run *run);
void lrtbf_target_end(struct lrtbf_run *run); /* nobody waits any more; run->raw held */

#endif
