/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rtla timerlat hist. The latency of the timer's interrupt (IRQ), of the thread that it wakes (Thr)
 * and of the return to user space (Usr) are measured in different ways: a session for each.
 */
#include "rtlahist.h"

#include <string.h>

#define FORMAT "rtla-timerlat"

static bool timerlat_looks_like(const char *text, size_t size)
{
	return strstr(text, "RTLA timerlat histogram") != NULL;
}

static int timerlat_take(struct source *s, const struct rtlahist *h, const struct import_options *o,
			 GPtrArray *ret)
{
	static const struct {
		const char *kind, *context;
	} kinds[] = { { "IRQ", "irq" }, { "Thr", "thread" }, { "Usr", "user" } };
	struct result *r;
	int e;

	for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++) {
		e = rtlahist_result(s, h, kinds[i].kind, true, FORMAT, "latency", o, &r);
		if (e < 0)
			return e;
		if (!r)
			continue;
		json_object_set_new(r->method, "context", json_string(kinds[i].context));
		g_ptr_array_add(ret, r);
	}
	if (ret->len == 0)
		return source_fail_whole(s, "it has no column of IRQ, Thr or Usr");
	return 0;
}

static int timerlat_read(const char *text, size_t size, const struct import_options *o,
			 GPtrArray *ret, char **ret_message)
{
	struct rtlahist h;
	struct source s;
	int r;

	source_init(&s, text, size, o, ret_message);
	r = rtlahist_read(&s, &h);
	if (r == 0)
		r = timerlat_take(&s, &h, o, ret);
	rtlahist_done(&h);
	return r;
}

const struct import_format import_format_rtla_timerlat = {
	.name = FORMAT,
	.description = "rtla timerlat hist",
	.looks_like = timerlat_looks_like,
	.read = timerlat_read,
};
