/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The shape that `cyclictest --json` of rt-tests writes, for parsers that expect it. Three
 * differences, all in favour of a reader: it is valid JSON for every label and command line; the
 * keys that rt-tests writes with a stray colon ("cmdline:", "rt_test_version:") are there with and
 * without it; and every sample is in the histogram, however long, so that the sum of a histogram is
 * its `cycles`. A thread without samples has null for min, max and avg.
 */
#include "config.h"
#include "cyclic.h"
#include "figures-json.h"
#include "report.h"
#include "value.h"

#include <inttypes.h>
#include <math.h>
#include <time.h>

/* As in mail headers; strftime's names of days and months would follow the locale. */
static json_t *cyclictest_json_time(uint64_t usec)
{
	static const char days[][4] = { "Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat" };
	static const char months[][4] = { "Jan", "Feb", "Mar", "Apr", "May", "Jun",
					  "Jul", "Aug", "Sep", "Oct", "Nov", "Dec" };
	time_t t = usec / 1000000;
	g_autofree char *text = NULL;
	struct tm tm;

	if (usec == 0 || !gmtime_r(&t, &tm))
		return json_null();
	text = g_strdup_printf("%s, %02d %s %d %02d:%02d:%02d +0000", days[tm.tm_wday], tm.tm_mday,
			       months[tm.tm_mon], tm.tm_year + 1900, tm.tm_hour, tm.tm_min,
			       tm.tm_sec);
	return json_string(text);
}

static json_t *cyclictest_json_sysinfo(const struct result *r)
{
	const json_t *c = r->conditions;
	json_t *o = json_object();

	json_object_set_new(o, "sysname", json_string("Linux"));
	json_object_set_new(o, "nodename", value_string(value_get_string(c, "kernel.nodename")));
	json_object_set_new(o, "release", value_string(value_get_string(c, "kernel.release")));
	json_object_set_new(o, "version", value_string(value_get_string(c, "kernel.version")));
	json_object_set_new(o, "machine", value_string(value_get_string(c, "kernel.machine")));
	json_object_set_new(o, "realtime", json_integer(value_get_true(c, "kernel.realtime")));
	return o;
}

static json_t *cyclictest_json_histogram(const struct figures *f)
{
	json_t *o = json_object();

	for (unsigned b = 0; b < HISTOGRAM_BUCKETS;) {
		uint64_t us = cyclic_us(f, b), count = 0;
		char key[24];

		for (; b < HISTOGRAM_BUCKETS && cyclic_us(f, b) == us; b++)
			count += f->bucket[b];
		if (count == 0)
			continue;
		snprintf(key, sizeof(key), "%" PRIu64, us);
		json_object_set_new(o, key, value_count(count));
	}
	return o;
}

static json_t *cyclictest_json_thread(const struct result_cpu *c)
{
	const struct figures *f = c->figures;
	uint64_t count = figures_count(f), min = 0, max = 0;
	bool has_min = figures_min_ns(f, &min), has_max = figures_max_ns(f, &max);
	json_t *o = json_object();
	double mean = 0;
	bool has_mean = figures_mean_ns(f, &mean);

	json_object_set_new(o, "histogram", cyclictest_json_histogram(f));
	json_object_set_new(o, "cycles", value_count(count));
	json_object_set_new(o, "min", has_min ? value_count(min / 1000) : json_null());
	json_object_set_new(o, "max", has_max ? value_count(max / 1000) : json_null());
	json_object_set_new(o, "avg", has_mean ? value_real(round(mean / 10) / 100) : json_null());
	json_object_set_new(o, "cpu", json_integer(c->cpu));
	json_object_set_new(o, "node", json_null());
	return o;
}

static json_t *cyclictest_json_threads(const GPtrArray *threads)
{
	json_t *o = json_object();

	for (guint i = 0; i < threads->len; i++) {
		char key[16];

		snprintf(key, sizeof(key), "%u", i);
		json_object_set_new(o, key, cyclictest_json_thread(threads->pdata[i]));
	}
	return o;
}

static int cyclictest_json_render(const struct result *r, const struct report_options *o,
				  GString *out, char **ret_message)
{
	g_autoptr(GPtrArray) threads = cyclic_threads(r);
	g_autofree char *command = cyclic_command(r), *text = NULL;
	g_autoptr(json_t) j = json_object();
	bool well = r->state == SESSION_DONE || r->state == SESSION_STOPPED;

	json_object_set_new(j, "file_version", json_integer(1));
	json_object_set_new(j, "cmdline", value_string(command));
	json_object_set_new(j, "cmdline:", value_string(command));
	json_object_set_new(j, "rt_test_version", json_string("lrtbfd " LRTBFD_VERSION));
	json_object_set_new(j, "rt_test_version:", json_string("lrtbfd " LRTBFD_VERSION));
	json_object_set_new(j, "start_time", cyclictest_json_time(r->started_usec));
	json_object_set_new(j, "end_time", cyclictest_json_time(r->finished_usec));
	json_object_set_new(j, "return_code", json_integer(well ? 0 : 1));
	json_object_set_new(j, "sysinfo", cyclictest_json_sysinfo(r));
	json_object_set_new(j, "num_threads", json_integer(threads->len));
	json_object_set_new(j, "resolution_in_ns", json_integer(0)); /* 0: latencies in us */
	json_object_set_new(j, "thread", cyclictest_json_threads(threads));
	text = json_text(j, true);
	g_string_append(out, text);
	if (out->len && out->str[out->len - 1] != '\n')
		g_string_append_c(out, '\n');
	return 0;
}

const struct report_format report_format_cyclictest_json = {
	.name = "cyclictest-json",
	.media_type = "application/json",
	.description = "as cyclictest --json writes it; stages added up",
	.render = cyclictest_json_render,
};
