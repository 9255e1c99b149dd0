/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Sessions held against one another: Compare, OpenCompare, CompareFormats of org.lrtbf1.Manager.
 */
#include <systemd/sd-bus.h>

int compare_method_compare(sd_bus_message *m, void *userdata, sd_bus_error *error);
int compare_method_open_compare(sd_bus_message *m, void *userdata, sd_bus_error *error);
int compare_property_formats(sd_bus *bus, const char *path, const char *interface,
			     const char *property, sd_bus_message *reply, void *userdata,
			     sd_bus_error *error);
