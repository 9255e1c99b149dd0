/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * lrtbf-measure's command line. Pure but for the CPUs it may use, which it is told.
 */
#include "instrument.h"
#include "order.h"
#include <stdbool.h>

enum options_what {
	OPTIONS_MEASURE,
	OPTIONS_CHILD, /* --order-fd= and --region-fd= */
	OPTIONS_HELP,
	OPTIONS_VERSION,
	OPTIONS_LIST,
};

struct options {
	enum options_what what;
	struct order order; /* OPTIONS_MEASURE: complete but unchecked */
	bool json;
	bool strobe, virtual_port; /* order.pulse, once checked */
	int order_fd, region_fd;   /* OPTIONS_CHILD */
	/* names of options that not every instrument has, as far as they were given; static */
	const char *of_interval, *of_dither, *of_work, *of_module;
	const char *of_cpus;
};

/*
 * @allowed: CPUs of "all", those that may be measured; @online: why others may not. -EINVAL with a
 * sentence (g_free): how it is used wrongly.
 */
int options_parse(int argc, char **argv, const cpu_set_t *allowed, const cpu_set_t *online,
		  struct options *ret, char **ret_message);

/*
 * Fill in what @i needs and was not asked for, and see whether it can be measured: -EINVAL with a
 * sentence (g_free).
 */
int options_check(struct options *o, const struct instrument *i, char **ret_message);

/* The text of --help. */
extern const char options_help[];
