/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rendered when asked for and at once: one session takes milliseconds, and what a live one shows
 * must be of this moment.
 */
#include "reports.h"

#include "bus-internal.h"
#include "cleanup-bus.h"
#include "cleanup.h"
#include "dict.h"
#include "errors.h"
#include "rendering.h"
#include <errno.h>
#include <malloc.h>
#include <string.h>

static const struct option_spec report_options[] = {
	RENDERING_OPTIONS,
	{ "stage", 's' },
	{ "plot", 's' },
	{ NULL },
};

static int report_whole(struct bus *b, struct result **ret, sd_bus_error *error)
{
	/* a copy: draining a live session brings news, which look objects up */
	g_autofree char *id = g_strdup(b->view.result->id);
	g_autofree char *message = NULL;
	int r;

	r = sessions_result(b->model.sessions, id, ret, &message);
	return r < 0 ? bus_error_set(error, r, message) : 0;
}

int reports_method_get_result(sd_bus_message *m, void *userdata, sd_bus_error *error)
{
	g_autoptr(sd_bus_message) reply = NULL;
	g_autoptr(json_t) json = NULL;
	struct result *result = NULL;
	struct bus *b = userdata;
	int r;

	r = options_read_none(m, error);
	if (r < 0)
		return r;
	r = report_whole(b, &result, error);
	if (r < 0)
		return r;
	json = report_json(result);
	result_free(result);
	dict_drop(json, "histogram");
	if (dict_size(json) > BUS_REPLY_MAX)
		return bus_error_set(error, EMSGSIZE,
				     "The result is too large for one answer: "
				     "use OpenReport with format json.");
	r = sd_bus_message_new_method_return(m, &reply);
	if (r >= 0)
		r = dict_json(reply, json);
	if (r >= 0)
		r = sd_bus_send(NULL, reply, NULL);
	return r < 0 ? bus_error_set(error, r, NULL) : 1;
}

/* Strings of @ret are @ret_options' (json_decref). */
static int report_read(sd_bus_message *m, const char **ret_format, struct report_options *ret,
		       json_t **ret_options, sd_bus_error *error)
{
	int r;

	r = sd_bus_message_read_basic(m, 's', ret_format);
	if (r < 0)
		return bus_error_argument(error, r);
	if (strlen(*ret_format) > RENDERING_FORMAT_MAX)
		return bus_error_setf(error, EINVAL, "There is no report format \"%.32s...\".",
				      *ret_format);
	r = options_read(m, report_options, ret_options, error);
	if (r >= 0)
		r = rendering_read(*ret_options, ret, error);
	if (r < 0)
		return r;
	ret->stage = options_string(*ret_options, "stage");
	ret->plot = options_string(*ret_options, "plot");
	return 0;
}

/* g_string_free() @ret. An unknown format is a bad argument on the bus, not a missing session. */
static int report_make(struct bus *b, sd_bus_message *m, GString **ret, sd_bus_error *error)
{
	g_autoptr(GString) out = g_string_new(NULL);
	g_autofree char *message = NULL;
	g_autoptr(json_t) options = NULL;
	struct report_options display;
	struct result *result = NULL;
	const char *format;
	int r;

	r = report_read(m, &format, &display, &options, error);
	if (r < 0)
		return r;
	if (!report_format(format))
		result = result_new(); /* the sentence of the refusal needs no result */
	else if ((r = report_whole(b, &result, error)) < 0)
		return r;
	r = report_render(format, result, &display, out, &message);
	result_free(result);
	(void)malloc_trim(0); /* a result is thousands of pieces */
	if (r == -ENOENT || r == -EOPNOTSUPP)
		r = -EINVAL;
	if (r < 0)
		return bus_error_set(error, r, message);
	*ret = g_steal_pointer(&out);
	return 0;
}

static int report_answer(struct bus *b, sd_bus_message *m, bool file, sd_bus_error *error)
{
	const struct rendering_way way = { file, "lrtbf-report", "OpenReport" };
	g_autoptr(GString) report = NULL;
	int r;

	r = report_make(b, m, &report, error);
	return r < 0 ? r : rendering_reply(m, &way, report, error);
}

int reports_method_get_report(sd_bus_message *m, void *userdata, sd_bus_error *error)
{
	return report_answer(userdata, m, false, error);
}

int reports_method_open_report(sd_bus_message *m, void *userdata, sd_bus_error *error)
{
	return report_answer(userdata, m, true, error);
}
