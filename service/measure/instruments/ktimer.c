/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ktimer: how late is a timer of the kernel, in its interrupt handler or in a kernel thread that it
 * wakes? Against the instrument timer on the same CPU this tells how much of a latency lies below
 * user space (Xenomai's latency -t2 and -t1). The kernel module measures; here its records are
 * read.
 */
#include "instrument.h"
#include "stream.h"

static int ktimer_prepare(struct worker *w, char **ret_message)
{
	struct stream *s;
	int r = stream_new(w, LRTBFDEV_FOLDER, true, &s, ret_message);

	if (r == 0)
		w->data = s;
	return r;
}

static void ktimer_finish(struct worker *w)
{
	w->data = stream_free(w->data);
}

static void ktimer_run(struct worker *w)
{
	struct stream *s = w->data;

	if (!stream_start(s))
		return;
	while (stream_goes_on(s)) {
		stream_wait(s);
		stream_step(s);
	}
	stream_end(s);
}

const struct instrument instrument_ktimer = {
	.name = "ktimer",
	.description = "lateness of the kernel's own timers, per CPU (kernel module lrtbf)",
	.interval = true,
	.grid = true,
	.roles = 1 << ROLE_IRQ | 1 << ROLE_KTHREAD,
	.role = ROLE_IRQ,
	.prepare = ktimer_prepare,
	.finish = ktimer_finish,
	.run = ktimer_run,
};
