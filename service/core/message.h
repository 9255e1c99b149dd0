/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * The sentence that goes with an error, for the one who caused it.
 */
#include <glib.h>

/*
 * Set *@ret_message (NULL: nobody asks) to the sentence (g_free) and return @r. What is quoted in
 * it may be cut short or no UTF-8 at all: the sentence is, because it may go onto a bus.
 */
int message_fail(char **ret_message, int r, const char *fmt, ...) G_GNUC_PRINTF(3, 4);
