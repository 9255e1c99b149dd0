/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sentences quote what callers and files said. A message with bytes that are not UTF-8 would make
 * the bus disconnect the sender, which is us: so they are made valid here, for everyone.
 */
#include "errors.h"

#include "log.h"
#include "reason.h"
#include <errno.h>
#include <stdlib.h>

int bus_error_set(sd_bus_error *error, int r, const char *message)
{
	g_autofree char *name = g_strconcat("org.lrtbf1.Error.", reason_from_errno(r), NULL);
	g_autofree char *valid = NULL;

	if (message)
		valid = g_utf8_make_valid(message, -1);
	else
		valid = g_strdup_printf("%s.", g_strerror(abs(r)));
	return sd_bus_error_set(error, name, valid);
}

int bus_error_setf(sd_bus_error *error, int r, const char *fmt, ...)
{
	g_autofree char *message = NULL;
	va_list ap;

	va_start(ap, fmt);
	message = g_strdup_vprintf(fmt, ap);
	va_end(ap);
	return bus_error_set(error, r, message);
}

int bus_error_argument(sd_bus_error *error, int r)
{
	/* the bus lets characters through that libsystemd takes for none, as U+FFFE */
	return bus_error_setf(error, EINVAL,
			      "An argument is not valid text or not of its type: %s.",
			      g_strerror(abs(r)));
}

int bus_error_limit(sd_bus_error *error, const char *message)
{
	return sd_bus_error_set(error, SD_BUS_ERROR_LIMITS_EXCEEDED, message);
}

void bus_reply_error(sd_bus_message *call, const sd_bus_error *error)
{
	int r = sd_bus_reply_method_error(call, error);

	if (r < 0)
		log_debug("An error could not be answered, ignoring: %s", g_strerror(-r));
}
