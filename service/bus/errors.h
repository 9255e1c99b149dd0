/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * errno -> org.lrtbf1.Error.NAME, by the one table in core/reason.h. A handler never returns a bare
 * errno: sd-bus would answer with System.Error.EWHATEVER, which no caller knows.
 */
#include <glib.h>
#include <systemd/sd-bus.h>

/*
 * Set @error for errno @r (either sign) with a sentence; NULL: what strerror() says. Always
 * negative, so that a handler ends with `return bus_error_set(...)`. @message may hold bytes that
 * are not UTF-8.
 */
int bus_error_set(sd_bus_error *error, int r, const char *message);
int bus_error_setf(sd_bus_error *error, int r, const char *fmt, ...) G_GNUC_PRINTF(3, 4);
/* An argument of a call that sd-bus cannot read (-EBADMSG: a text that is none): InvalidOption,
 * whatever @r is. */
int bus_error_argument(sd_bus_error *error, int r);
/* Too much of something that a caller can create: org.freedesktop.DBus.Error.LimitsExceeded. */
int bus_error_limit(sd_bus_error *error, const char *message);

/* Answer a call that was put off. Takes the place of a handler's return value. */
void bus_reply_error(sd_bus_message *call, const sd_bus_error *error);
