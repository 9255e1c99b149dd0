/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A row for each session. Numbers have a dot whatever the locale; a session without a value has an
 * empty field and keeps its row. Levels are counted from 1; shift is "yes" or "fresh" in the row
 * where one begins.
 */
#include "csvtext.h"
#include "duration.h"
#include "trend-internal.h"

#include <inttypes.h>
#include <math.h>

static void csv_row(const struct trend *t, guint i, guint level, const char *shift, GString *out)
{
	const struct trend_point *p = trend_point(t, i);
	g_autofree char *value =
		isnan(p->value) ? NULL
				: number_format(p->value, p->value == trunc(p->value) ? 0 : 3);

	csvtext_append(out, p->id);
	g_string_append_c(out, ',');
	if (p->started_usec)
		g_string_append_printf(out, "%" PRIu64, p->started_usec);
	g_string_append_printf(out, ",%s,", value ?: "");
	csvtext_append(out, p->kernel);
	g_string_append_c(out, ',');
	csvtext_append(out, verdict_to_string(p->verdict));
	g_string_append_printf(out, ",%u,%s\n", level, shift);
}

static int csv_render(const struct trend *t, const struct report_options *o, GString *out,
		      char **ret_message)
{
	static const char *const columns[] = {
		[TREND_TIME] = "value_ns",
		[TREND_NUMBER] = "value",
		[TREND_SHARE] = "value_ppm",
	};
	guint level = 0;

	g_string_append_printf(out, "session,started_usec,%s,kernel,verdict,level,shift\n",
			       columns[t->unit]);
	for (guint i = 0; i < t->points->len; i++) {
		const struct trend_shift *s = level < t->shifts->len ? trend_shift(t, level) : NULL;
		bool begins = s && s->at == i;

		level += begins;
		csv_row(t, i, level + 1, !begins ? "" : s->found.fresh ? "fresh" : "yes", out);
	}
	return 0;
}

const struct trend_format trend_format_csv = {
	.name = "csv",
	.media_type = "text/csv; charset=utf-8",
	.description = "a row for each session, for spreadsheets",
	.render = csv_render,
};
