/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The points of all sessions are read in one turn, as the store has a table of just those; the
 * tests for shifts are a thread's. What the machine was like is asked for around each shift only:
 * conditions are the large part of a session.
 *
 * Repeats within a session are one point, as they share what differs between sessions: the median,
 * but of maxima the largest.
 */
#include "trending.h"

#include "bus-internal.h"
#include "cleanup-bus.h"
#include "cleanup.h"
#include "conftree.h"
#include "errors.h"
#include "inquiry.h"
#include "limit.h"
#include "pointfigure.h"
#include "trend.h"
#include <errno.h>
#include <math.h>
#include <string.h>

#define TRENDING_NAME_MAX 64
#define TRENDING_FIGURE	  "max"

static const struct option_spec trending_options[] = {
	RENDERING_OPTIONS, { "figure", 's' },	  { "stage", 's' }, { "by", 's' },
	{ "limit", 'u' },  { "since_usec", 't' }, { NULL },
};

enum trending_phase {
	TRENDING_POINTS,     /* are to be read */
	TRENDING_SHIFTS,     /* are to be found */
	TRENDING_CONDITIONS, /* around them are to be read */
	TRENDING_RENDER,
	TRENDING_DONE,
};

struct trending {
	struct bus *bus;
	char *plan, *format, *stage; /* stage NULL: to be found out */
	struct limit figure;
	bool by_kernel;
	unsigned limit;
	uint64_t since_usec;
	struct report_options display;
	struct trend *trend;
	GString *out;
	enum trending_phase phase;
	size_t shift; /* the next whose conditions are to be read */
	/* the session whose points are coming */
	char *id, *kernel;
	enum verdict verdict;
	uint64_t started_usec;
	GArray *values; /* of double */
	size_t sessions;
};

static void trending_free(void *data)
{
	struct trending *t = data;

	trend_free(t->trend);
	if (t->out)
		g_string_free(t->out, TRUE);
	g_array_unref(t->values);
	g_free(t->id);
	g_free(t->kernel);
	g_free(t->plan);
	g_free(t->format);
	g_free(t->stage);
	g_free(t);
}

/* --- points --- */

/* All points of the session at hand have come. */
static void trending_close(struct trending *t)
{
	const struct trend_point point = {
		.id = t->id,
		.started_usec = t->started_usec,
		.value = pointfigure_joined(&t->figure, (double *)(void *)t->values->data,
					    t->values->len),
		.kernel = t->kernel,
		.verdict = t->verdict,
	};

	if (!t->id)
		return;
	trend_add(t->trend, &point);
	t->sessions++;
	g_clear_pointer(&t->id, g_free);
	g_array_set_size(t->values, 0);
}

static void on_trending_point(const struct store_point *p, void *userdata)
{
	struct trending *t = userdata;
	double value = pointfigure_value(&t->figure, p);

	if (p->started_usec < t->since_usec)
		return;
	if (!t->id || strcmp(t->id, p->id) != 0) {
		trending_close(t);
		t->id = g_strdup(p->id);
		g_free(t->kernel);
		t->kernel = g_strdup(p->kernel);
		t->started_usec = p->started_usec;
		t->verdict = p->verdict;
	}
	t->verdict = MAX(t->verdict, p->verdict);
	if (!isnan(value))
		g_array_append_val(t->values, value);
}

static void on_trending_first(const struct store_point *p, void *userdata)
{
	struct trending *t = userdata;

	if (!t->stage)
		t->stage = g_strdup(p->stage);
}

/* The newest session's first stage, when none was asked for. */
static int trending_find_stage(struct trending *t, char **ret_message)
{
	int r = 0;

	if (!t->stage)
		r = store_points(t->bus->model.store, t->plan, NULL, NULL, 1, on_trending_first, t,
				 ret_message);
	if (r < 0)
		return -EIO;
	if (t->stage)
		return 0;
	*ret_message = g_strdup_printf("No session of plan %s has measured anything.", t->plan);
	return -ENOENT;
}

static int trending_read(struct trending *t, char **ret_message)
{
	struct trend_options options = {
		.plan = t->plan,
		.figure = t->figure.name,
		.by_kernel = t->by_kernel,
	};
	int r;

	r = trending_find_stage(t, ret_message);
	if (r < 0)
		return r;
	options.stage = t->stage;
	t->trend = trend_new(&options);
	r = store_points(t->bus->model.store, t->plan, NULL, t->stage, t->limit, on_trending_point,
			 t, ret_message);
	if (r < 0)
		return -EIO;
	trending_close(t);
	if (t->sessions > 0)
		return 0;
	*ret_message = g_strdup_printf("No session of plan %s has a stage \"%s\"%s.", t->plan,
				       t->stage, t->since_usec ? " since then" : "");
	return -ENOENT;
}

/* --- conditions --- */

/* NULL: not known, as of a session that is gone or of which a summary is left. */
static json_t *trending_conditions(const struct trending *t, const char *id)
{
	g_autofree char *message = NULL;
	struct result *result = NULL;
	json_t *conditions;

	if (!id || store_get(t->bus->model.store, id, &result, &message) < 0)
		return NULL;
	conditions = json_incref(result->conditions);
	result_free(result);
	return conditions;
}

