/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* SetKeep of org.lrtbf1.Session. */
#include <systemd/sd-bus.h>

/* A method handler; @userdata: struct bus. */
int keep_method_set_keep(sd_bus_message *m, void *userdata, sd_bus_error *error);
