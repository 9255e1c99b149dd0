/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * What org.lrtbf1.Session has for sessions with another machine: who holds the connection to it
 * answers what PeerWanted asks.
 */
#include <systemd/sd-bus.h>

/* Method handlers and getters; @userdata: struct bus, whose view is the session. */
int peer_method_ready(sd_bus_message *m, void *userdata, sd_bus_error *error);
int peer_method_result(sd_bus_message *m, void *userdata, sd_bus_error *error);
int peer_method_failed(sd_bus_message *m, void *userdata, sd_bus_error *error);
int peer_property_wanted(sd_bus *bus, const char *path, const char *interface, const char *property,
			 sd_bus_message *reply, void *userdata, sd_bus_error *error);
int peer_property_name(sd_bus *bus, const char *path, const char *interface, const char *property,
		       sd_bus_message *reply, void *userdata, sd_bus_error *error);
