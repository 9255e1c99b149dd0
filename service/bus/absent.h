/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * The end of a look-up for a fallback vtable: what is said of an object that is not there.
 */
#include <systemd/sd-bus.h>

/*
 * @r: what the look-up for @path found: an object (> 0), none and nothing to say (0), or none and
 * why in @error (negative). Returns @r where that answer reaches the caller, else 0 without @error:
 * sd-bus then says UnknownObject itself.
 */
int absent_answer(sd_bus *bus, const char *path, const char *interface, const sd_bus_vtable *vtable,
		  int r, sd_bus_error *error);
