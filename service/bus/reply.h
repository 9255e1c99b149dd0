/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * The answer to a call that asked for one list.
 */
#include <systemd/sd-bus.h>

/*
 * @append makes the list of @data; -EMSGSIZE from it becomes TooLarge with the sentence @too_large
 * (NULL: a general one). For a handler's `return`.
 */
int reply_list(sd_bus_message *call, int (*append)(sd_bus_message *m, const void *data),
	       const void *data, const char *too_large, sd_bus_error *error);
