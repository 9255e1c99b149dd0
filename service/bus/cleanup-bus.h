/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * g_autoptr() for sd-bus.
 */
#include <glib.h>
#include <systemd/sd-bus.h>

G_DEFINE_AUTOPTR_CLEANUP_FUNC(sd_bus_message, sd_bus_message_unref)
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(sd_bus_error, sd_bus_error_free)
