/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * org.lrtbf1.Manager.ListSessions: a page of the list of all sessions there ever were.
 */
#include <systemd/sd-bus.h>

/* Its handler; @userdata: struct bus. */
int page_method_list_sessions(sd_bus_message *m, void *userdata, sd_bus_error *error);
