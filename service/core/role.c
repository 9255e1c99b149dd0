/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why the combinations are here and not with plans or orders: a plan's file, a wish over it, the
 * command line of lrtbf-measure and the bytes of an order must refuse the same ones, and the kernel
 * module would only say EINVAL.
 */
#include "role.h"

#include <errno.h>
#include <glib.h>
#include <sched.h>
#include <string.h>

static const char *const role_names[_ROLE_MAX] = {
	[ROLE_LOOPBACK] = "loopback", [ROLE_LOGGER] = "logger",	  [ROLE_TARGET] = "target",
	[ROLE_IRQ] = "irq",	      [ROLE_KTHREAD] = "kthread",
};

static const char *const role_answers[_ROLE_ANSWER_MAX] = {
	[ROLE_ANSWER_HANDLER] = "handler",
	[ROLE_ANSWER_KTHREAD] = "kthread",
	[ROLE_ANSWER_USER] = "user",
};

static const char *const role_receives[_ROLE_RECEIVE_MAX] = {
	[ROLE_RECEIVE_POLL] = "poll",
	[ROLE_RECEIVE_IRQ] = "irq",
};

static int role_find(const char *const *names, int n, const char *s)
{
	for (int i = 1; s && i < n; i++)
		if (strcmp(names[i], s) == 0)
			return i;
	return -EINVAL;
}

const char *role_to_string(uint32_t role)
{
	return role < _ROLE_MAX ? role_names[role] : NULL;
}

int role_from_string(const char *s)
{
	return role_find(role_names, _ROLE_MAX, s);
}

const char *role_answer_to_string(uint32_t answer)
{
	return answer < _ROLE_ANSWER_MAX ? role_answers[answer] : NULL;
}

int role_answer_from_string(const char *s)
{
	return role_find(role_answers, _ROLE_ANSWER_MAX, s);
}

const char *role_receive_to_string(uint32_t receive)
{
	return receive < _ROLE_RECEIVE_MAX ? role_receives[receive] : NULL;
}

int role_receive_from_string(const char *s)
{
	return role_find(role_receives, _ROLE_RECEIVE_MAX, s);
}

enum role_pulse role_pulse(bool strobe, bool virtual_port)
{
	return virtual_port ? ROLE_PULSE_VIRTUAL : strobe ? ROLE_PULSE_STROBE : ROLE_PULSE_DATA;
}

bool role_of_port(uint32_t role)
{
	return role == ROLE_LOOPBACK || role == ROLE_LOGGER || role == ROLE_TARGET;
}

bool role_sends(uint32_t role)
{
	return role == ROLE_LOOPBACK || role == ROLE_LOGGER;
}

bool role_port_valid(const char *name)
{
	size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_-");

	return n > 0 && n <= ROLE_PORT_MAX && name[n] == '\0';
}

uint64_t role_timeout_ns(uint32_t role, uint64_t interval_ns)
{
	return role_sends(role) ? MIN(ROLE_TIMEOUT_NS, interval_ns / 2) : 0;
}

G_GNUC_PRINTF(3, 4)
static const char *conflict(char **ret_why, const char *key, const char *fmt, ...)
{
	va_list ap;

	if (ret_why) {
		va_start(ap, fmt);
		*ret_why = g_strdup_vprintf(fmt, ap);
		va_end(ap);
	}
	return key;
}

/* What belongs to one role only. */
static const char *conflict_parts(const struct role_setup *s, char **ret_why)
{
	const char *role = role_to_string(s->role) ?: "none";

	if (role_of_port(s->role) != (s->port && *s->port))
		return conflict(ret_why, "port",
				role_of_port(s->role) ? "the role %s needs a port, such as parport0"
						      : "the role %s has no port",
				role);
	if (s->port && *s->port && !role_port_valid(s->port))
		return conflict(ret_why, "port",
				"a port is the name of a device, such as parport0: small letters, "
				"digits, _ and -, at most %d",
				ROLE_PORT_MAX);
	if ((s->role == ROLE_TARGET) != (s->answer != ROLE_ANSWER_NONE))
		return conflict(ret_why, "answer",
				s->answer ? "only the role target answers, and the role here is %s"
					  : "the role %s needs to know from where to answer",
				role);
	if ((s->role == ROLE_LOGGER) != (s->receive != ROLE_RECEIVE_NONE))
		return conflict(ret_why, "receive",
				s->receive
					? "only the role logger receives, and the role here is %s"
					: "the role %s needs to know how to receive",
				role);
	if ((s->strobe || s->virtual_port) && s->role != ROLE_TARGET &&
	    s->receive != ROLE_RECEIVE_IRQ)
		return conflict(ret_why, s->strobe ? "strobe" : "virtual",
				"%s belongs to the role target and to a logger that receives by "
				"irq",
				s->strobe ? "strobe" : "virtual");
	if (s->strobe && s->virtual_port)
		return conflict(ret_why, "virtual",
				"a virtual machine's port has no cable from STROBE to ACK: strobe "
				"or virtual");
	return NULL;
}

static const char *conflict_times(const struct role_setup *s, char **ret_why)
{
	if (!role_sends(s->role) && s->timeout_ns > 0)
		return conflict(ret_why, "timeout",
				"the role %s waits for no answer that could be lost",
				role_to_string(s->role) ?: "none");
	if (s->role == ROLE_NONE)
		return NULL;
	if (s->role == ROLE_TARGET)
		return s->interval_ns == 0 ? NULL
					   : conflict(ret_why, "interval",
						      "a target has no interval: it answers when "
						      "the logger asks");
	if (s->interval_ns < ROLE_INTERVAL_MIN_NS || s->interval_ns > ROLE_INTERVAL_MAX_NS)
		return conflict(ret_why, "interval",
				"the kernel module takes intervals from 20us to 10s");
	if (s->timeout_ns > s->interval_ns / 2)
		return conflict(ret_why, "timeout",
				"the time-out must be at most half the interval");
	if (s->receive == ROLE_RECEIVE_POLL && s->timeout_ns > ROLE_POLL_MAX_NS)
		return conflict(ret_why, "timeout",
				"polling has interrupts off: its time-out must be at most 10ms");
	return NULL;
}

const char *role_conflict(const struct role_setup *s, char **ret_why)
{
	const char *key = conflict_parts(s, ret_why) ?: conflict_times(s, ret_why);

	if (key || s->role == ROLE_NONE || s->policy == SCHED_FIFO)
		return key;
	return conflict(ret_why, "policy",
			"what the kernel module measures runs as fifo, whatever is asked for");
}
