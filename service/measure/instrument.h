/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * A way to measure. One file each in instruments/ with `const struct instrument instrument_NAME`;
 * the table is made from the list in meson.build.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct worker;

struct instrument {
	const char *name;
	const char *description; /* one line, for --list */
	bool interval;		 /* has one (but for a target) */
	bool grid;		 /* and missed and corrected mean something */
	bool dither;		 /* and it can be dithered */
	bool work;		 /* has passes of work */
	bool spins;		 /* never sleeps by itself */
	uint32_t roles; /* bit n: enum role n; others than ROLE_NONE use the kernel module */
	uint32_t role;	/* where none is asked for */
	/*
	 * Before the start, by each CPU's thread: what may fail. 0 or -errno with a sentence
	 * (g_free). NULL: nothing to do.
	 */
	int (*prepare)(struct worker *w, char **ret_message);
	/* After the loop, and after a start that never came; not after a failed prepare(). */
	void (*finish)(struct worker *w);
	/*
	 * The whole loop of one CPU's thread, warm-up included, until the worker's end. Between two
	 * samples it calls nothing but the wait, the clock and one function that records.
	 */
	void (*run)(struct worker *w);
};

extern const struct instrument *const instruments[];	    /* ends with NULL; generated */
const struct instrument *instrument_find(const char *name); /* NULL: unknown */
/* It can measure in @role. */
bool instrument_has_role(const struct instrument *i, uint32_t role);
