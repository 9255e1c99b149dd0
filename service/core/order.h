/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * What lrtbf-measure is told to do: one stage, on file descriptor 3.
 *
 * Plain bytes from parent to child of the same build; read as if from a stranger all the same
 * (order_read() checks every field). The stand-alone command line fills the same struct.
 */
#include "role.h"
#include <sched.h>
#include <stdint.h>

#define ORDER_MAGIC   0x3164724f66627472ULL
#define ORDER_VERSION 2

struct order {
	uint64_t magic;
	uint32_t version, size;
	char instrument[32];
	uint32_t policy;	/* SCHED_OTHER, SCHED_BATCH, SCHED_IDLE, SCHED_FIFO, SCHED_RR,
				   SCHED_DEADLINE */
	uint32_t priority;	/* 1..98 for fifo and rr (control has one more), else 0 */
	int32_t nice;		/* for other */
	int32_t dma_latency_us; /* -1: leave /dev/cpu_dma_latency alone */
	uint64_t interval_ns;	/* 1 us .. 1 h; 0 where there is none */
	uint64_t duration_ns;	/* measuring time without the warm-up */
	uint64_t warmup_ns;
	uint64_t break_ns;  /* end at the first sample >= this; 0: never */
	uint64_t within_ns; /* count samples <= this; 0: no */
	uint64_t dither_ns; /* timer: random 0..dither added to each wait; 0: none */
	uint64_t work_ns;   /* cpuloop: about how long one pass takes */
	uint64_t dl_runtime_ns, dl_deadline_ns, dl_period_ns; /* SCHED_DEADLINE */
	int32_t control_cpu;  /* where the control thread sits; -1: anywhere not measured, else
				 anywhere */
	uint32_t lock_memory; /* 1: mlockall, failing is NotPermitted; 0 or an ordinary policy: try,
				 warn */
	int32_t parent_pid; /* who must be the parent, or the child ends at once; 0: not checked */
	uint32_t role;	    /* enum role; ROLE_NONE for instruments without the kernel module */
	uint32_t answer;    /* enum role_answer */
	uint32_t receive;   /* enum role_receive */
	uint32_t pulse;	    /* enum role_pulse, of pulses and answers */
	uint32_t pad;
	uint64_t timeout_ns; /* after which an answer is lost; 0 of roles that wait for none */
	char port[ROLE_PORT_MAX + 1]; /* "parport0", never a path; "" of roles without a port */
	cpu_set_t cpus; /* measured CPUs: one thread each; exactly one of a role with a port */
};

/* Fill with defaults: timer, other, 1 ms, 10 s, no CPUs. */
void order_init(struct order *o);

/* Write to / read from a file descriptor. read: -EBADMSG with a sentence (g_free) for bad bytes. */
int order_write(int fd, const struct order *o);
int order_read(int fd, struct order *ret, char **ret_message);
/* The same from bytes. Pure. Fuzzed. */
int order_parse(const void *data, size_t size, struct order *ret, char **ret_message);

/* Ranges and combinations; 0 or -EINVAL with a sentence. */
int order_check(const struct order *o, char **ret_message);
