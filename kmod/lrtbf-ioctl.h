/* SPDX-License-Identifier: (GPL-2.0-or-later WITH Linux-syscall-note) OR CC0-1.0 */
#ifndef LRTBF_IOCTL_H
#define LRTBF_IOCTL_H
/*
 * What lrtbf.ko offers to user space: /dev/lrtbf-parportN for each parallel port, of one opener at
 * a time, and /dev/lrtbf for what needs no port, where each opener has a timer of his own and there
 * are as many as the machine has CPUs; EBUSY beyond. Open, LRTBF_SETUP, LRTBF_START, read()
 * records, LRTBF_STOP or close(). All times are nanoseconds of CLOCK_MONOTONIC. The layout is the
 * same for 32-bit and 64-bit callers.
 *
 * Every struct begins with its size as the caller knows it, which is also in the request's number
 * (EINVAL when they differ), so that fields can be added at its end: the kernel fills or reads as
 * much as both sides know; what a caller's struct has beyond the kernel's must be 0 (E2BIG).
 *
 * The cable between a logger and a target is the one for file transfer: D0-D4 (pins 2-6) of each go
 * to ERROR, SELECT, PAPEROUT, ACK and BUSY (pins 15, 13, 12, 10, 11) of the other. With each pulse
 * and each answer D3 rises for a moment, which raises the interrupt over there, and D0, D1, D2 and
 * D4 change, which is what a logger that polls looks for. enum lrtbf_setup_flags is for other ways.
 *
 * read(): whole records only. Where there are none it waits for setup.watermark of them, or for the
 * end; EAGAIN with O_NONBLOCK. 0 when it does not run and all was read. poll(): POLLIN when a
 * watermark of records is there or it does not run; POLLHUP when it does not run.
 */
#include <linux/ioctl.h>
#include <linux/types.h>

#define LRTBF_ABI 1

enum lrtbf_role {
	LRTBF_ROLE_NONE = 0,
	/* of a port: */
	LRTBF_ROLE_LOOPBACK = 1, /* STROBE, jumpered to ACK, raises the own interrupt */
	LRTBF_ROLE_TARGET = 2,	 /* answers each interrupt by toggling its data lines */
	LRTBF_ROLE_LOGGER = 3,	 /* a pulse every period, the answer timed */
	/* of no port: */
	LRTBF_ROLE_TIMER_IRQ = 4,     /* periodic hrtimer, latency in its interrupt handler */
	LRTBF_ROLE_TIMER_KTHREAD = 5, /* periodic wake-up of a FIFO kernel thread */
};

/* Of a target: from where it answers. */
enum lrtbf_answer {
	LRTBF_ANSWER_HANDLER = 1, /* in the port's interrupt handler, wherever that runs */
	LRTBF_ANSWER_KTHREAD = 2, /* in a FIFO kernel thread that the handler wakes */
	LRTBF_ANSWER_USER = 3,	  /* in LRTBF_ANSWER of a thread that waits in LRTBF_WAIT */
};

/* Of a logger: how it sees the answer. */
enum lrtbf_receive {
	LRTBF_RECEIVE_POLL = 1, /* by reading, with interrupts off: the target's latency alone */
	LRTBF_RECEIVE_IRQ = 2,	/* by its own interrupt: two latencies in one figure */
};

/* Where the interrupt handler, the timer's or the timer's thread really ran; bits. */
enum lrtbf_context {
	LRTBF_CONTEXT_HARDIRQ = 1,
	LRTBF_CONTEXT_THREAD = 2,
};

/* One at most; of a logger that is interrupted and of a target. */
enum lrtbf_setup_flags {
	/*
	 * The cable goes from STROBE (pin 1) to ACK (pin 10), both ways: STROBE is low at rest, and
	 * a pulse or an answer is its rise for a moment. It stays low after the run, as a rise
	 * would be one pulse or answer more, until somebody uses the port for something else.
	 */
	LRTBF_SETUP_STROBE = 1,
	/*
	 * The port is a virtual machine's: what is written leaves it when STROBE falls, nothing but
	 * interrupts comes in, and the rise of STROBE raises the port's own, which is masked then.
	 */
	LRTBF_SETUP_VIRTUAL = 2,
};

struct lrtbf_caps {
	__u32 size;
	__u32 abi;	 /* LRTBF_ABI */
	__u32 roles;	 /* bit n: enum lrtbf_role n */
	__s32 irq;	 /* the port's line; -1: none */
	__u64 base;	 /* the port's address; 0: none */
	__u64 access_ns; /* time of one access to the port, a read, median of many; 0 until started
			    once, and where there is no port */
	__u32 records;	 /* room for so many in the buffer */
	__u32 reserved;
	char port[32]; /* "parport0"; "" */
};

struct lrtbf_setup {
	__u32 size;
	__u32 role;	  /* enum lrtbf_role */
	__u32 answer;	  /* target */
	__u32 receive;	  /* logger */
	__u64 period_ns;  /* 20 us..10 s; 0 of a target */
	__u64 timeout_ns; /* loopback, logger: after which an answer is lost; at most half the
			     period, and 10 ms where it polls; 0: 500 us, or half the period if that
			     is less */
	__u64 count;	/* pulses, answers, or samples of a timer, then it ends by itself; 0: until
			   stopped */
	__u32 priority; /* SCHED_FIFO of the kernel thread that sends or answers, 1..98; 0: 50 */
	__s32 cpu;	/* it or the timer runs there; -1: anywhere */
	__u32 losses_max; /* so many with no sample between them end the run; 0: 16 */
	__u32 rate_max; /* interrupts a second above which the line is masked, 100..1000000, counted
			   for 50 ms from one of them on; 0: 20000, or four times the pulses if that
			   is more */
	__u32 off_share_max; /* logger, poll: interrupts off for at most so many per mille of the
				time, 1..900: periods are left out for that; 0: 500 */
	__u32 flags;	     /* enum lrtbf_setup_flags */
	__u32 watermark; /* wake readers when so many records wait, at most what there is room for;
			    0: 1024; 1: with each, which disturbs what is measured */
	__u32 reserved;
};

