/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rteval's summary.xml: the cores that its cyclictest (or timerlat) measured. "system" repeats the
 * sum of the cores and is left out, and so is the median, which is wrong at a bucket's edge. When a
 * sample of cyclictest was above the histogram rteval writes no statistics at all, and there is
 * nothing to import. One of the histogram's very end is in the maximum only. Of timerlat it adds up
 * three contexts, and drops what was above.
 *
 * GLib's parser takes no entities of a document's own, so that none of them can grow.
 */
#include "source.h"

#include "textline.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FORMAT		"rteval"
#define RTEVAL_TEXT_MAX 4096

struct rteval {
	struct source s;
	struct result *r;
	struct result_stage *stage;
	GString *text; /* of the element that is open */
	char *release, *arch;
	bool realtime;
	bool measured;	/* a cyclictest or timerlat element was there */
	bool measuring; /* it is open */
	bool more;	/* a second one was there, which is not read */
	bool timerlat;
	uint64_t range; /* of its command line, in us; 0: not told */
	bool above;	/* a maximum that is in no bucket */
	GString *loads; /* names of them, joined */
	uint64_t duration_ns;
	unsigned depth;
	struct result_cpu *cpu; /* of the core that is open */
	uint64_t samples, min_us, max_us;
	double mean_us;
	unsigned has; /* bit per statistic */
};

enum rteval_statistic {
	RTEVAL_SAMPLES = 1 << 0,
	RTEVAL_MIN = 1 << 1,
	RTEVAL_MAX = 1 << 2,
	RTEVAL_MEAN = 1 << 3,
};

static bool rteval_looks_like(const char *text, size_t size)
{
	return strstr(text, "<rteval") != NULL;
}

/* How a callback says what is wrong: the sentence is in the source, the parser stops. */
static void rteval_stop(GError **error)
{
	g_set_error(error, G_MARKUP_ERROR, G_MARKUP_ERROR_INVALID_CONTENT, "%s", "");
}

static const char *rteval_attribute(const char **names, const char **values, const char *name)
{
	for (; *names; names++, values++)
		if (strcmp(*names, name) == 0)
			return *values;
	return NULL;
}

static bool rteval_whole(const char *text, uint64_t most, uint64_t *ret)
{
	return text && source_number(&text, ret) && source_ended(text) && *ret <= most;
}

static int rteval_core(struct rteval *v, const char *id, const char *priority)
{
	uint64_t cpu, n;

	if (!rteval_whole(id, SOURCE_CPUS_MAX - 1, &cpu))
		return source_fail(&v->s, "a core's id is a number up to %d", SOURCE_CPUS_MAX - 1);
	v->cpu = source_cpu(v->stage, cpu);
	if (figures_count(v->cpu->figures) > 0)
		return source_fail(&v->s, "core %s is there twice", id);
	v->has = 0;
	if (rteval_whole(priority, 99, &n)) {
		v->cpu->priority = (int)n;
		json_object_set_new(v->r->method, "priority", json_integer((json_int_t)n));
	}
	return 0;
}

static int rteval_bucket(struct rteval *v, const char *index, const char *value)
{
	uint64_t us, n;

	if (!rteval_whole(index, INT64_MAX / SOURCE_US, &us) || !rteval_whole(value, INT64_MAX, &n))
		return source_fail(&v->s, "a bucket has an index and a value, both whole numbers");
	if (!source_samples(v->cpu->figures, us * SOURCE_US, n))
		return source_fail(&v->s, "more samples than can be");
	return 0;
}

/* Its days, hours, minutes and seconds. */
static void rteval_duration(struct rteval *v, const char **names, const char **values)
{
	static const struct {
		const char *name;
		uint64_t s;
	} parts[] = { { "days", 86400 }, { "hours", 3600 }, { "minutes", 60 }, { "seconds", 1 } };
	uint64_t n, s = 0;

	for (size_t i = 0; i < G_N_ELEMENTS(parts); i++)
		if (rteval_whole(rteval_attribute(names, values, parts[i].name), 1000000, &n))
			s += n * parts[i].s;
	if (s < 1000000000)
		v->duration_ns = s * 1000000000;
}

static void rteval_load(struct rteval *v, const char *name)
{
	if (!name || !text_is_line(name) || v->loads->len + strlen(name) > 100)
		return;
	g_string_append_printf(v->loads, "%s%s", v->loads->len ? "+" : "", name);
}

