/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* One end of a connection without a bus, enough to make messages: for tests of what fills them. */
#include "cleanup-bus.h"

struct fixture {
	sd_bus *bus;
	int peer;
	sd_bus_message *m;
};

void set_up(struct fixture *f, gconstpointer unused);
void tear_down(struct fixture *f, gconstpointer unused);
