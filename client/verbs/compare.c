/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The verdict is in the JSON form only: with --fail-above and another format that is asked for as
 * well, first, and decides what is said at the end; the report is shown in any case.
 */
#include "args.h"
#include "client.h"
#include "report.h"
#include <math.h>
#include <string.h>

struct compare {
	struct client *c;
	const struct args *a;
	double fail_above; /* percent; 0: nothing is judged */
};

/* "10%", "2.5" -> percent. */
static int compare_percent(const char *text, double *ret)
{
	char *end = NULL;
	double v = g_ascii_isdigit(*text) ? g_ascii_strtod(text, &end) : NAN;

	if (end && *end == '%')
		end++;
	if (!end || *end || !isfinite(v) || v <= 0)
		return say_usage("--fail-above takes a percentage above 0: 10%%.");
	*ret = v;
	return OUTCOME_DONE;
}

static int compare_append(sd_bus_message *m, const void *data)
{
	const struct compare *k = data;
	int r = sd_bus_message_open_container(m, SD_BUS_TYPE_ARRAY, "s");

	for (guint i = 0; r >= 0 && i < k->a->operands->len; i++)
		r = sd_bus_message_append_basic(m, 's', args_operand(k->a, i));
	return r < 0 ? r : sd_bus_message_close_container(m);
}

static int compare_fill(sd_bus_message *m, const void *data)
{
	static const char *const plain[] = { "base", "stage" };
	const struct compare *k = data;
	int r = OUTCOME_DONE;

	for (size_t i = 0; !r && i < G_N_ELEMENTS(plain); i++)
		if (args_has(k->a, plain[i]))
			r = client_append_text(m, plain[i], args_value(k->a, plain[i]));
	if (!r && args_has(k->a, "force"))
		r = client_append_flag(m, "force", true);
	if (!r && k->fail_above > 0 &&
	    sd_bus_message_append(m, "{sv}", "fail_above", "d", k->fail_above) < 0)
		r = OUTCOME_ERROR;
	return r;
}

static int compare_fetch(const struct compare *k, const char *format, bool display,
			 struct report *ret)
{
	const struct report_method method = {
		.path = CLIENT_PATH,
		.interface = CLIENT_MANAGER,
		.get = "Compare",
		.open = "OpenCompare",
		.append = compare_append,
		.fill = compare_fill,
		.data = k,
	};

	return report_call(k->c, &method, format, display, ret);
}

/* What the comparison found, as an outcome. */
static int compare_judge(const struct compare *k, int *ret)
{
	struct report report;
	const char *verdict;
	json_t *j;
	int r = compare_fetch(k, "json", false, &report);

	if (r)
		return r;
	j = report_json(&report);
	report_done(&report);
	if (!j)
		return say_error("The answer of lrtbfd is no comparison.");
	verdict = field_text(j, "verdict");
	*ret = strcmp(verdict, "fail") == 0	      ? OUTCOME_EXCEEDED
	       : strcmp(verdict, "inconclusive") == 0 ? OUTCOME_INCONCLUSIVE
						      : OUTCOME_DONE;
	json_decref(j);
	return OUTCOME_DONE;
}

static int compare_check_operands(const struct args *a)
{
	const char *base = args_value(a, "base");
	bool found = !base;

	if (a->operands->len < 2)
		return say_usage("Two things can be compared, or more, not one.");
	for (guint i = 0; i < a->operands->len; i++) {
		int r = client_check_text(args_operand(a, i));

		if (r)
			return r;
		found = found || strcmp(args_operand(a, i), base) == 0;
	}
	if (!found)
		return say_usage("--base is one of those that are compared.");
	return OUTCOME_DONE;
}

static int compare_run(struct client *c, const struct args *a)
{
	const char *format, *path = args_value(a, "output");
	int r = report_format_wanted(c, a, "CompareFormats", &format), found = OUTCOME_DONE;
	struct compare k = { .c = c, .a = a };
	struct report report;

	if (!format)
		return r;
	r = compare_check_operands(a);
	if (!r && args_has(a, "fail-above"))
		r = compare_percent(args_value(a, "fail-above"), &k.fail_above);
	if (!r && k.fail_above > 0)
		r = compare_judge(&k, &found);
	if (!r)
		r = compare_fetch(&k, format, report_is_displayed(path), &report);
	if (r)
		return r;
	r = report_deliver_one(c, path, &report);
	report_done(&report);
	return r ? r : found;
}

static const struct option_spec compare_options[] = {
	{ "base", 0, "ID", "Hold the others against this one (default: the first)" },
	{ "stage", 0, "NAME", "Only stages of this name" },
	{ "force", 0, NULL, "Even if they were measured in different ways" },
	{ "fail-above", 0, "PERCENT", "Exit with 2 when a figure grew by more" },
	{ "format", 0, "FORMAT", "text (default), json, or another one: help lists them" },
	{ "output", 'o', "FILE", "Write it to this file, complete or not at all" },
	{ NULL },
};

const struct verb verb_compare = {
	.name = "compare",
	.operands = "ID|LABEL...",
	.help = "Hold sessions, or labels' repeats, against the first of them",
	.options = compare_options,
	.max = VERB_ANY,
	.run = compare_run,
};
