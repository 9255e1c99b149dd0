/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All reports are fetched before the first byte is written: an id that does not exist leaves no
 * half output, and a file named with -o is only touched when there is something to put there.
 */
#include "args.h"
#include "client.h"
#include "outfile.h"
#include "report.h"
#include "session.h"
#include <string.h>

struct session_report {
	struct client *c;
	struct report_wish wish;
	const char *path; /* of the file; NULL: stdout */
	GArray *reports;  /* of struct report */
};

static int session_report_add(struct session_report *s, const char *name)
{
	g_autofree char *path = NULL;
	struct report report;
	int r = session_resolve(s->c, name, SESSION_LAST, &path);

	if (!r)
		r = report_fetch(s->c, path, &s->wish, &report);
	if (!r)
		g_array_append_val(s->reports, report);
	return r;
}

/* Several JSON reports are an array, so that the whole is JSON again. */
static int session_report_write(void *data, int fd)
{
	struct session_report *s = data;
	bool array = s->reports->len > 1 && report_format_is_json(s->wish.format);
	int r = array ? outfile_write(fd, "[\n", 2) : 0;

	for (guint i = 0; r >= 0 && i < s->reports->len; i++) {
		if (i)
			r = outfile_write(fd, array ? ",\n" : "\n", array ? 2 : 1);
		if (r >= 0)
			r = report_write(&g_array_index(s->reports, struct report, i), fd);
	}
	return r >= 0 && array ? outfile_write(fd, "]\n", 2) : r;
}

static int session_report_all(struct session_report *s, const struct args *a)
{
	int r = a->operands->len ? OUTCOME_DONE : session_report_add(s, NULL);

	for (guint i = 0; !r && i < a->operands->len; i++)
		r = session_report_add(s, args_operand(a, i));
	if (r)
		return r;
	return report_deliver(s->c, s->path, session_report_write, s);
}

static int session_report_run(struct client *c, const struct args *a)
{
	struct session_report s = {
		.c = c,
		.path = args_value(a, "output"),
		.wish = { .stage = args_value(a, "stage"), .plot = args_value(a, "plot") },
	};
	int r = report_format_wanted(c, a, "Formats", &s.wish.format);

	if (!s.wish.format)
		return r;
	if (s.wish.plot && strcmp(s.wish.format, "svg") != 0)
		return say_usage("--plot goes with --format=svg.");
	s.wish.display = report_is_displayed(s.path);
	s.reports = g_array_new(FALSE, FALSE, sizeof(struct report));
	g_array_set_clear_func(s.reports, (GDestroyNotify)report_done);
	r = session_report_all(&s, a);
	g_array_unref(s.reports);
	return r;
}

static const struct option_spec session_report_options[] = {
	{ "format", 0, "FORMAT", "text (default), json, or another one: help lists them" },
	{ "stage", 0, "NAME", "Only this stage" },
	{ "plot", 0, "NAME", "Of svg only histogram, ccdf, maxima or tail" },
	{ "output", 'o', "FILE", "Write it to this file, complete or not at all" },
	{ NULL },
};

const struct verb verb_session_report = {
	.name = "session report",
	.operands = "[ID...]",
	.help = "Print reports (default: of the last session)",
	.max = VERB_ANY,
	.options = session_report_options,
	.run = session_report_run,
};
