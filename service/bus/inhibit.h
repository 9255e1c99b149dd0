/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Keeps the machine from going to sleep while something measures: logind's inhibitor lock. On a bus
 * without logind nothing happens. Asynchronous.
 */
#include <stdbool.h>
#include <systemd/sd-bus.h>

struct inhibit;

struct inhibit *inhibit_new(sd_bus *bus);
struct inhibit *inhibit_free(struct inhibit *i); /* lets go */

void inhibit_hold(struct inhibit *i, bool hold); /* the same state twice is fine */
