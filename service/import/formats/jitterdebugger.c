/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jitterdebugger's results.json. Its buckets do not sum to its count: the rest is above the
 * histogram's range, which it does not tell. "resolution_in_ns" 1000 means that times are in
 * microseconds.
 */
#include "jsonsource.h"

#include <string.h>

#define FORMAT "jitterdebugger"

static bool jitterdebugger_looks_like(const char *text, size_t size)
{
	/* its first versions told nothing of the machine */
	return strstr(text, "\"cpu\": {") && strstr(text, "\"histogram\"") &&
	       strstr(text, "\"count\"");
}

static int jitterdebugger_unit(struct source *s, const json_t *sysinfo, uint64_t *ret_ns)
{
	const json_t *value = json_object_get(sysinfo, "resolution_in_ns");

	*ret_ns = SOURCE_US;
	if (!value) /* of its first versions, which had no other unit */
		return 0;
	if (!json_is_integer(value) || json_integer_value(value) < 1 ||
	    json_integer_value(value) > 1000000000)
		return source_fail_whole(s, "its \"resolution_in_ns\" is no time");
	*ret_ns = (uint64_t)json_integer_value(value);
	return 0;
}

static int jitterdebugger_take(struct source *s, const json_t *j, const struct import_options *o,
			       struct result *r)
{
	const json_t *sysinfo = json_object_get(j, "sysinfo");
	struct jsonsource_keys keys = { .count = "count" };
	uint64_t above = 0;
	int e;

	e = jitterdebugger_unit(s, sysinfo, &keys.unit_ns);
	if (e == 0)
		e = jsonsource_cpus(s, json_object_get(j, "cpu"), &keys, r, &above);
	if (e < 0)
		return e;
	json_object_set_new(r->method, "resolution_ns", json_integer((json_int_t)keys.unit_ns));
	source_kernel(r, o, json_string_value(json_object_get(sysinfo, "release")),
		      json_string_value(json_object_get(sysinfo, "version")),
		      json_string_value(json_object_get(sysinfo, "machine")));
	if (above)
		source_lossy(r,
			     "%" G_GUINT64_FORMAT " samples are not in jitterdebugger's histogram: "
			     "of them only the number, the average and the largest are known.",
			     above);
	return 0;
}

static int jitterdebugger_read(const char *text, size_t size, const struct import_options *o,
			       GPtrArray *ret, char **ret_message)
{
	return jsonsource_read(FORMAT, text, size, o, jitterdebugger_take, ret, ret_message);
}

const struct import_format import_format_jitterdebugger = {
	.name = FORMAT,
	.description = "jitterdebugger's results.json",
	.looks_like = jitterdebugger_looks_like,
	.read = jitterdebugger_read,
};
