/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * A figure over all sessions of a plan: Trend, OpenTrend, TrendFormats of org.lrtbf1.Manager.
 */
#include <systemd/sd-bus.h>

int trending_method_trend(sd_bus_message *m, void *userdata, sd_bus_error *error);
int trending_method_open_trend(sd_bus_message *m, void *userdata, sd_bus_error *error);
int trending_property_formats(sd_bus *bus, const char *path, const char *interface,
			      const char *property, sd_bus_message *reply, void *userdata,
			      sd_bus_error *error);
