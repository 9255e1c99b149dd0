/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rendering.h"

#include "bus-internal.h"
#include "cleanup-bus.h"
#include "cleanup.h"
#include "dict.h"
#include "errors.h"
#include "memfile.h"
#include <errno.h>
#include <string.h>

#define RENDERING_WIDTH_MAX 1000

int rendering_read(const json_t *options, struct report_options *ret, sd_bus_error *error)
{
	uint64_t width = options_integer(options, "width", 0);

	if (width > RENDERING_WIDTH_MAX)
		return bus_error_setf(error, EINVAL, "A report is at most %d columns wide.",
				      RENDERING_WIDTH_MAX);
	*ret = (struct report_options){
		.width = (unsigned)width,
		.unicode = options_bool(options, "unicode", false),
		.colour = options_bool(options, "colour", false),
	};
	return 0;
}

int rendering_append_formats(sd_bus_message *m, rendering_names_t names)
{
	int r;

	r = sd_bus_message_open_container(m, 'a', "s");
	for (size_t i = 0; r >= 0 && names(i); i++)
		r = sd_bus_message_append_basic(m, 's', names(i));
	return r < 0 ? r : sd_bus_message_close_container(m);
}

int rendering_read_format(sd_bus_message *m, rendering_names_t names, const char *of, char **ret,
			  sd_bus_error *error)
{
	g_autoptr(GString) known = g_string_new(NULL);
	const char *format;
	int r;

	r = sd_bus_message_read_basic(m, 's', &format);
	if (r < 0)
		return bus_error_argument(error, r);
	for (size_t i = 0; names(i); i++) {
		if (strcmp(names(i), format) == 0) {
			*ret = g_strdup(format);
			return 0;
		}
		g_string_append_printf(known, "%s%s", known->len ? ", " : "", names(i));
	}
	return bus_error_setf(error, EINVAL, "There is no format \"%.32s\" of %s; there are: %s.",
			      format, of, known->str);
}

static int rendering_reply_file(sd_bus_message *call, const char *name, const GString *rendered)
{
	g_auto(fd_t) fd = -1;
	int r;

	r = memfile_new(name, rendered->str, rendered->len, &fd);
	return r < 0 ? r : sd_bus_reply_method_return(call, "h", fd);
}

static int rendering_reply_text(sd_bus_message *call, const GString *rendered)
{
	g_autoptr(sd_bus_message) reply = NULL;
	int r;

	r = sd_bus_message_new_method_return(call, &reply);
	if (r >= 0)
		r = dict_text(reply, rendered->str);
	return r < 0 ? r : sd_bus_send(NULL, reply, NULL);
}

int rendering_reply(sd_bus_message *call, const struct rendering_way *way, const GString *rendered,
		    sd_bus_error *error)
{
	int r;

	if (way->file)
		r = rendering_reply_file(call, way->name, rendered);
	else if (rendered->len > BUS_REPLY_MAX)
		return bus_error_setf(error, EMSGSIZE,
				      "The report is too large for one answer: use %s.",
				      way->instead);
	else
		r = rendering_reply_text(call, rendered);
	return r < 0 ? bus_error_set(error, r, NULL) : 1;
}
