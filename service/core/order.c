/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why a struct and no text: parent and child are of one build, and what a person may write has been
 * parsed and refused with file and line long before. What is left to check are ranges and
 * combinations, and those once for all callers: here.
 */
#include "order.h"
#include "policy.h"

#include <errno.h>
#include <glib.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#define INTERVAL_MIN_NS 1000ULL
#define INTERVAL_MAX_NS 3600000000000ULL
#define TIME_MAX_NS	(366ULL * 24 * INTERVAL_MAX_NS) /* of a stage: a year */
#define WORK_MIN_NS	1000ULL
#define WORK_MAX_NS	100000000ULL

G_GNUC_PRINTF(2, 3) static int order_bad(char **ret_message, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	if (ret_message)
		*ret_message = g_strdup_vprintf(fmt, ap);
	va_end(ap);
	return -EINVAL;
}

void order_init(struct order *o)
{
	*o = (struct order){
		.magic = ORDER_MAGIC,
		.version = ORDER_VERSION,
		.size = sizeof(*o),
		.instrument = "timer",
		.policy = SCHED_OTHER,
		.interval_ns = 1000000,
		.duration_ns = 10000000000,
		.work_ns = 100000,
		.control_cpu = -1,
		.lock_memory = 1,
	};
}

int order_write(int fd, const struct order *o)
{
	const char *at = (const char *)o;
	size_t left = sizeof(*o);

	while (left > 0) {
		ssize_t n = write(fd, at, left);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		at += n;
		left -= n;
	}
	return 0;
}

static bool order_word(const char *text, size_t size)
{
	size_t n = strnlen(text, size);

	return n > 0 && n < size && strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_") == n;
}

int order_parse(const void *data, size_t size, struct order *ret, char **ret_message)
{
	struct order o;

	if (size != sizeof(o)) {
		order_bad(ret_message, "The order has %zu bytes instead of %zu.", size, sizeof(o));
		return -EBADMSG;
	}
	memcpy(&o, data, sizeof(o));
	if (o.magic != ORDER_MAGIC || o.version != ORDER_VERSION || o.size != sizeof(o)) {
		order_bad(ret_message, "The order is not one of this version of lrtbf-measure.");
		return -EBADMSG;
	}
	if (order_check(&o, ret_message) < 0)
		return -EBADMSG;
	*ret = o;
	return 0;
}

int order_read(int fd, struct order *ret, char **ret_message)
{
	char data[sizeof(struct order) + 1]; /* one more, to see a longer one */
	size_t size = 0;

	while (size < sizeof(data)) {
		ssize_t n = read(fd, data + size, sizeof(data) - size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			int err = errno;

			order_bad(ret_message, "The order cannot be read: %s.", g_strerror(err));
			return -err;
		}
		if (n == 0)
			break;
		size += n;
	}
	return order_parse(data, size, ret, ret_message);
}

static int order_check_times(const struct order *o, char **ret_message)
{
	if (o->interval_ns != 0 &&
	    (o->interval_ns < INTERVAL_MIN_NS || o->interval_ns > INTERVAL_MAX_NS))
		return order_bad(ret_message, "The interval must be between 1us and 1h.");
	if (o->duration_ns < INTERVAL_MIN_NS || o->duration_ns > TIME_MAX_NS)
		return order_bad(ret_message, "The duration must be between 1us and 366d.");
	if (o->warmup_ns > TIME_MAX_NS)
		return order_bad(ret_message, "The warm-up must be at most 366d.");
	if (o->break_ns > TIME_MAX_NS || o->within_ns > TIME_MAX_NS)
		return order_bad(ret_message, "Break value and bound must be at most 366d.");
	if (o->dither_ns > 0 && o->dither_ns >= o->interval_ns)
		return order_bad(ret_message, "The dither must be shorter than the interval.");
	if (o->work_ns != 0 && (o->work_ns < WORK_MIN_NS || o->work_ns > WORK_MAX_NS))
		return order_bad(ret_message, "The work of a pass must be between 1us and 100ms.");
	return 0;
}

