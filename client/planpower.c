/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Repeats of a stage measure the same thing, so their times add up: an event is looked for in all
 * of them.
 */
#include "planpower.h"

#include "power.h"
#include "table.h"
#include "text.h"
#include "variant.h"

#define PLANPOWER_CHANCE 0.95
#define PLANPOWER_WIDTH	 80
#define NS_PER_SEC	 1000000000.0

static const struct {
	const char *name;
	double period_s;
} planpower_events[] = {
	{ "1/min", 60 },
	{ "1/h", 3600 },
	{ "1/day", 86400 },
	{ "1/week", 7 * 86400 },
};

static json_t *planpower_stage(const json_t *stage, int64_t repeat)
{
	uint64_t time_ns = (uint64_t)MAX(field_number(stage, "duration_ns", 0), 0) * repeat;
	json_t *chances = json_object();

	for (size_t i = 0; i < G_N_ELEMENTS(planpower_events); i++)
		json_object_set_new(
			chances, planpower_events[i].name,
			json_real(power_chance(1 / planpower_events[i].period_s, time_ns)));
	return json_pack("{s:s, s:s, s:I, s:o, s:o}", "name", field_text(stage, "name"), "load",
			 field_text(stage, "load"), "time_ns", (json_int_t)time_ns, "rate_hz",
			 time_ns ? json_real(power_rate_bound_hz(time_ns)) : json_null(), "chances",
			 chances);
}

json_t *planpower_json(const json_t *plan)
{
	json_t *stages = json_array(), *needed = json_object(), *stage;
	int64_t repeat = MAX(field_number(plan, "repeat", 1), 1);
	size_t i;

	json_array_foreach (json_object_get(plan, "stages"), i, stage)
		json_array_append_new(stages, planpower_stage(stage, repeat));
	for (i = 0; i < G_N_ELEMENTS(planpower_events); i++) {
		double rate_hz = 1 / planpower_events[i].period_s;

		json_object_set_new(
			needed, planpower_events[i].name,
			json_integer((json_int_t)power_duration_ns(rate_hz, PLANPOWER_CHANCE)));
	}
	return json_pack("{s:o, s:o}", "stages", stages, "needed", needed);
}

/* 0.4512 -> "45 %", with no more certainty than there is at either end. */
static char *planpower_percent(double chance)
{
	if (chance > 0.999)
		return g_strdup(">99.9 %");
	if (chance > 0 && chance < 0.001)
		return g_strdup("<0.1 %");
	return chance < 0.0995 ? g_strdup_printf("%.1f %%", chance * 100)
			       : g_strdup_printf("%.0f %%", chance * 100);
}

static void planpower_row(struct table *t, const json_t *stage)
{
	const json_t *chances = json_object_get(stage, "chances");
	double rate_hz = field_real(stage, "rate_hz", 0);

	table_cell(t, field_text(stage, "name"));
	table_take(t, text_span((uint64_t)field_number(stage, "time_ns", 0)));
	table_take(t, rate_hz > 0 ? text_span((uint64_t)(NS_PER_SEC / rate_hz)) : g_strdup("-"));
	for (size_t i = 0; i < G_N_ELEMENTS(planpower_events); i++)
		table_take(t, planpower_percent(field_real(chances, planpower_events[i].name, 0)));
}

static void planpower_print_needed(const json_t *needed, GString *out, unsigned width)
{
	g_autoptr(GString) text = g_string_new("To see one with 95 % a stage takes");

	for (size_t i = 0; i < G_N_ELEMENTS(planpower_events); i++) {
		const char *name = planpower_events[i].name;
		g_autofree char *time = text_span((uint64_t)field_number(needed, name, 0));

		g_string_append_printf(text, "%s %s for %s", i ? "," : "", time, name);
	}
	g_string_append_c(text, '.');
	text_wrap(out, text->str, 0, width);
}

void planpower_print(const json_t *power, GString *out, const struct terminal *term)
{
	static const char *const headings[] = { "STAGE", ">TIME",  ">ONCE IN", ">1/MIN",
						">1/H",	 ">1/DAY", ">1/WEEK" };
	struct table *t = table_new(headings, G_N_ELEMENTS(headings));
	unsigned width = term->width ? term->width : PLANPOWER_WIDTH;
	json_t *stage;
	size_t i;

	json_array_foreach (json_object_get(power, "stages"), i, stage)
		planpower_row(t, stage);
	table_print(t, out, term);
	table_free(t);
	g_string_append_c(out, '\n');
	text_wrap(out,
		  "ONCE IN: events that come once in that time are seen with 95 %; behind it the "
		  "chances of rarer ones. For events that come independently; a burst is one.",
		  0, width);
	planpower_print_needed(json_object_get(power, "needed"), out, width);
}
