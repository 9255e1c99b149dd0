/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A word is looked up when its turn has come and its sessions are read one by one, each reduced and
 * freed before the next: a comparison of thousands holds one of them at a time.
 *
 * Of a label's sessions some may have nothing to compare, or go while others are read: a side is
 * what is left, and an error only when nothing is.
 */
#include "compare.h"

#include "bus-internal.h"
#include "cleanup-bus.h"
#include "cleanup.h"
#include "comparison.h"
#include "errors.h"
#include "inquiry.h"
#include <errno.h>
#include <math.h>
#include <string.h>

#define COMPARE_REPEATS_MAX    64
#define COMPARE_WORD_MAX       512 /* bytes: a label is at most 128 letters */
#define COMPARE_FAIL_ABOVE_MAX 1e6 /* percent */

static const struct option_spec compare_options[] = {
	RENDERING_OPTIONS, { "base", 's' },	  { "stage", 's' },
	{ "force", 'b' },  { "fail_above", 'd' }, { NULL },
};

struct compare {
	struct bus *bus;
	GPtrArray *words; /* of char * */
	char *format;
	struct report_options display;
	struct comparison *comparison;
	GString *out;
	bool rendered;
	/* where it is */
	guint word;	/* the next to look up */
	unsigned side;	/* that is being read */
	GPtrArray *ids; /* its sessions; NULL: none is being read */
	guint at;	/* the next to read */
	unsigned added; /* so many had something to compare */
	char *nothing;	/* why the last one had not; NULL: it had */
};

static void compare_free(void *data)
{
	struct compare *k = data;

	comparison_free(k->comparison);
	g_ptr_array_unref(k->words);
	if (k->ids)
		g_ptr_array_unref(k->ids);
	if (k->out)
		g_string_free(k->out, TRUE);
	g_free(k->nothing);
	g_free(k->format);
	g_free(k);
}

/* --- sides --- */

static bool compare_is_last(const char *word)
{
	return strcmp(word, "last") == 0 || g_str_has_prefix(word, "last:");
}

/* A label may look like an id: it is one when no session has it. */
static int compare_resolve(const struct compare *k, const char *word, GPtrArray **ret,
			   char **ret_message)
{
	struct sessions *m = k->bus->model.sessions;
	g_autofree char *message = NULL;
	char *id = NULL;
	int r = -ENOENT;

	if (compare_is_last(word) || result_id_valid(word))
		r = sessions_resolve(m, word, &id, &message);
	if (r == -ENOENT && !compare_is_last(word))
		return sessions_labelled(m, word, COMPARE_REPEATS_MAX, ret, ret_message);
	if (r < 0) {
		*ret_message = g_steal_pointer(&message);
		return r;
	}
	*ret = g_ptr_array_new_with_free_func(g_free);
	g_ptr_array_add(*ret, id);
	return 0;
}

static int compare_next_side(struct compare *k, char **ret_message)
{
	const char *word = k->words->pdata[k->word];
	int r;

	r = compare_resolve(k, word, &k->ids, ret_message);
	if (r < 0)
		return r;
	k->side = comparison_add_side(k->comparison, word);
	k->word++;
	k->at = k->added = 0;
	g_clear_pointer(&k->nothing, g_free);
	return INQUIRY_STEP;
}

static int compare_end_side(struct compare *k, char **ret_message)
{
	if (k->added == 0) {
		*ret_message = g_steal_pointer(&k->nothing);
		return -EINVAL;
	}
	g_clear_pointer(&k->ids, g_ptr_array_unref);
	return INQUIRY_STEP;
}

static int compare_add(struct compare *k, const struct result *result, char **ret_message)
{
	if (!session_state_ended(result->state)) {
		*ret_message = g_strdup_printf("Session %s has not ended.", result->id);
		return -EINPROGRESS;
	}
	return comparison_add(k->comparison, k->side, result, ret_message);
}

/* One session of the side at hand. */
static int compare_read(struct compare *k, char **ret_message)
{
	const char *id = k->ids->pdata[k->at++];
	g_autofree char *message = NULL;
	struct result *result = NULL;
	int r;

	r = sessions_result(k->bus->model.sessions, id, &result, &message);
	if (r >= 0)
		r = compare_add(k, result, &message);
	result_free(result);
	if (r >= 0) {
		k->added++;
	} else if (k->ids->len > 1 && (r == -EINVAL || r == -ENOENT || r == -EINPROGRESS)) {
		/* nothing to compare in it, gone meanwhile, or its end is being worked out */
		g_free(k->nothing);
		k->nothing = g_steal_pointer(&message);
	} else {
		*ret_message = g_steal_pointer(&message);
		return r;
	}
	return INQUIRY_STEP;
}

static int compare_step(void *data, char **ret_message)
{
	struct compare *k = data;

	if (k->rendered)
		return INQUIRY_ANSWER;
	if (k->ids && k->at < k->ids->len)
		return compare_read(k, ret_message);
	if (k->ids)
		return compare_end_side(k, ret_message);
	if (k->word < k->words->len)
		return compare_next_side(k, ret_message);
	return INQUIRY_THREAD;
}

