/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * ListPlans' answer: every plan, those that cannot stand with what is wrong with them.
 */
#include <systemd/sd-bus.h>

/* @sessions: struct sessions. Append aa{sv}. -EMSGSIZE when there is too much for one message. */
int plans_append(sd_bus_message *m, const void *bus);