static int order_check_deadline(const struct order *o, char **ret_message)
{
	if (o->policy != SCHED_DEADLINE) {
		if (o->dl_runtime_ns || o->dl_deadline_ns || o->dl_period_ns)
			return order_bad(ret_message,
					 "Runtime, deadline and period belong to policy deadline.");
		return 0;
	}
	/* the kernel's own rules: sched(7), SCHED_DEADLINE */
	if (o->dl_runtime_ns < 1024 || o->dl_runtime_ns > o->dl_deadline_ns ||
	    o->dl_deadline_ns > o->dl_period_ns || o->dl_period_ns > INTERVAL_MAX_NS)
		return order_bad(ret_message,
				 "Policy deadline needs 1024ns <= runtime <= deadline <= "
				 "period <= 1h.");
	return 0;
}

static int order_check_policy(const struct order *o, char **ret_message)
{
	bool realtime = o->policy == SCHED_FIFO || o->policy == SCHED_RR;

	if (!realtime && o->policy != SCHED_OTHER && o->policy != SCHED_BATCH &&
	    o->policy != SCHED_IDLE && o->policy != SCHED_DEADLINE)
		return order_bad(ret_message, "There is no scheduling policy %u.", o->policy);
	if (realtime && (o->priority < 1 || o->priority > 98))
		return order_bad(ret_message,
				 "The priority must be between 1 and 98: 99 is left to "
				 "the thread that ends the measurement.");
	if (!realtime && o->priority != 0)
		return order_bad(ret_message, "Only the policies fifo and rr have a priority.");
	if (o->nice < -20 || o->nice > 19)
		return order_bad(ret_message, "The nice value must be between -20 and 19.");
	return order_check_deadline(o, ret_message);
}

/* What the role's own rules say, as a sentence. */
static int order_check_role(const struct order *o, char **ret_message)
{
	const struct role_setup s = {
		.role = o->role,
		.answer = o->answer,
		.receive = o->receive,
		.strobe = o->pulse == ROLE_PULSE_STROBE,
		.virtual_port = o->pulse == ROLE_PULSE_VIRTUAL,
		.port = o->port,
		.interval_ns = o->interval_ns,
		.timeout_ns = o->timeout_ns,
		.policy = (int)o->policy,
	};
	g_autofree char *why = NULL;

	if (o->role >= _ROLE_MAX || o->answer >= _ROLE_ANSWER_MAX ||
	    o->receive >= _ROLE_RECEIVE_MAX || o->pulse >= _ROLE_PULSE_MAX)
		return order_bad(ret_message, "There is no such role, answer, receive or pulse.");
	if (!memchr(o->port, '\0', sizeof(o->port)))
		return order_bad(ret_message, "The name of the port has no end.");
	if (role_conflict(&s, &why)) {
		why[0] = g_ascii_toupper(why[0]);
		return order_bad(ret_message, "%s.", why);
	}
	if (role_of_port(o->role) && CPU_COUNT(&o->cpus) != 1)
		return order_bad(ret_message, "A port is measured on one CPU: name it.");
	if (role_sends(o->role) && o->timeout_ns == 0)
		return order_bad(ret_message, "The role %s needs a time-out.",
				 role_to_string(o->role));
	if (o->role != ROLE_NONE && o->dither_ns > 0)
		return order_bad(ret_message, "The kernel module dithers nothing.");
	return 0;
}

int order_check(const struct order *o, char **ret_message)
{
	if (!order_word(o->instrument, sizeof(o->instrument)))
		return order_bad(ret_message, "The name of the instrument is not a word.");
	if (CPU_COUNT(&o->cpus) == 0)
		return order_bad(ret_message, "There is no CPU to measure.");
	if (o->control_cpu < -1 || o->control_cpu >= CPU_SETSIZE)
		return order_bad(ret_message, "There is no CPU %d.", o->control_cpu);
	if (o->dma_latency_us < -1 || o->dma_latency_us > 2000000000)
		return order_bad(ret_message,
				 "The DMA latency must be between 0 and 2000000000us.");
	if (o->lock_memory > 1)
		return order_bad(ret_message, "Locking memory is 0 or 1.");
	if (order_check_policy(o, ret_message) < 0 || order_check_role(o, ret_message) < 0)
		return -EINVAL;
	return order_check_times(o, ret_message);
}
