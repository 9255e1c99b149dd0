/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How large a session is in a list depends on how many samples and loads it has: a page is cut in
 * half until it fits in a message, and the cursor goes on from there.
 */
#include "page.h"

#include "bus-internal.h"
#include "cleanup-bus.h"
#include "cleanup.h"
#include "dict.h"
#include "errors.h"
#include "options.h"
#include "report.h"
#include <errno.h>
#include <string.h>

#define PAGE_DEFAULT	100
#define PAGE_MAX	1000
#define PAGE_CURSOR_MAX 256 /* letters */

static const struct option_spec page_filters[] = {
	{ "plan", 's' },       { "label", 's' }, { "state", 's' },    { "verdict", 's' },
	{ "since_usec", 't' }, { "owner", 'u' }, { "baseline", 's' }, { NULL },
};

static int page_read(sd_bus_message *m, json_t **ret_options, struct store_filter *ret_filter,
		     const char **ret_cursor, uint32_t *ret_limit, sd_bus_error *error)
{
	int r;

	r = options_read(m, page_filters, ret_options, error);
	if (r < 0)
		return r;
	r = sd_bus_message_read(m, "su", ret_cursor, ret_limit);
	if (r < 0)
		return bus_error_argument(error, r);
	if (strlen(*ret_cursor) > PAGE_CURSOR_MAX)
		return bus_error_set(error, EINVAL, "The cursor is not one of ours.");
	if (*ret_limit == 0)
		*ret_limit = PAGE_DEFAULT;
	if (*ret_limit > PAGE_MAX)
		return bus_error_setf(error, EINVAL, "A page has at most %d sessions.", PAGE_MAX);
	*ret_filter = (struct store_filter){
		.plan = options_string(*ret_options, "plan"),
		.label = options_string(*ret_options, "label"),
		.state = options_string(*ret_options, "state"),
		.verdict = options_string(*ret_options, "verdict"),
		.since_usec = options_integer(*ret_options, "since_usec", 0),
		.owner = -1,
		.baseline = options_string(*ret_options, "baseline"),
	};
	if (json_object_get(*ret_options, "owner"))
		ret_filter->owner = (int64_t)options_integer(*ret_options, "owner", 0);
	return 0;
}

/* @heads as aa{sv}; -EMSGSIZE when the reply would become too large. */
static int page_append(sd_bus_message *reply, const GPtrArray *heads)
{
	size_t size = 0;
	int r;

	r = sd_bus_message_open_container(reply, 'a', "a{sv}");
	for (guint i = 0; r >= 0 && i < heads->len; i++) {
		g_autoptr(json_t) head = report_session_json(heads->pdata[i]);

		size += dict_size(head);
		if (size > BUS_REPLY_MAX)
			return -EMSGSIZE;
		r = dict_json(reply, head);
	}
	return r < 0 ? r : sd_bus_message_close_container(reply);
}

/* One page as a reply; with fewer sessions than asked for when they do not fit in one message. */
static int page_reply(struct bus *b, sd_bus_message *m, const struct store_filter *filter,
		      const char *cursor, unsigned limit, sd_bus_message **ret, sd_bus_error *error)
{
	g_autofree char *message = NULL, *next = NULL;
	g_autoptr(sd_bus_message) reply = NULL;
	g_autoptr(GPtrArray) heads = NULL;
	int r;

	r = sessions_list(b->model.sessions, filter, cursor, limit, &heads, &next, &message);
	if (r < 0)
		return bus_error_set(error, r, message);
	r = sd_bus_message_new_method_return(m, &reply);
	if (r >= 0)
		r = page_append(reply, heads);
	if (r == -EMSGSIZE && limit > 1)
		return page_reply(b, m, filter, cursor, limit / 2, ret, error);
	if (r >= 0)
		r = dict_text(reply, next ?: "");
	if (r < 0)
		return bus_error_set(error, r, NULL);
	*ret = g_steal_pointer(&reply);
	return 0;
}

int page_method_list_sessions(sd_bus_message *m, void *userdata, sd_bus_error *error)
{
	g_autoptr(sd_bus_message) reply = NULL;
	g_autoptr(json_t) options = NULL;
	struct store_filter filter;
	struct bus *b = userdata;
	const char *cursor;
	uint32_t limit;
	int r;

	r = page_read(m, &options, &filter, &cursor, &limit, error);
	if (r >= 0)
		r = page_reply(b, m, &filter, cursor, limit, &reply, error);
	if (r < 0)
		return r;
	r = sd_bus_send(NULL, reply, NULL);
	return r < 0 ? bus_error_set(error, r, NULL) : 1;
}
