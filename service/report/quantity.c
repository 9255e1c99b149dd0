/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One table for all formats that name figures one by one: what is added to it is in all of them.
 * Numbers are put together from integers, because "%f" follows the locale, and are rounded where
 * the JSON report rounds (means and deviations to a thousandth of a nanosecond), so that no format
 * says another number than it.
 */
#include "quantity.h"

#include "decimal.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static bool amount_whole(struct amount *ret, bool known, uint64_t n)
{
	if (known)
		*ret = (struct amount){ .n = n };
	return known;
}

static bool amount_real(struct amount *ret, bool known, double x)
{
	double thousandths = round(x * 1e3);

	if (!known || !isfinite(x) || x < 0 || thousandths >= 9e18)
		return false;
	ret->n = (uint64_t)thousandths / 1000;
	ret->thousandths = (uint64_t)thousandths % 1000;
	return true;
}

static bool quantity_count(const struct quantity *q, const struct figures *f, struct amount *ret)
{
	return amount_whole(ret, figures_count_known(f), figures_count(f));
}

static bool quantity_min(const struct quantity *q, const struct figures *f, struct amount *ret)
{
	uint64_t ns = 0;
	bool known = figures_min_ns(f, &ns);

	return amount_whole(ret, known, ns);
}

static bool quantity_max(const struct quantity *q, const struct figures *f, struct amount *ret)
{
	uint64_t ns = 0;
	bool known = figures_max_ns(f, &ns);

	return amount_whole(ret, known, ns);
}

static bool quantity_mean(const struct quantity *q, const struct figures *f, struct amount *ret)
{
	double ns = 0;
	bool known = figures_mean_ns(f, &ns);

	return amount_real(ret, known, ns);
}

static bool quantity_stddev(const struct quantity *q, const struct figures *f, struct amount *ret)
{
	double ns = 0;
	bool known = figures_stddev_ns(f, &ns);

	return amount_real(ret, known, ns);
}

static bool quantity_plain(const struct quantity *q, const struct figures *f, struct amount *ret)
{
	uint64_t n;

	memcpy(&n, (const char *)f + q->offset, sizeof(n));
	return amount_whole(ret, !q->grid || f->has_grid, n);
}

static bool quantity_percentile(const struct quantity *q, const struct figures *f,
				struct amount *ret)
{
	uint64_t ns = 0;
	bool known = figures_percentile_ns(f, q->ppm, q->corrected, &ns);

	return amount_whole(ret, known, ns);
}

#define TIME(key, name, metric, help, get)                                                         \
	{                                                                                          \
		key, name, metric, help, QUANTITY_TIME, get, 0, 0, false, false                    \
	}
#define PLAIN(field, metric, help, grid)                                                           \
	{                                                                                          \
#field, #field, metric, help, QUANTITY_COUNT, quantity_plain,                      \
			offsetof(struct figures, field), 0, grid, false                            \
	}
#define PERCENTILE(p, ppm)                                                                         \
	{                                                                                          \
		"percentiles " p, "p" p, NULL, NULL, QUANTITY_TIME, quantity_percentile, 0, ppm,   \
			false, false                                                               \
	}
#define CORRECTED(p, ppm)                                                                          \
	{                                                                                          \
		"corrected percentiles " p, "corrected.p" p, NULL, NULL, QUANTITY_TIME,            \
			quantity_percentile, 0, ppm, true, true                                    \
	}

const struct quantity quantities[] = {
	{ "count", "count", "samples", "Samples.", QUANTITY_COUNT, quantity_count, 0, 0, false,
	  false },
	TIME("min_ns", "min", "minimum", "The smallest sample.", quantity_min),
	TIME("avg_ns", "avg", "average", "Mean of the samples.", quantity_mean),
	TIME("max_ns", "max", "maximum", "The largest sample.", quantity_max),
	TIME("stddev_ns", "stddev", "deviation", "Standard deviation of the samples.",
	     quantity_stddev),
	PLAIN(missed, "missed_periods", "Periods that passed without a wake-up of their own.",
	      true),
	PLAIN(lost, "lost_answers", "Answers that did not come in time.", false),
	PLAIN(late, "late_answers", "Answers that came after the time-out.", false),
	PLAIN(migrated, "migrated_samples",
	      "Samples left out because they were taken on another CPU.", false),
	PLAIN(early, "early_passes", "Passes faster than the nominal one.", false),
	{ "pending_ns", "pending", "pending",
	  "How long a wake-up was overdue when the measuring ended.", QUANTITY_TIME, quantity_plain,
	  offsetof(struct figures, pending_ns), 0, true, false },
	PERCENTILE("50", 500000),
	PERCENTILE("75", 750000),
	PERCENTILE("90", 900000),
	PERCENTILE("95", 950000),
	PERCENTILE("99", 990000),
	PERCENTILE("99.9", 999000),
	PERCENTILE("99.99", 999900),
	PERCENTILE("99.999", 999990),
	PERCENTILE("99.9999", 999999),
	CORRECTED("50", 500000),
	CORRECTED("75", 750000),
	CORRECTED("90", 900000),
	CORRECTED("95", 950000),
	CORRECTED("99", 990000),
	CORRECTED("99.9", 999000),
	CORRECTED("99.99", 999900),
	CORRECTED("99.999", 999990),
	CORRECTED("99.9999", 999999),
	{ .key = NULL },
};

bool quantity_of(const struct quantity *q, const struct figures *f, struct amount *ret)
{
	return q->get(q, f, ret);
}

bool quantity_stored(const struct quantity *q, const json_t *figures, struct amount *ret)
{
	g_auto(GStrv) path = g_strsplit(q->key, " ", -1);
	const json_t *j = figures;

	for (char **key = path; *key; key++)
		j = json_object_get(j, *key);
	if (json_is_integer(j))
		return amount_whole(ret, json_integer_value(j) >= 0,
				    (uint64_t)json_integer_value(j));
	return amount_real(ret, json_is_real(j), json_real_value(j));
}

void quantity_append(GString *out, const struct quantity *q, const struct amount *a,
		     uint64_t per_second)
{
	if (q->unit == QUANTITY_COUNT)
		g_string_append_printf(out, "%" PRIu64, a->n);
	else
		decimal_append_time(out, a->n, a->thousandths, per_second);
}
