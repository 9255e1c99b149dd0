/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * What importers of JSON share: the shape that cyclictest and jitterdebugger have in common, CPUs
 * with a count, a minimum, a maximum, an average and some part of a histogram.
 */
#include "source.h"
#include <jansson.h>

/* The object in @text. -EBADMSG with a sentence that names the line. json_decref(). */
int jsonsource_load(struct source *s, const char *text, size_t size, json_t **ret);

struct jsonsource_keys {
	const char *count;
	uint64_t unit_ns; /* of histogram, min and max; the average may have decimals */
	uint64_t range;	  /* one above the histogram's last value; 0: not known */
};
/*
 * @cpus: an object with a member for each CPU or thread, by number, into @r's stage. Samples that
 * the histogram lacks are unplaced. The number of those is added to *ret_above.
 */
int jsonsource_cpus(struct source *s, const json_t *cpus, const struct jsonsource_keys *k,
		    struct result *r, uint64_t *ret_above);
