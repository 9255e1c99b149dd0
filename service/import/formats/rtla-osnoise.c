/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rtla osnoise hist: how long single noises were, which is no latency and never compared with one.
 * Its average is left out: that of 6.1 does not agree with its own table.
 */
#include "rtlahist.h"

#include <string.h>

#define FORMAT "rtla-osnoise"

static bool osnoise_looks_like(const char *text, size_t size)
{
	return strstr(text, "RTLA osnoise histogram") != NULL;
}

static int osnoise_read(const char *text, size_t size, const struct import_options *o,
			GPtrArray *ret, char **ret_message)
{
	struct result *result = NULL;
	struct rtlahist h;
	struct source s;
	int r;

	source_init(&s, text, size, o, ret_message);
	r = rtlahist_read(&s, &h);
	if (r == 0)
		r = rtlahist_result(&s, &h, "CPU", false, FORMAT, "noise", o, &result);
	if (r == 0 && !result)
		r = source_fail_whole(&s, "it has no column of a CPU");
	if (result)
		g_ptr_array_add(ret, result);
	rtlahist_done(&h);
	return r;
}

const struct import_format import_format_rtla_osnoise = {
	.name = FORMAT,
	.description = "rtla osnoise hist",
	.looks_like = osnoise_looks_like,
	.read = osnoise_read,
};