/* Why it does not run. */
enum lrtbf_stop {
	LRTBF_STOP_NONE = 0,	 /* it runs, or never did */
	LRTBF_STOP_ASKED = 1,	 /* LRTBF_STOP */
	LRTBF_STOP_COUNT = 2,	 /* count */
	LRTBF_STOP_LOSSES = 3,	 /* losses_max */
	LRTBF_STOP_DETACHED = 4, /* the port was removed */
	LRTBF_STOP_STORM = 5,	 /* rate_max; the line is masked */
	LRTBF_STOP_SUSPEND = 6,	 /* the machine went to sleep */
};

/*
 * resolution_ns is the time of the accesses to the port, medians of many, that may lie between the
 * true latency and the measured one. Target: the write of the answer. Logger that polls: the write
 * that makes the edge, the read that just missed the answer, and the one that saw it. Else: that
 * write, and as long as a read for the way through the parport core to our handler.
 */
struct lrtbf_counters {
	__u32 size;
	__u32 running;
	__u32 stop;    /* enum lrtbf_stop */
	__u32 context; /* bits of enum lrtbf_context; 0: no handler ran */
	__s32 thread; /* tid of the thread in which the handler ran last, or in which a timer's or a
			 polling kernel thread took the time; 0: none */
	__u32 priority;	     /* its rt priority then; 0: none */
	__s32 worker;	     /* tid of our kernel thread, which sends or answers; 0: none */
	__u32 resolution_ns; /* a latency may be longer than the true one by that, never shorter; 0:
				of no port */
	__u64 pulses;	     /* sent; = samples + lost + discarded, and 1 when one is under way */
	__u64 answers;	     /* target: given */
	__u64 samples;	  /* latencies, read or not; of a target: from the handler to the answer */
	__u64 lost;	  /* pulses without an answer within the time-out */
	__u64 late;	  /* answers that came after it: never credited to the next pulse */
	__u64 discarded;  /* pulses left out while resynchronising */
	__u64 strays;	  /* interrupts (polling: changes) that belong to no pulse */
	__u64 interrupts; /* while it ran */
	__u64 missed; /* periods without a pulse or sample: overrun, left out for off_share_max or
			 while waiting for a quiet line; target: interrupts before the former one's
			 answer */
	__u64 lost_records; /* the buffer was full */
	__u64 off_ns;	    /* time with interrupts off, all together */
	__u64 off_max_ns;   /* the longest */
};

/* None: a sample. */
enum lrtbf_record_flags {
	/* A pulse was lost; latency_ns is 0 and means nothing. */
	LRTBF_RECORD_LOST = 1,
	/*
	 * latency_ns after the pulse (polling: at most) its answer came. With LRTBF_RECORD_LOST
	 * where that tells of the loss too, without where it was told before.
	 */
	LRTBF_RECORD_LATE = 2,
	/* While resynchronising; latency_ns is what would have been the latency. */
	LRTBF_RECORD_DISCARDED = 4,
};

struct lrtbf_record {
	__u64 seq; /* of the pulse, the period or the answer, from 0 */
	/* t0: just before the write that makes the edge; the intended wake-up of a timer; when the
	   handler of a target ran. */
	__u64 at_ns;
	/* t1 - t0. t1: first thing in the handler; right after the read that saw it; right after
	   the write of a target's answer. */
	__u64 latency_ns;
	__u32 flags; /* enum lrtbf_record_flags */
	__u32 cpu;   /* where t1 was taken */
};

/* Until the next interrupt of a target that answers from user space. */
struct lrtbf_wait {
	__u32 size;
	__u32 reserved;
	__u64 timeout_ns; /* 0: for ever */
	__u64 at_ns;	  /* returned: when the handler ran */
};

/*
 * Errors besides those above:
 *
 * all: ENOTTY unknown request; EFAULT; EINVAL a value, or a role that this device does not have.
 *
 * SETUP: EBUSY it runs.
 *
 * START: EINVAL before SETUP; EBUSY it runs, or the port is another driver's; ENXIO the role needs
 * an interrupt and the port has none, or the CPU is not online; EOPNOTSUPP a port that may sleep
 * (behind USB); EAGAIN the machine goes to sleep; ENODEV the port was removed. What was not read of
 * a former run is dropped.
 *
 * STOP: none; 0 also when it does not run. A run that ended by itself keeps the port until then or
 * until close(). A pulse that a logger watches then is watched to its end: its record may come
 * after a read() that returned 0 in another thread, and is there when STOP returns.
 *
 * WAIT: ETIMEDOUT; EINTR; ECANCELED it does not run, or not any more; EBUSY another thread waits;
 * EINVAL of another role; ENODEV the port was removed.
 *
 * ANSWER: EAGAIN nothing to answer; ECANCELED, EINVAL, ENODEV as WAIT.
 */
#define LRTBF_CAPS     _IOWR('L', 0xb0, struct lrtbf_caps)
#define LRTBF_SETUP    _IOW('L', 0xb1, struct lrtbf_setup)
#define LRTBF_START    _IO('L', 0xb2)
#define LRTBF_STOP     _IO('L', 0xb3)
#define LRTBF_COUNTERS _IOWR('L', 0xb4, struct lrtbf_counters)
#define LRTBF_WAIT     _IOWR('L', 0xb5, struct lrtbf_wait)
#define LRTBF_ANSWER   _IO('L', 0xb6)

#endif
