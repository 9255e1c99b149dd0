/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* DeleteSession of org.lrtbf1.Manager. */
#include <systemd/sd-bus.h>

/* A method handler; @userdata: struct bus. */
int delete_method_delete_session(sd_bus_message *m, void *userdata, sd_bus_error *error);
