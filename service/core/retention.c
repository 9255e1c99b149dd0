/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why two bounds of each kind: details are a hundred times larger than a summary, and nobody looks
 * at last year's histograms, but a curve over all nights of five years needs the summaries of all.
 *
 * The bounds of summaries contain those of details, as a session without a summary has no details
 * either: a smaller one is a mistake and is refused.
 */
#include "retention.h"

#include "duration.h"

#define RETENTION_COUNT_MAX  1000000
#define RETENTION_AGE_MIN_NS (UINT64_C(3600) * 1000000000)
#define RETENTION_AGE_MAX_NS (UINT64_C(100) * 366 * 24 * 3600 * 1000000000)
#define RETENTION_SIZE_MIN   (UINT64_C(1) << 20)

bool retention_bounds(const struct retention *r)
{
	return r->count || r->summary_count || r->age_ns || r->summary_age_ns || r->size_bytes;
}

static void retention_take_count(struct conf_group *g, const char *key, unsigned *field)
{
	int64_t value;

	if (conf_take_integer(g, key, 1, RETENTION_COUNT_MAX, &value) == 0)
		*field = (unsigned)value;
}

static void retention_take_size(struct conf_group *g, uint64_t *field)
{
	uint64_t bytes;

	if (conf_take_size(g, "size", &bytes) != 0)
		return;
	if (bytes < RETENTION_SIZE_MIN || bytes > INT64_MAX)
		(void)conf_complain(g, "size",
				    "\"size\" takes 1M or more: a session alone can "
				    "have some 100k");
	else
		*field = bytes;
}

static void retention_check(struct conf_group *g, const struct retention *r)
{
	if (r->summary_count && r->summary_count < r->count)
		(void)conf_complain(g, "summary_count",
				    "\"summary_count\" counts those with details too: it must not "
				    "be under \"count\"");
	if (r->summary_age_ns && r->summary_age_ns < r->age_ns)
		(void)conf_complain(g, "summary_age",
				    "a summary outlives its details: \"summary_age\" must not be "
				    "under \"age\"");
}

void retention_take(struct conf_group *g, const GPtrArray *problems, struct retention *ret)
{
	struct retention r = { .given = true };
	guint before = problems->len;
	struct conf_group *keep;

	if (conf_take_group(g, "keep", &keep) != 0)
		return;
	retention_take_count(keep, "count", &r.count);
	retention_take_count(keep, "summary_count", &r.summary_count);
	(void)conf_take_duration(keep, "age", RETENTION_AGE_MIN_NS, RETENTION_AGE_MAX_NS,
				 &r.age_ns);
	(void)conf_take_duration(keep, "summary_age", RETENTION_AGE_MIN_NS, RETENTION_AGE_MAX_NS,
				 &r.summary_age_ns);
	retention_take_size(keep, &r.size_bytes);
	retention_check(keep, &r);
	conf_done_group(keep);
	if (problems->len == before)
		*ret = r;
}

static void retention_append_age(GString *out, const char *key, uint64_t ns)
{
	g_autofree char *text = duration_format(ns);

	if (ns)
		g_string_append_printf(out, " %s = \"%s\";", key, text);
}

char *retention_format(const struct retention *r)
{
	GString *out = g_string_new("{");

	if (r->count)
		g_string_append_printf(out, " count = %u;", r->count);
	retention_append_age(out, "age", r->age_ns);
	if (r->size_bytes)
		g_string_append_printf(out, " size = \"%" G_GUINT64_FORMAT "\";", r->size_bytes);
	if (r->summary_count)
		g_string_append_printf(out, " summary_count = %u;", r->summary_count);
	retention_append_age(out, "summary_age", r->summary_age_ns);
	g_string_append(out, " }");
	return g_string_free(out, FALSE);
}
