/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* What lrtbf-load says to its daemon: packets on ERRAND_STATUS_FD, see core/errand.h. */
#include <glib.h>

void status_send(const char *word, const char *fmt, ...) G_GNUC_PRINTF(2, 3);
/* With a descriptor, which stays the caller's. */
void status_send_fd(const char *word, const char *text, int fd);
