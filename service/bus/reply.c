/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "reply.h"

#include "cleanup-bus.h"
#include "errors.h"
#include <errno.h>

int reply_list(sd_bus_message *call, int (*append)(sd_bus_message *m, const void *data),
	       const void *data, const char *too_large, sd_bus_error *error)
{
	g_autoptr(sd_bus_message) reply = NULL;
	int r;

	r = sd_bus_message_new_method_return(call, &reply);
	if (r >= 0)
		r = append(reply, data);
	if (r == -EMSGSIZE)
		return bus_error_set(error, r,
				     too_large ?: "The list is too large for one answer.");
	if (r >= 0)
		r = sd_bus_send(NULL, reply, NULL);
	return r < 0 ? bus_error_set(error, r, NULL) : 1;
}
