/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sd-bus does not tell how large a message has become, so sizes are summed up beside it.
 */
#include "bounded.h"

#include "bus-internal.h"
#include <errno.h>
#include <string.h>

#define BOUNDED_TEXT_SIZE 16 /* what a text takes besides its letters: length, NUL, padding */

int bounded_append_members(sd_bus_message *m, const struct bounded_list *l, size_t *size)
{
	int r = 0;

	for (guint i = 0; r >= 0 && i < l->members->len; i++) {
		*size += l->size(l->members->pdata[i], l->data);
		if (*size > BUS_REPLY_MAX)
			return -EMSGSIZE;
		r = sd_bus_message_open_container(m, 'a', "{sv}");
		if (r >= 0)
			r = l->append(m, l->members->pdata[i], l->data);
		if (r >= 0)
			r = sd_bus_message_close_container(m);
	}
	return r;
}

int bounded_append(sd_bus_message *m, const struct bounded_list *l)
{
	size_t size = 0;
	int r;

	r = sd_bus_message_open_container(m, 'a', "a{sv}");
	if (r >= 0)
		r = bounded_append_members(m, l, &size);
	return r < 0 ? r : sd_bus_message_close_container(m);
}

size_t bounded_text_size(const char *s)
{
	size_t length;

	if (!s)
		return 0;
	length = strlen(s);
	/* a byte that is no UTF-8 becomes a character of three */
	return BOUNDED_TEXT_SIZE + (g_utf8_validate(s, (gssize)length, NULL) ? 1 : 3) * length;
}
