/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * A way to measure. One file each in instruments/ with `const struct instrument instrument_NAME`;
 * the table is made from the list in meson.build.
 */
#include <stdbool.h>
#include <stddef.h>

struct worker;

struct instrument {
	const char *name;
	const char *description; /* one line, for --list */
	bool grid;		 /* has an interval; missed and corrected mean something */
	bool spins;		 /* never sleeps by itself */
	/*
	 * The whole loop of one CPU's thread, warm-up included, until the worker's end. Between two
	 * samples it calls nothing but the wait, the clock and one function that records.
	 */
	void (*run)(struct worker *w);
};

extern const struct instrument *const instruments[];	    /* ends with NULL; generated */
const struct instrument *instrument_find(const char *name); /* NULL: unknown */
