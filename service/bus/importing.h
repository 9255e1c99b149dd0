/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Results of other programs handed in: Import and ImportFormats of org.lrtbf1.Manager.
 */
#include <glib.h>
#include <systemd/sd-bus.h>

int importing_method_import(sd_bus_message *m, void *userdata, sd_bus_error *error);
int importing_property_formats(sd_bus *bus, const char *path, const char *interface,
			       const char *property, sd_bus_message *reply, void *userdata,
			       sd_bus_error *error);

/* What waits for polkit or is read; ends it. */
GPtrArray *importings_new(void);