static void rteval_measurement(struct rteval *v, const char *element, const char *command)
{
	v->more |= v->measured;
	v->measuring = !v->measured;
	v->measured = true;
	if (!v->measuring)
		return;
	v->timerlat = strcmp(element, "timerlat") == 0;
	v->range = source_range(command);
	json_object_set_new(v->r->method, "program", json_string(element));
	if (v->timerlat)
		json_object_set_new(v->r->method, "context", json_string("irq+thread+user"));
}

static bool rteval_is_measurement(const char *element)
{
	return strcmp(element, "cyclictest") == 0 || strcmp(element, "timerlat") == 0;
}

static void rteval_start(GMarkupParseContext *context, const char *element, const char **names,
			 const char **values, void *userdata, GError **error)
{
	struct rteval *v = userdata;
	int line, column, r = 0;

	g_markup_parse_context_get_position(context, &line, &column);
	v->s.line = (unsigned)line;
	g_string_truncate(v->text, 0);
	if (++v->depth > 64)
		r = source_fail(&v->s, "its elements are more than 64 deep");
	else if (strcmp(element, "kernel") == 0)
		v->realtime = g_strcmp0(rteval_attribute(names, values, "is_RT"), "1") == 0;
	else if (strcmp(element, "run_info") == 0)
		rteval_duration(v, names, values);
	else if (strcmp(element, "command_line") == 0)
		rteval_load(v, rteval_attribute(names, values, "name"));
	else if (rteval_is_measurement(element))
		rteval_measurement(v, element, rteval_attribute(names, values, "command_line"));
	else if (strcmp(element, "core") == 0 && v->measuring && !v->cpu)
		r = rteval_core(v, rteval_attribute(names, values, "id"),
				rteval_attribute(names, values, "priority"));
	else if (strcmp(element, "bucket") == 0 && v->cpu)
		r = rteval_bucket(v, rteval_attribute(names, values, "index"),
				  rteval_attribute(names, values, "value"));
	if (r < 0)
		rteval_stop(error);
}

static void rteval_text(GMarkupParseContext *context, const char *text, gsize size, void *userdata,
			GError **error)
{
	struct rteval *v = userdata;

	if (v->text->len + size <= RTEVAL_TEXT_MAX)
		g_string_append_len(v->text, text, (gssize)size);
}

static int rteval_statistic(struct rteval *v, const char *element)
{
	static const struct {
		const char *name;
		unsigned bit;
		size_t offset;
	} known[] = {
		{ "samples", RTEVAL_SAMPLES, offsetof(struct rteval, samples) },
		{ "minimum", RTEVAL_MIN, offsetof(struct rteval, min_us) },
		{ "maximum", RTEVAL_MAX, offsetof(struct rteval, max_us) },
	};
	char *end;

	for (size_t i = 0; i < G_N_ELEMENTS(known); i++) {
		if (strcmp(element, known[i].name) != 0)
			continue;
		if (!rteval_whole(v->text->str, INT64_MAX / SOURCE_US,
				  (uint64_t *)((char *)v + known[i].offset)))
			return source_fail(&v->s, "<%s> is no whole number that can be", element);
		v->has |= known[i].bit;
		return 0;
	}
	if (strcmp(element, "mean") != 0)
		return 0;
	v->mean_us = g_ascii_strtod(v->text->str, &end);
	if (end == v->text->str || !source_ended(end) || !isfinite(v->mean_us))
		return source_fail(&v->s, "<mean> is no number");
	v->has |= RTEVAL_MEAN;
	return 0;
}

/* The histogram's, or that of a sample at its very end, where rteval looks no closer. */
static bool rteval_max(const struct rteval *v, const struct figures *f)
{
	return f->max_ns == v->max_us * SOURCE_US || (v->range > 0 && v->max_us == v->range);
}

/* What is stated must be what the histogram says: a core is whole or not at all. */
static int rteval_core_end(struct rteval *v)
{
	struct figures *f = v->cpu->figures;
	int cpu = v->cpu->cpu;
	double mean = 0;

	v->cpu = NULL;
	if (!(v->has & RTEVAL_SAMPLES) || figures_placed(f) != v->samples)
		return source_fail(&v->s,
				   "the histogram of core %d has not as many samples as its "
				   "statistics say",
				   cpu);
	if (v->samples == 0)
		return 0;
	if ((v->has & (RTEVAL_MIN | RTEVAL_MAX)) != (RTEVAL_MIN | RTEVAL_MAX) ||
	    f->min_ns != v->min_us * SOURCE_US || !rteval_max(v, f))
		return source_fail(&v->s,
				   "minimum and maximum of core %d are not those of its "
				   "histogram",
				   cpu);
	/* of one sample it does not reckon any */
	if (v->samples > 1 && (v->has & RTEVAL_MEAN) && figures_mean_ns(f, &mean) &&
	    fabs(mean / SOURCE_US - v->mean_us) > 0.001 * v->mean_us + 0.001)
		return source_fail(&v->s, "the mean of core %d is not that of its histogram", cpu);
	if (f->max_ns != v->max_us * SOURCE_US) {
		source_state_max(f, v->max_us * SOURCE_US);
		v->above = true;
	}
	return 0;
}

