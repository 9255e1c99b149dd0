/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Other programs' outputs as results: bytes -> results. Pure, one file per format in formats/; the
 * table is generated from that folder's meson list. Knows no file and no store.
 *
 * What a source states is taken over as it is, what it lost is told as a finding of the result
 * ("import-lossy"), and nothing is made up: figures.h says how what is known in part is kept.
 * Takes any bytes; what is wrong comes as a sentence with the line. Fuzzed.
 */
#include "result.h"

#define IMPORT_SIZE_MAX (8 << 20)

struct import_options {
	const char *name;   /* of the file, for sentences; NULL: "The file" */
	const char *label;  /* of all results; NULL: the source's own, or "" */
	const char *load;   /* name of the stage; NULL: the source's own, or "unknown" */
	const char *kernel; /* release; NULL: the source's own, or not known */
};

struct import_format {
	const char *name;	 /* "cyclictest" */
	const char *description; /* one line for help */
	/* Is it likely to be this? The first of the table that says so is taken. */
	bool (*looks_like)(const char *text, size_t size);
	/*
	 * @text: @size bytes without a NUL, valid UTF-8, ended by a NUL; lines may end in CRLF.
	 * Adds to @ret (of struct result, without id, row, owner and times). -EBADMSG with a
	 * sentence: nothing is to be kept.
	 */
	int (*read)(const char *text, size_t size, const struct import_options *o, GPtrArray *ret,
		    char **ret_message);
};

extern const struct import_format *const import_formats[];   /* ends with NULL; generated */
const struct import_format *import_format(const char *name); /* NULL: unknown */

/*
 * @format NULL or "": found out. One result for each session that the bytes tell of: complete but
 * for row and owner (id, times are set to @now_usec where the source has none). -EINVAL: unknown
 * format, option; -EBADMSG: not such an output, cut off, ...; -EMSGSIZE; each with a sentence.
 * g_ptr_array_unref().
 */
int import_read(const char *format, const void *data, size_t size, const struct import_options *o,
		uint64_t now_usec, GPtrArray **ret, char **ret_message);
