/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * What importers of JSON share: the shape that cyclictest and jitterdebugger have in common, CPUs
 * with a count, a minimum, a maximum, an average and some part of a histogram.
 */
#include "source.h"
#include <jansson.h>

/*
 * Of @text, whose top is an object, one result of latencies, which @take fills: 0 or -EBADMSG with
 * a sentence. As an importer's read().
 */
typedef int (*jsonsource_take_t)(struct source *s, const json_t *j, const struct import_options *o,
				 struct result *r);
int jsonsource_read(const char *format, const char *text, size_t size,
		    const struct import_options *o, jsonsource_take_t take, GPtrArray *ret,
		    char **ret_message);

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
