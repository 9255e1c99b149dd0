/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All reports are fetched before the first byte is written: an id that does not exist leaves no
 * half output, and a file named with -o is only touched when there is something to put there.
 */
#include "args.h"
#include "client.h"
#include "outfile.h"
#include "pager.h"
#include "report.h"
#include "session.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct session_report {
	struct client *c;
	const char *format;
	const char *stage; /* NULL: all */
	const char *path;  /* of the file; NULL: stdout */
	GArray *reports;   /* of struct report */
};

static int session_report_add(struct session_report *s, const char *name)
{
	g_autofree char *path = NULL;
	struct report report;
	int r = session_resolve(s->c, name, SESSION_LAST, &path);

	if (!r)
		r = report_fetch(s->c, path, s->format, s->stage, !s->path, &report);
	if (!r)
		g_array_append_val(s->reports, report);
	return r;
}

/* Several JSON reports are an array, so that the whole is JSON again. */
static int session_report_write(struct session_report *s, int fd)
{
	bool array = s->reports->len > 1 && report_format_is_json(s->format);
	int r = array ? outfile_write(fd, "[\n", 2) : 0;

	for (guint i = 0; r >= 0 && i < s->reports->len; i++) {
		if (i)
			r = outfile_write(fd, array ? ",\n" : "\n", array ? 2 : 1);
		if (r >= 0)
			r = report_write(&g_array_index(s->reports, struct report, i), fd);
	}
	return r >= 0 && array ? outfile_write(fd, "]\n", 2) : r;
}

static int session_report_to_stdout(struct session_report *s)
{
	struct pager p;
	int r;

	pager_open(&p, s->c->pager && s->c->terminal.tty);
	r = session_report_write(s, STDOUT_FILENO);
	pager_close(&p);
	if (r == -EPIPE) /* the reader has seen enough */
		return OUTCOME_DONE;
	return r < 0 ? (int)say_error("Cannot write the report: %s.", g_strerror(-r))
		     : OUTCOME_DONE;
}

static int session_report_to_file(struct session_report *s)
{
	struct outfile f;
	int r = outfile_open(&f, s->path);

	if (r >= 0) {
		r = session_report_write(s, f.fd);
		if (r < 0)
			outfile_discard(&f);
		else
			r = outfile_commit(&f);
	}
	return r < 0 ? (int)say_error("Cannot write '%s': %s.", s->path, g_strerror(-r))
		     : OUTCOME_DONE;
}

static int session_report_all(struct session_report *s, const struct args *a)
{
	int r = a->operands->len ? OUTCOME_DONE : session_report_add(s, NULL);

	for (guint i = 0; !r && i < a->operands->len; i++)
		r = session_report_add(s, args_operand(a, i));
	if (r)
		return r;
	return s->path ? session_report_to_file(s) : session_report_to_stdout(s);
}

static int session_report_run(struct client *c, const struct args *a)
{
	const char *format = args_value(a, "format"), *path = args_value(a, "output");
	struct session_report s = { .c = c };
	int r;

	if (c->json && format && strcmp(format, "json") != 0)
		return say_usage("--json and --format=%s do not go together.", format);
	s.format = format ? format : c->json ? "json" : "text";
	s.stage = args_value(a, "stage");
	s.path = path && strcmp(path, "-") != 0 ? path : NULL;
	s.reports = g_array_new(FALSE, FALSE, sizeof(struct report));
	g_array_set_clear_func(s.reports, (GDestroyNotify)report_done);
	r = session_report_all(&s, a);
	g_array_unref(s.reports);
	return r;
}

static const struct option_spec session_report_options[] = {
	{ "format", 0, "FORMAT", "text (default), json, csv, cyclictest, cyclictest-json" },
	{ "stage", 0, "NAME", "Only this stage" },
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
