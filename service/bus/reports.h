/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * A session's result, as a dictionary and rendered: methods of org.lrtbf1.Session.
 */
#include <systemd/sd-bus.h>

int reports_method_get_result(sd_bus_message *m, void *userdata, sd_bus_error *error);
int reports_method_get_report(sd_bus_message *m, void *userdata, sd_bus_error *error);
int reports_method_open_report(sd_bus_message *m, void *userdata, sd_bus_error *error);
