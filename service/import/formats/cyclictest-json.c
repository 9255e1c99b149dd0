/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cyclictest --json=FILE. Some versions write keys that end in a colon ("cmdline:"), and all write
 * the command line as it is, quotes and backslashes included, which makes it no JSON: that line is
 * mended first. "resolution_in_ns" is 0 where times are in microseconds and 1 where they are in
 * nanoseconds. How many samples were above the histogram is not told, but follows from the cycles.
 */
#include "jsonsource.h"

#include <string.h>

#define FORMAT "cyclictest-json"

static bool cyclictest_json_looks_like(const char *text, size_t size)
{
	return strstr(text, "\"rt_test_version") && strstr(text, "\"thread\"");
}

static bool cyclictest_json_is_command(const char *line)
{
	line += strspn(line, " \t");
	return g_str_has_prefix(line, "\"cmdline:\": \"") ||
	       g_str_has_prefix(line, "\"cmdline\": \"");
}

/* The line's string, between its first and its last quotation mark, as JSON has it. */
static void cyclictest_json_mend(GString *out, const char *line, size_t size)
{
	g_autofree char *one = g_strndup(line, size);
	char *from = strstr(one, "\": \"") + 4, *to = strrchr(one, '"');

	if (to < from || strspn(to + 1, ", ") != strlen(to + 1)) {
		g_string_append_len(out, line, (gssize)size); /* cut off: the parser says so */
		return;
	}
	g_string_append_len(out, one, from - one);
	for (; from < to; from++) {
		if (*from == '"' || *from == '\\')
			g_string_append_c(out, '\\');
		g_string_append_c(out, *from == '\t' ? ' ' : *from);
	}
	g_string_append(out, to);
}

static GString *cyclictest_json_text(const char *text, size_t size)
{
	GString *out = g_string_sized_new(size + 64);
	const char *end = text + size;

	while (text < end) {
		const char *next = memchr(text, '\n', (size_t)(end - text));
		size_t n = (size_t)((next ? next : end) - text);

		if (cyclictest_json_is_command(text))
			cyclictest_json_mend(out, text, n);
		else
			g_string_append_len(out, text, (gssize)n);
		if (next)
			g_string_append_c(out, '\n');
		text += n + 1;
	}
	return out;
}

/* A member by its name, with or without the colon that some versions leave in it. */
static const char *cyclictest_json_string(const json_t *o, const char *key)
{
	g_autofree char *colon = g_strconcat(key, ":", NULL);
	const char *value = json_string_value(json_object_get(o, key));

	return value ? value : json_string_value(json_object_get(o, colon));
}

/* "Mon, 30 Nov 2026 13:18:36 +0000", in whatever locale this is read; 0: not such a time. */
static uint64_t cyclictest_json_time(const char *text)
{
	static const char *const months[] = { "Jan", "Feb", "Mar", "Apr", "May", "Jun",
					      "Jul", "Aug", "Sep", "Oct", "Nov", "Dec" };
	int day, year, hour, minute, second, zone;
	char month[4];

	if (!text || sscanf(text, "%*3s, %d %3s %d %d:%d:%d %d", &day, month, &year, &hour, &minute,
			    &second, &zone) != 7)
		return 0;
	for (int i = 0; i < 12; i++) {
		g_autoptr(GDateTime) time = NULL;

		if (strcmp(months[i], month) != 0)
			continue;
		time = g_date_time_new_utc(year, i + 1, day, hour, minute, second);
		if (!time || zone < -1400 || zone > 1400 || g_date_time_to_unix(time) < 0)
			return 0;
		return (uint64_t)(g_date_time_to_unix(time) - (zone / 100 * 60 + zone % 100) * 60) *
		       G_USEC_PER_SEC;
	}
	return 0;
}

static void cyclictest_json_about(const json_t *j, const struct import_options *o, struct result *r,
				  uint64_t resolution_ns)
{
	const json_t *sysinfo = json_object_get(j, "sysinfo");

	json_object_set_new(r->method, "resolution_ns", json_integer((json_int_t)resolution_ns));
	r->started_usec = cyclictest_json_time(cyclictest_json_string(j, "start_time"));
	r->finished_usec = cyclictest_json_time(cyclictest_json_string(j, "end_time"));
	if (r->finished_usec > r->started_usec && r->started_usec > 0) {
		source_stage(r)->started_usec = r->started_usec;
		source_stage(r)->duration_ns = (r->finished_usec - r->started_usec) * 1000;
	}
	source_kernel(r, o, json_string_value(json_object_get(sysinfo, "release")),
		      json_string_value(json_object_get(sysinfo, "version")),
		      json_string_value(json_object_get(sysinfo, "machine")));
}

static int cyclictest_json_take(struct source *s, const json_t *j, const struct import_options *o,
				struct result *r)
{
	const char *command = cyclictest_json_string(j, "cmdline");
	bool ns = json_integer_value(json_object_get(j, "resolution_in_ns")) > 0;
	struct jsonsource_keys keys = {
		.count = "cycles",
		.unit_ns = ns ? 1 : SOURCE_US,
		.range = source_range(command),
	};
	uint64_t above = 0;
	int e;

	cyclictest_json_about(j, o, r, keys.unit_ns);
	e = jsonsource_cpus(s, json_object_get(j, "thread"), &keys, r, &above);
	if (e == 0 && above)
		source_lossy(r,
			     "%" G_GUINT64_FORMAT " samples are not in cyclictest's histogram: "
			     "of them only the number, the average and the largest are known.",
			     above);
	return e;
}

static int cyclictest_json_read(const char *text, size_t size, const struct import_options *o,
				GPtrArray *ret, char **ret_message)
{
	g_autoptr(GString) mended = cyclictest_json_text(text, size);

	return jsonsource_read(FORMAT, mended->str, mended->len, o, cyclictest_json_take, ret,
			       ret_message);
}

const struct import_format import_format_cyclictest_json = {
	.name = FORMAT,
	.description = "cyclictest --json",
	.looks_like = cyclictest_json_looks_like,
	.read = cyclictest_json_read,
};
