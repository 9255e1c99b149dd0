/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * What methods share that answer with something rendered: the reader's terminal among their
 * options, and the answer, as a string or as a sealed file.
 */
#include "options.h"
#include "report.h"

/* In a table of options: the reader's terminal. */
/* clang-format off */
#define RENDERING_OPTIONS { "width", 'u' }, { "unicode", 'b' }, { "colour", 'b' }
/* clang-format on */

#define RENDERING_FORMAT_MAX 64 /* letters of a format's name */

/* Names of formats by number; NULL: there are no more. */
typedef const char *(*rendering_names_t)(size_t i);
/* Those as an array, for a property. */
int rendering_append_formats(sd_bus_message *m, rendering_names_t names);
/* A method's argument: one of them (g_free). @of: "comparisons". Negative with @error set. */
int rendering_read_format(sd_bus_message *m, rendering_names_t names, const char *of, char **ret,
			  sd_bus_error *error);

/* Fills these of @ret, the others are 0. Negative with @error set. */
int rendering_read(const json_t *options, struct report_options *ret, sd_bus_error *error);

/* How the caller wants it. */
struct rendering_way {
	bool file;	     /* as a descriptor */
	const char *name;    /* of the file */
	const char *instead; /* else: what to call for one that is too large for a string */
};

/* Answer @call. Negative with @error set; for a handler's return. */
int rendering_reply(sd_bus_message *call, const struct rendering_way *way, const GString *rendered,
		    sd_bus_error *error);
