/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * What the kernel module measures, read into a CPU's block of the region: for the instruments
 * parport and ktimer, whose threads measure nothing themselves. Owned by the one thread that reads.
 * Times are nanoseconds of CLOCK_MONOTONIC.
 */
#include "lrtbfdev.h"
#include "record.h"
#include "worker.h"

#define STREAM_BATCH 512 /* records read at once */

struct stream {
	/* configuration */
	struct worker *w;
	bool grid; /* a record is a period: what was missed between two is known */
	struct lrtbfdev dev;
	/* changes */
	uint64_t begin_ns, end_ns; /* records from begin on and before end count */
	bool over;		   /* no more of them are wanted, or will come */
	bool begun;
	struct record_place place;
	struct region_port facts;
	struct lrtbf_record *batch;
};

/* Open the device for the worker's order. Then stream_free(). As instrument.prepare(). */
int stream_new(struct worker *w, const char *dir, bool grid, struct stream **ret,
	       char **ret_message);
struct stream *stream_free(struct stream *s);

/* Begin: false when the worker has given up. */
bool stream_start(struct stream *s);
/* It is to go on reading. */
bool stream_goes_on(const struct stream *s);
/* Wait for records, as long as that does not matter to anybody. */
void stream_wait(struct stream *s);
/* Take what is there, and look how the module does. */
void stream_step(struct stream *s);
/* What is still under way, the rest, and how it ended. */
void stream_end(struct stream *s);

/* Take @n records. Pure but for the block and the clock: for tests, too. */
void stream_take(struct stream *s, const struct lrtbf_record *records, size_t n);
/* What @c says became of it, said of the worker. */
void stream_judge(struct stream *s, const struct lrtbf_counters *c);
