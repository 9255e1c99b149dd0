/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * parport: how long does an interrupt of a parallel port take to be answered? The kernel module
 * sends and takes the time (kmod/); here its records are read, and in one mode a target's answer is
 * given.
 *
 * Why that thread reads records too: between an answer and the logger's next pulse there is nearly
 * a whole period, and a second thread on the same CPU would be in the first one's way.
 */
#include "instrument.h"
#include "stream.h"

#include <errno.h>

#define ANSWER_WAIT_NS 100000000ULL /* for an interrupt, before looking at the end */
#define ANSWERS_MAX    64	    /* between two looks at the records */

static int parport_prepare(struct worker *w, char **ret_message)
{
	struct stream *s;
	int r = stream_new(w, LRTBFDEV_FOLDER, false, &s, ret_message);

	if (r == 0)
		w->data = s;
	return r;
}

static void parport_finish(struct worker *w)
{
	w->data = stream_free(w->data);
}

static void parport_answer(struct stream *s)
{
	unsigned answers = 0;

	while (stream_goes_on(s)) {
		int r = lrtbfdev_answer(&s->dev, ANSWER_WAIT_NS);

		if (r == 0 && ++answers < ANSWERS_MAX)
			continue;
		answers = 0;
		stream_step(s);
		if (r < 0 && r != -ETIMEDOUT && r != -EINTR && r != -EAGAIN)
			return; /* it has ended; what else it may be is waited for with a sleep */
	}
}

static void parport_run(struct worker *w)
{
	struct stream *s = w->data;

	if (!stream_start(s))
		return;
	if (w->order->answer == ROLE_ANSWER_USER)
		parport_answer(s);
	while (stream_goes_on(s)) {
		stream_wait(s);
		stream_step(s);
	}
	stream_end(s);
}

const struct instrument instrument_parport = {
	.name = "parport",
	.description = "answers to interrupts of a parallel port (kernel module lrtbf)",
	.interval = true,
	.roles = 1 << ROLE_LOOPBACK | 1 << ROLE_LOGGER | 1 << ROLE_TARGET,
	.role = ROLE_LOOPBACK,
	.prepare = parport_prepare,
	.finish = parport_finish,
	.run = parport_run,
};
