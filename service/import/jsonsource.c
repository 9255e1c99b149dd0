/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "jsonsource.h"

#include <errno.h>
#include <math.h>
#include <string.h>

/* The average of no samples is printed as "nan" or "-nan", which is no JSON. */
static char *jsonsource_mend(const char *text, size_t size)
{
	static const char *const wrong[] = { "\"avg\": -nan", "\"avg\": nan" };
	char *mended = g_strndup(text, size), *at;

	for (size_t i = 0; i < G_N_ELEMENTS(wrong); i++)
		for (at = mended; (at = strstr(at, wrong[i]));) {
			memset(at + strlen("\"avg\": "), ' ',
			       strlen(wrong[i]) - strlen("\"avg\": "));
			at[strlen(wrong[i]) - 1] = '0';
		}
	return mended;
}

/*
 * Each object and array takes many times the memory of its text, and these programs write two
 * objects for each CPU and few others.
 */
static bool jsonsource_moderate(const char *text, size_t size)
{
	unsigned opened = 0;

	for (size_t i = 0; i < size; i++)
		opened += text[i] == '{' || text[i] == '[';
	return opened <= 4 * SOURCE_CPUS_MAX;
}

static int jsonsource_load(struct source *s, const char *text, size_t size, json_t **ret)
{
	g_autofree char *mended = jsonsource_mend(text, size);
	json_error_t error;

	*ret = NULL;
	if (!jsonsource_moderate(text, size))
		return source_fail_whole(s,
					 "it has more objects and lists than the %d CPUs that can "
					 "be imported would have",
					 SOURCE_CPUS_MAX);
	*ret = json_loadb(mended, size, JSON_REJECT_DUPLICATES, &error);
	if (!*ret) {
		s->line = error.line > 0 ? (unsigned)error.line : 1;
		return source_fail(s, "it is no JSON, or was cut off: %s", error.text);
	}
	if (json_is_object(*ret))
		return 0;
	json_decref(*ret);
	*ret = NULL;
	return source_fail_whole(s, "it is JSON, but no object");
}

int jsonsource_read(const char *format, const char *text, size_t size,
		    const struct import_options *o, jsonsource_take_t take, GPtrArray *ret,
		    char **ret_message)
{
	struct result *r = source_result(format, "latency", o);
	struct source s;
	json_t *j;
	int e;

	g_ptr_array_add(ret, r);
	source_init(&s, text, size, o, ret_message);
	e = jsonsource_load(&s, text, size, &j);
	if (e < 0)
		return e;
	e = take(&s, j, o, r);
	json_decref(j);
	return e;
}

/* "17" -> 17, and nothing else: not "017", which would be the same one twice. */
static bool jsonsource_key(const char *key, uint64_t *ret)
{
	const char *at = key;

	return g_ascii_isdigit(*key) && (key[0] != '0' || key[1] == '\0') &&
	       source_number(&at, ret) && *at == '\0';
}

static int jsonsource_member(struct source *s, const char *cpu, const json_t *o, const char *key,
			     uint64_t most, uint64_t *ret)
{
	const json_t *value = json_object_get(o, key);

	if (!json_is_integer(value) || json_integer_value(value) < 0 ||
	    (uint64_t)json_integer_value(value) > most)
		return source_fail_whole(s, "\"%.20s\" of \"%.20s\" is no whole number that can be",
					 key, cpu);
	*ret = (uint64_t)json_integer_value(value);
	return 0;
}

static int jsonsource_histogram(struct source *s, const char *cpu, const json_t *histogram,
				const struct jsonsource_keys *k, struct figures *f,
				uint64_t *ret_end)
{
	const char *key;
	json_t *value;
	uint64_t at, n;
	int r;

	json_object_foreach ((json_t *)histogram, key, value) {
		if (!jsonsource_key(key, &at) || at > (uint64_t)INT64_MAX / k->unit_ns)
			return source_fail_whole(s,
						 "the histogram of \"%.20s\" has a member "
						 "\"%.20s\", which is no time",
						 cpu, key);
		r = jsonsource_member(s, cpu, histogram, key, INT64_MAX, &n);
		if (r < 0)
			return r;
		if (!source_samples(f, at * k->unit_ns, n))
			return source_fail_whole(s, "\"%.20s\" has more samples than can be", cpu);
		if (n > 0)
			*ret_end = MAX(*ret_end, at + 1);
	}
	return 0;
}

static int jsonsource_stated(struct source *s, const char *cpu, const json_t *o,
			     const struct jsonsource_keys *k, struct figures *f, bool whole)
{
	const json_t *avg = json_object_get(o, "avg");
	uint64_t most = (uint64_t)INT64_MAX / k->unit_ns, min, max;
	double mean = json_number_value(avg);
	int r;

	r = jsonsource_member(s, cpu, o, "min", most, &min);
	if (r == 0)
		r = jsonsource_member(s, cpu, o, "max", most, &max);
	if (r < 0)
		return r;
	/* an average may be rounded beyond both */
	if (!json_is_number(avg) || !isfinite(mean) || min > max || mean + 1 < (double)min ||
	    mean - 1 > (double)max)
		return source_fail_whole(s, "min, avg and max of \"%.20s\" contradict one another",
					 cpu);
	source_state_min(f, min * k->unit_ns);
	source_state_max(f, max * k->unit_ns);
	if (!whole)
		source_state_mean(f, mean * (double)k->unit_ns);
	return 0;
}

static int jsonsource_cpu(struct source *s, const char *cpu, const json_t *o,
			  const struct jsonsource_keys *k, struct figures *f)
{
	uint64_t count, end = 0;
	int r;

	r = jsonsource_member(s, cpu, o, k->count, INT64_MAX, &count);
	if (r == 0)
		r = jsonsource_histogram(s, cpu, json_object_get(o, "histogram"), k, f, &end);
	if (r < 0)
		return r;
	if (figures_placed(f) > count)
		return source_fail_whole(s,
					 "the histogram of \"%.20s\" has more samples than its "
					 "%s",
					 cpu, k->count);
	if (count == 0)
		return 0;
	f->unplaced = count - figures_placed(f);
	if (f->unplaced && k->range >= end && k->range > 0)
		f->unplaced_from_ns = k->range * k->unit_ns;
	else if (f->unplaced)
		f->unplaced_from_ns = end * k->unit_ns; /* 0: there is no histogram */
	return jsonsource_stated(s, cpu, o, k, f, f->unplaced == 0);
}

int jsonsource_cpus(struct source *s, const json_t *cpus, const struct jsonsource_keys *k,
		    struct result *r, uint64_t *ret_above)
{
	struct result_stage *stage = source_stage(r);
	const char *key;
	json_t *value;
	uint64_t number;
	int e;

	if (!json_is_object(cpus) || json_object_size(cpus) == 0)
		return source_fail_whole(s, "it has no object of threads or CPUs with figures");
	json_object_foreach ((json_t *)cpus, key, value) {
		struct result_cpu *c =
			jsonsource_key(key, &number) ? source_cpu(stage, number) : NULL;

		if (!c || !json_is_object(value))
			return source_fail_whole(s,
						 "\"%.20s\" is no CPU's number (0 to %d) with an "
						 "object of figures",
						 key, SOURCE_CPUS_MAX - 1);
		e = jsonsource_cpu(s, key, value, k, c->figures);
		if (e < 0)
			return e;
		*ret_above += c->figures->unplaced;
	}
	return 0;
}
