/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* SetSchedule of org.lrtbf1.Manager: one at a time. */
#include "bus-internal.h"

struct setschedule;

/* A method handler; @userdata: struct bus. */
int setschedule_method_set_schedule(sd_bus_message *m, void *userdata, sd_bus_error *error);
/* The one under way ends without an answer. NULL is fine; returns NULL. */
struct setschedule *setschedule_free(struct setschedule *s);
