/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lrtbf-measure: one stage's measurement, for the daemon (order and region as descriptors) or
 * alone.
 */
#include "child.h"
#include "cleanup.h"
#include "cpulist.h"
#include "footing.h"
#include "instrument.h"
#include "measurement.h"
#include "options.h"
#include "outcome.h"
#include "policy.h"

#include "config.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>

#define EXIT_ERROR 1
#define EXIT_WRONG 64

static int say_error(const char *text)
{
	fprintf(stderr, "lrtbf-measure: %s\n", text);
	return EXIT_ERROR;
}

static int say(const char *text)
{
	if (fputs(text, stdout) < 0 || fflush(stdout) != 0)
		return say_error("The result cannot be written.");
	return 0;
}

static int print_outcome(const struct order *o, const struct region_header *map, bool json)
{
	struct region_header header;
	struct outcome out;
	g_autofree char *text = NULL;
	int r = outcome_take(&out, o, map, &header);

	if (r == 0 && json) {
		g_autofree char *dump = outcome_json(&out);

		text = g_strconcat(dump, "\n", NULL);
	} else if (r == 0) {
		text = outcome_text(&out);
	}
	outcome_done(&out);
	return r < 0 ? say_error("The result region is damaged.") : say(text);
}

/* With the daemon this is in the conditions; a thread that rests gives the kernel no reason. */
static void warn_of_kernel(const struct order *o, struct region_header *h)
{
	const char *ids = footing_limits_spinning();

	if (!policy_is_realtime((int)o->policy) || !instrument_find(o->instrument)->spins ||
	    strstr(h->warnings, "spinning") || !*ids)
		return;
	if (*h->warnings)
		g_strlcat(h->warnings, " ", sizeof(h->warnings));
	g_strlcat(h->warnings, ids, sizeof(h->warnings));
}

static int measure_alone(const struct options *opt)
{
	struct region_header *h = NULL;
	g_autofree char *message = NULL;
	g_auto(fd_t) fd = -1;
	int r;

	r = region_create_anonymous(&opt->order.cpus, &fd);
	if (r == 0)
		r = region_map(fd, true, &h);
	if (r < 0) {
		message = g_strdup_printf("No memory for the result: %s.", g_strerror(-r));
		return say_error(message);
	}
	r = measurement_run(&opt->order, h);
	if (r < 0)
		return say_error(h->text);
	if (region_phase(h) == REGION_FAILED && h->begin_mono_ns == 0)
		return say_error(h->text); /* nothing that anybody wants to see */
	warn_of_kernel(&opt->order, h);
	r = print_outcome(&opt->order, h, opt->json);
	return region_phase(h) == REGION_FAILED ? say_error(h->text) : r;
}

static int list_instruments(void)
{
	g_autoptr(GString) s = g_string_new(NULL);

	for (size_t i = 0; instruments[i]; i++)
		g_string_append_printf(s, "%-8s  %s\n", instruments[i]->name,
				       instruments[i]->description);
	return say(s->str);
}

static int wrong_usage(const char *message)
{
	(void)say_error(message);
	fputs("Try 'lrtbf-measure --help'.\n", stderr);
	return EXIT_WRONG;
}

static int run(struct options *opt)
{
	const struct instrument *instrument;
	g_autofree char *message = NULL;

	switch (opt->what) {
	case OPTIONS_HELP:
		return say(options_help);
	case OPTIONS_VERSION:
		return say("lrtbf-measure " LRTBFD_VERSION "\n");
	case OPTIONS_LIST:
		return list_instruments();
	case OPTIONS_CHILD:
		return child_run(opt->order_fd, opt->region_fd);
	case OPTIONS_MEASURE:
		break;
	}
	instrument = instrument_find(opt->order.instrument);
	if (!instrument) {
		message = g_strdup_printf("There is no instrument %s, see lrtbf-measure --list.",
					  opt->order.instrument);
		return wrong_usage(message);
	}
	if (options_check(opt, instrument, &message) < 0)
		return wrong_usage(message);
	return measure_alone(opt);
}

int main(int argc, char **argv)
{
	g_autofree char *message = NULL;
	struct options opt;
	cpu_set_t allowed, online;
	int r;

	/* the daemon starts it by a descriptor, whose number is the name otherwise */
	(void)prctl(PR_SET_NAME, "lrtbf-measure");
	r = cpulist_allowed("/", &allowed);
	if (r < 0) {
		message = g_strdup_printf("The CPUs cannot be asked for: %s.", g_strerror(-r));
		return say_error(message);
	}
	if (cpulist_online("/", &online) < 0)
		online = allowed; /* no /sys */
	r = options_parse(argc, argv, &allowed, &online, &opt, &message);
	return r < 0 ? wrong_usage(message) : run(&opt);
}