static void rteval_end(GMarkupParseContext *context, const char *element, void *userdata,
		       GError **error)
{
	struct rteval *v = userdata;
	int line, column, r = 0;

	g_markup_parse_context_get_position(context, &line, &column);
	v->s.line = (unsigned)line;
	v->depth--;
	if (strcmp(element, "kernel") == 0 && !v->release)
		v->release = g_strstrip(g_strdup(v->text->str));
	else if (strcmp(element, "arch") == 0 && !v->arch)
		v->arch = g_strstrip(g_strdup(v->text->str));
	else if (strcmp(element, "core") == 0 && v->cpu)
		r = rteval_core_end(v);
	else if (rteval_is_measurement(element))
		v->measuring = false;
	else if (v->cpu)
		r = rteval_statistic(v, element);
	g_string_truncate(v->text, 0);
	if (r < 0)
		rteval_stop(error);
}

static int rteval_parse(struct rteval *v, const char *text, size_t size)
{
	static const GMarkupParser parser = { .start_element = rteval_start,
					      .end_element = rteval_end,
					      .text = rteval_text };
	g_autoptr(GMarkupParseContext) context =
		g_markup_parse_context_new(&parser, G_MARKUP_TREAT_CDATA_AS_TEXT, v, NULL);
	g_autoptr(GError) error = NULL;
	int line, column;

	if (g_markup_parse_context_parse(context, text, (gssize)size, &error) &&
	    g_markup_parse_context_end_parse(context, &error))
		return 0;
	if (!*error->message)
		return -EBADMSG; /* said */
	g_markup_parse_context_get_position(context, &line, &column);
	v->s.line = (unsigned)line;
	return source_fail(&v->s, "it is no XML that can be read, or was cut off: %s",
			   error->message);
}

static int rteval_conclude(struct rteval *v, const struct import_options *o)
{
	if (!v->measured)
		return source_fail_whole(&v->s, "it has no measurement of cyclictest or timerlat");
	if (v->stage->cpus->len == 0)
		return source_fail_whole(
			&v->s,
			"it has no statistics: a sample was above rteval's histogram, and then "
			"rteval leaves all of them out");
	source_kernel(v->r, o, v->release, v->realtime ? "PREEMPT_RT" : NULL, v->arch);
	v->stage->duration_ns = v->duration_ns;
	if (v->loads->len && !(o && o->load)) {
		g_free(v->stage->name);
		g_free(v->stage->load);
		v->stage->name = g_strdup(v->loads->str);
		v->stage->load = g_strdup(v->loads->str);
	}
	if (v->timerlat)
		source_lossy(v->r, "rteval adds up the latencies of timerlat's interrupt, thread "
				   "and return to user space, and leaves out what was above its "
				   "histogram without telling whether anything was.");
	if (v->above)
		source_lossy(v->r, "A maximum is in no bucket: samples at the end of rteval's "
				   "histogram were left out, and how many is not known.");
	if (v->more)
		source_lossy(v->r, "The file has more than one measurement; this is the first.");
	return 0;
}

static int rteval_read(const char *text, size_t size, const struct import_options *o,
		       GPtrArray *ret, char **ret_message)
{
	struct rteval v = { .r = source_result(FORMAT, "latency", o) };
	int r;

	source_init(&v.s, text, size, o, ret_message);
	v.stage = source_stage(v.r);
	v.text = g_string_new(NULL);
	v.loads = g_string_new(NULL);
	g_ptr_array_add(ret, v.r);
	json_object_set_new(v.r->method, "resolution_ns", json_integer(SOURCE_US));
	r = rteval_parse(&v, text, size);
	if (r == 0)
		r = rteval_conclude(&v, o);
	g_string_free(v.text, TRUE);
	g_string_free(v.loads, TRUE);
	g_free(v.release);
	g_free(v.arch);
	return r;
}

const struct import_format import_format_rteval = {
	.name = FORMAT,
	.description = "rteval's summary.xml",
	.looks_like = rteval_looks_like,
	.read = rteval_read,
};
