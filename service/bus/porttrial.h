/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Test of org.lrtbf1.Port. */
#include "bus-internal.h"

/* A method handler; @userdata: struct port_view. */
int porttrial_method_test(sd_bus_message *m, void *userdata, sd_bus_error *error);
/* Of bus.trial: breaks it off, and its call with it. */
struct porttrial *porttrial_free(struct porttrial *t);
