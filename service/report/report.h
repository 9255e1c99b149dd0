/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Results rendered: result -> bytes. Pure functions, one file per format in formats/; the table of
 * formats is generated from that folder's meson list.
 */
#include "result.h"

struct report_options {
	unsigned
		width; /* columns of the reader's terminal; 0: 80; kept within 40..200. text only */
	bool unicode;  /* block characters may be used in histograms. text only */
	bool colour;   /* text only */
	const char *plot; /* svg only: "histogram", "ccdf", "maxima", "tail"; NULL: all */
	const char
		*stage; /* only the stage of this name, all its repeats; NULL: all. Every format */
};

struct report_format {
	const char *name;	 /* "text" */
	const char *media_type;	 /* "text/plain; charset=utf-8" */
	const char *description; /* one line for help */
	bool summary; /* it has something to say of a session whose details were removed */
	/* Render @r into @out (empty before). 0, or -EOPNOTSUPP with a sentence: this result has no
	 * such form. */
	int (*render)(const struct result *r, const struct report_options *o, GString *out,
		      char **ret_message);
};

extern const struct report_format *const report_formats[];   /* ends with NULL; generated */
const struct report_format *report_format(const char *name); /* NULL: unknown */

/*
 * The one call a caller needs. @o NULL: all defaults. -EINVAL with a sentence that lists the
 * formats or the stages when one of these is unknown; else what the format says.
 */
int report_render(const char *format, const struct result *r, const struct report_options *o,
		  GString *out, char **ret_message);

/* The `session` object of the JSON report, also an element of `session list --json`. */
json_t *report_session_json(const struct result *r);
/* The whole JSON report. */
json_t *report_json(const struct result *r);
