/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "args.h"
#include "client.h"
#include "duration.h"
#include "report.h"
#include "when.h"
#include <string.h>

struct trend {
	const struct args *a;
	uint64_t since_usec; /* 0: from the beginning */
	int64_t limit;	     /* 0: all */
};

static int trend_append(sd_bus_message *m, const void *data)
{
	const struct trend *t = data;

	return sd_bus_message_append(m, "s", args_operand(t->a, 0));
}

static int trend_fill(sd_bus_message *m, const void *data)
{
	static const char *const plain[] = { "figure", "stage", "by" };
	const struct trend *t = data;
	int r = OUTCOME_DONE, n = 0;

	for (size_t i = 0; !r && i < G_N_ELEMENTS(plain); i++)
		if (args_has(t->a, plain[i]))
			r = client_append_text(m, plain[i], args_value(t->a, plain[i]));
	if (!r && t->limit)
		n = sd_bus_message_append(m, "{sv}", "limit", "u", (uint32_t)t->limit);
	if (!r && n >= 0 && t->since_usec)
		n = sd_bus_message_append(m, "{sv}", "since_usec", "t", t->since_usec);
	return n < 0 ? client_fail(NULL, n) : r;
}

static int trend_read(struct trend *t)
{
	const char *since = args_value(t->a, "since"), *limit = args_value(t->a, "limit");
	g_autofree char *message = NULL;

	if (!args_operand(t->a, 0))
		return say_usage("'trend' needs an argument: PLAN.");
	if (since && when_parse(since, g_get_real_time(), &t->since_usec, &message) < 0)
		return say_usage("--since: %s", message);
	if (limit && integer_parse(limit, 1, UINT32_MAX, &t->limit, &message) < 0)
		return say_usage("--limit takes a number of sessions from 1.");
	return client_check_text(args_operand(t->a, 0));
}

static int trend_run(struct client *c, const struct args *a)
{
	const char *format, *path = args_value(a, "output");
	struct trend t = { .a = a };
	const struct report_method method = {
		.path = CLIENT_PATH,
		.interface = CLIENT_MANAGER,
		.get = "Trend",
		.open = "OpenTrend",
		.append = trend_append,
		.fill = trend_fill,
		.data = &t,
	};
	int r = report_format_wanted(c, a, "TrendFormats", &format);
	struct report report;

	if (!format)
		return r;
	r = trend_read(&t);
	if (!r)
		r = report_call(c, &method, format, report_is_displayed(path), &report);
	if (r)
		return r;
	r = report_deliver_one(c, path, &report);
	report_done(&report);
	return r;
}

static const struct option_spec trend_options[] = {
	{ "figure", 0, "FIGURE", "As in a plan's limits: max (default), avg, p99.9, missed" },
	{ "stage", 0, "NAME", "Of this stage (default: the newest session's first)" },
	{ "by", 0, "kernel", "A row for each kernel" },
	{ "since", 0, "WHEN", "Not older: 30d, yesterday, 2026-11-30, @SECONDS" },
	{ "limit", 0, "N", "Only the newest so many sessions" },
	{ "format", 0, "FORMAT", "text (default), json, or another one: help lists them" },
	{ "output", 'o', "FILE", "Write it to this file, complete or not at all" },
	{ NULL },
};

const struct verb verb_trend = {
	.name = "trend",
	.operands = "PLAN",
	.help = "Show a figure over a plan's sessions, and where it shifted",
	.options = trend_options,
	.max = 1,
	.run = trend_run,
};