static void trending_read_conditions(struct trending *t)
{
	const char *before = NULL, *after = NULL;
	g_autoptr(json_t) was = NULL;
	g_autoptr(json_t) is = NULL;

	trend_shift_sessions(t->trend, t->shift, &before, &after);
	was = trending_conditions(t, before);
	is = trending_conditions(t, after);
	trend_shift_conditions(t->trend, t->shift, was, is);
	t->shift++;
}

/* --- the inquiry --- */

static int trending_step(void *data, char **ret_message)
{
	struct trending *t = data;
	int r;

	switch (t->phase) {
	case TRENDING_POINTS:
		r = trending_read(t, ret_message);
		if (r < 0)
			return r;
		t->phase = TRENDING_SHIFTS;
		return INQUIRY_THREAD;
	case TRENDING_CONDITIONS:
		if (t->shift < trend_shifts(t->trend)) {
			trending_read_conditions(t);
			return INQUIRY_STEP;
		}
		t->phase = TRENDING_RENDER;
		return INQUIRY_THREAD;
	default:
		return INQUIRY_ANSWER;
	}
}

static int trending_work(void *data, char **ret_message)
{
	struct trending *t = data;
	int r;

	if (t->phase == TRENDING_SHIFTS) {
		trend_finish(t->trend);
		t->phase = TRENDING_CONDITIONS;
		return 0;
	}
	t->out = g_string_new(NULL);
	r = trend_render(t->format, t->trend, &t->display, t->out, ret_message);
	t->phase = TRENDING_DONE;
	return r;
}

static GString *trending_rendered(void *data)
{
	return ((struct trending *)data)->out;
}

static const struct inquiry_kind trending_kind = {
	.step = trending_step,
	.work = trending_work,
	.rendered = trending_rendered,
	.free = trending_free,
};

/* --- the call --- */

static const char *trending_format_name(size_t i)
{
	return trend_formats[i] ? trend_formats[i]->name : NULL;
}

static int trending_read_plan(sd_bus_message *m, char **ret, sd_bus_error *error)
{
	const char *plan;
	int r;

	r = sd_bus_message_read_basic(m, 's', &plan);
	if (r < 0)
		return bus_error_argument(error, r);
	if (strlen(plan) > TRENDING_NAME_MAX || !conftree_name_valid(plan))
		return bus_error_setf(error, ESRCH, "\"%.64s\" is no plan's name.", plan);
	*ret = g_strdup(plan);
	return 0;
}

/* Percentiles are kept as figures_percentiles[] has them. */
static int trending_read_figure(struct trending *t, const char *name, sd_bus_error *error)
{
	g_autoptr(GString) known = g_string_new(NULL);
	g_autofree char *message = NULL;

	if (limit_parse_figure(name, &t->figure, &message) < 0)
		return bus_error_set(error, EINVAL, message);
	if (t->figure.figure != LIMIT_PERCENTILE && t->figure.figure != LIMIT_CORRECTED_PERCENTILE)
		return 0;
	for (int i = 0; figures_percentiles[i].name; i++) {
		if (figures_percentiles[i].ppm == t->figure.ppm)
			return 0;
		g_string_append_printf(known, "%sp%s", known->len ? ", " : "",
				       figures_percentiles[i].name);
	}
	return bus_error_setf(error, EINVAL, "Of old sessions there is no %s; there are %s.",
			      t->figure.name, known->str);
}

static int trending_take_options(struct trending *t, const json_t *options, sd_bus_error *error)
{
	const char *by = options_string(options, "by");

	if (by && strcmp(by, "kernel") != 0)
		return bus_error_set(error, EINVAL, "Option by is \"kernel\", or not given.");
	t->by_kernel = by;
	t->stage = g_strdup(options_string(options, "stage"));
	t->limit = (unsigned)options_integer(options, "limit", 0);
	t->since_usec = options_integer(options, "since_usec", 0);
	return trending_read_figure(t, options_string(options, "figure") ?: TRENDING_FIGURE, error);
}

static int trending_begin(struct bus *b, sd_bus_message *m, bool file, sd_bus_error *error)
{
	const struct rendering_way way = { file, "lrtbf-trend", "OpenTrend" };
	struct trending *t = g_new0(struct trending, 1);
	g_autoptr(json_t) options = NULL;
	int r;

	t->bus = b;
	t->values = g_array_new(FALSE, FALSE, sizeof(double));
	r = trending_read_plan(m, &t->plan, error);
	if (r >= 0)
		r = rendering_read_format(m, trending_format_name, "trends", &t->format, error);
	if (r >= 0)
		r = options_read(m, trending_options, &options, error);
	if (r >= 0)
		r = rendering_read(options, &t->display, error);
	if (r >= 0)
		r = trending_take_options(t, options, error);
	if (r < 0) {
		trending_free(t);
		return r;
	}
	return inquiry_begin(b, m, &trending_kind, t, &way, error);
}

int trending_method_trend(sd_bus_message *m, void *userdata, sd_bus_error *error)
{
	return trending_begin(userdata, m, false, error);
}

int trending_method_open_trend(sd_bus_message *m, void *userdata, sd_bus_error *error)
{
	return trending_begin(userdata, m, true, error);
}

int trending_property_formats(sd_bus *bus, const char *path, const char *interface,
			      const char *property, sd_bus_message *reply, void *userdata,
			      sd_bus_error *error)
{
	return rendering_append_formats(reply, trending_format_name);
}
