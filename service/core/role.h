/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * What is measured through the kernel module: the roles of a parallel port and of a kernel timer,
 * and how a role answers and receives. Words of plans, orders and reports; the module's own numbers
 * are measure/lrtbfdev.c's business.
 */
#include <stdbool.h>
#include <stdint.h>

enum role {
	ROLE_NONE,     /* instruments that have none */
	ROLE_LOOPBACK, /* port: its pulse raises its own interrupt */
	ROLE_LOGGER,   /* port: sends pulses to a target and times the answers */
	ROLE_TARGET,   /* port: answers each interrupt */
	ROLE_IRQ,      /* timer: in its interrupt handler */
	ROLE_KTHREAD,  /* timer: in a kernel thread that it wakes */
	_ROLE_MAX,
};

enum role_answer { /* a target's */
		   ROLE_ANSWER_NONE,
		   ROLE_ANSWER_HANDLER, /* in the interrupt handler */
		   ROLE_ANSWER_KTHREAD, /* in a kernel thread that the handler wakes */
		   ROLE_ANSWER_USER,	/* in a thread of lrtbf-measure that the handler wakes */
		   _ROLE_ANSWER_MAX,
};

enum role_receive { /* a logger's */
		    ROLE_RECEIVE_NONE,
		    ROLE_RECEIVE_POLL, /* reading the lines with interrupts off: the target's
					  latency alone */
		    ROLE_RECEIVE_IRQ,  /* by its own interrupt: two latencies in one figure */
		    _ROLE_RECEIVE_MAX,
};

enum role_pulse { /* what a pulse and an answer are; a loopback's is STROBE's, without a word */
		  ROLE_PULSE_DATA,    /* data lines */
		  ROLE_PULSE_STROBE,  /* STROBE, as cables from STROBE to ACK want it */
		  ROLE_PULSE_VIRTUAL, /* STROBE, as virtual machines let it out of their port */
		  _ROLE_PULSE_MAX,
};

#define ROLE_PORT_MAX 31 /* bytes of a port's name */

#define ROLE_INTERVAL_MIN_NS UINT64_C(20000)
#define ROLE_INTERVAL_MAX_NS UINT64_C(10000000000)
#define ROLE_TIMEOUT_NS	     UINT64_C(500000)	/* where the plan says none */
#define ROLE_POLL_MAX_NS     UINT64_C(10000000) /* interrupts are off for so long at most */

/* NULL: _NONE, or no such value. from_string: -EINVAL. */
const char *role_to_string(uint32_t role);
int role_from_string(const char *s);
const char *role_answer_to_string(uint32_t answer);
int role_answer_from_string(const char *s);
const char *role_receive_to_string(uint32_t receive);
int role_receive_from_string(const char *s);

/* Of the plan keys strobe and virtual, of which one is true at most. */
enum role_pulse role_pulse(bool strobe, bool virtual_port);

/* Needs a port; else it needs none. */
bool role_of_port(uint32_t role);
/* Sends pulses and waits for their answers, which may be lost. */
bool role_sends(uint32_t role);

/* "parport0": a device's name, never a path. */
bool role_port_valid(const char *name);

/* What a time-out is where none was asked for: half the interval at most. */
uint64_t role_timeout_ns(uint32_t role, uint64_t interval_ns);

struct role_setup { /* as in plans and orders */
	uint32_t role, answer, receive;
	bool strobe, virtual_port;
	const char *port; /* "" or NULL: none */
	uint64_t interval_ns, timeout_ns;
	int policy;
};

/*
 * The plan key whose value does not go with the others, with a sentence (g_free) without capital
 * and full stop; NULL: all is well.
 */
const char *role_conflict(const struct role_setup *s, char **ret_why);