/* --- the thread --- */

static int compare_work(void *data, char **ret_message)
{
	struct compare *k = data;
	int r;

	k->out = g_string_new(NULL);
	r = comparison_finish(k->comparison, ret_message);
	if (r >= 0)
		r = comparison_render(k->format, k->comparison, &k->display, k->out, ret_message);
	k->rendered = r >= 0;
	return r;
}

static GString *compare_rendered(void *data)
{
	return ((struct compare *)data)->out;
}

static const struct inquiry_kind compare_kind = {
	.step = compare_step,
	.work = compare_work,
	.rendered = compare_rendered,
	.free = compare_free,
};

/* --- the call --- */

static int compare_check_word(const GPtrArray *words, const char *word, sd_bus_error *error)
{
	if (words->len >= COMPARISON_SIDES_MAX)
		return bus_error_setf(error, EINVAL, "At most %d can be compared.",
				      COMPARISON_SIDES_MAX);
	if (!*word || strlen(word) > COMPARE_WORD_MAX)
		return bus_error_setf(error, ENOENT, "\"%.32s\" is no session and no label.", word);
	if (g_ptr_array_find_with_equal_func((GPtrArray *)words, word, g_str_equal, NULL))
		return bus_error_setf(error, EINVAL, "\"%.128s\" is given twice.", word);
	return 0;
}

static int compare_read_words(sd_bus_message *m, GPtrArray *words, sd_bus_error *error)
{
	const char *word;
	int r;

	r = sd_bus_message_enter_container(m, 'a', "s");
	while (r >= 0 && (r = sd_bus_message_read_basic(m, 's', &word)) > 0) {
		r = compare_check_word(words, word, error);
		if (r < 0)
			return r;
		g_ptr_array_add(words, g_strdup(word));
	}
	if (r >= 0)
		r = sd_bus_message_exit_container(m);
	if (r < 0)
		return bus_error_argument(error, r);
	if (words->len < 2)
		return bus_error_set(error, EINVAL,
				     "Two things can be compared, or more, not one.");
	return 0;
}

static int compare_check_options(const json_t *options, const GPtrArray *words, sd_bus_error *error)
{
	const char *base = options_string(options, "base");
	double fail_above = options_real(options, "fail_above", 0);

	if (fail_above < 0 || fail_above > COMPARE_FAIL_ABOVE_MAX ||
	    (options_has(options, "fail_above") && fail_above == 0))
		return bus_error_set(error, EINVAL,
				     "Option fail_above is a percentage above 0, up to a million.");
	if (base && !g_ptr_array_find_with_equal_func((GPtrArray *)words, base, g_str_equal, NULL))
		return bus_error_setf(error, EINVAL,
				      "The base \"%.128s\" is none of those that are compared.",
				      base);
	return 0;
}

static const char *compare_format_name(size_t i)
{
	return comparison_formats[i] ? comparison_formats[i]->name : NULL;
}

static int compare_read_call(struct compare *k, sd_bus_message *m, sd_bus_error *error)
{
	g_autoptr(json_t) options = NULL;
	struct comparison_options o;
	int r;

	r = compare_read_words(m, k->words, error);
	if (r >= 0)
		r = rendering_read_format(m, compare_format_name, "comparisons", &k->format, error);
	if (r >= 0)
		r = options_read(m, compare_options, &options, error);
	if (r >= 0)
		r = rendering_read(options, &k->display, error);
	if (r >= 0)
		r = compare_check_options(options, k->words, error);
	if (r < 0)
		return r;
	o = (struct comparison_options){
		.base = options_string(options, "base"),
		.stage = options_string(options, "stage"),
		.force = options_bool(options, "force", false),
		.fail_above = options_real(options, "fail_above", 0),
	};
	k->comparison = comparison_new(&o);
	return 0;
}

static int compare_begin(struct bus *b, sd_bus_message *m, bool file, sd_bus_error *error)
{
	const struct rendering_way way = { file, "lrtbf-comparison", "OpenCompare" };
	struct compare *k = g_new0(struct compare, 1);
	int r;

	k->bus = b;
	k->words = g_ptr_array_new_with_free_func(g_free);
	r = compare_read_call(k, m, error);
	if (r < 0) {
		compare_free(k);
		return r;
	}
	return inquiry_begin(b, m, &compare_kind, k, &way, error);
}

int compare_method_compare(sd_bus_message *m, void *userdata, sd_bus_error *error)
{
	return compare_begin(userdata, m, false, error);
}

int compare_method_open_compare(sd_bus_message *m, void *userdata, sd_bus_error *error)
{
	return compare_begin(userdata, m, true, error);
}

int compare_property_formats(sd_bus *bus, const char *path, const char *interface,
			     const char *property, sd_bus_message *reply, void *userdata,
			     sd_bus_error *error)
{
	return rendering_append_formats(reply, compare_format_name);
}
