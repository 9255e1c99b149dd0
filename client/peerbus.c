/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why ssh is started here and not by sd_bus_open_system_remote(): Ctrl-C goes to every process of
 * the terminal, and would end the connection with which the session on the other machine is to be
 * stopped and its report fetched. An ssh for which SIGINT is ignored leaves it so, and still finds
 * the terminal to ask for a password on.
 */
#include "peerbus.h"

#include <errno.h>
#include <glib.h>
#include <stdbool.h>
#include <string.h>

#define PEERBUS_SSH "trap '' INT; exec ssh -xT -- \"$1\" systemd-stdio-bridge"

/* As the addresses of D-Bus want it. */
static void peerbus_escape(GString *out, const char *s)
{
	for (; *s; s++)
		if (g_ascii_isalnum(*s) || strchr("-_/.\\*", *s))
			g_string_append_c(out, *s);
		else
			g_string_append_printf(out, "%%%02x", (unsigned char)*s);
}

static bool peerbus_is_address(const char *where)
{
	static const char *const transports[] = { "unix:", "unixexec:", "tcp:", "nonce-tcp:" };

	for (size_t i = 0; i < G_N_ELEMENTS(transports); i++)
		if (g_str_has_prefix(where, transports[i]))
			return strchr(where, '=') != NULL;
	return false;
}

char *peerbus_address(const char *where)
{
	GString *s;

	if (peerbus_is_address(where))
		return g_strdup(where);
	if (!*where || *where == '-' || strpbrk(where, " \t\r\n"))
		return NULL;
	s = g_string_new("unixexec:path=/bin/sh,argv1=-c,argv2=");
	peerbus_escape(s, PEERBUS_SSH);
	g_string_append(s, ",argv3=sh,argv4=");
	peerbus_escape(s, where);
	return g_string_free(s, FALSE);
}

int peerbus_open(const char *where, sd_bus **ret)
{
	g_autofree char *address = peerbus_address(where);
	sd_bus *bus = NULL;
	int r;

	if (!address)
		return -EINVAL;
	r = sd_bus_new(&bus);
	if (r >= 0)
		r = sd_bus_set_address(bus, address);
	if (r >= 0)
		r = sd_bus_set_bus_client(bus, 1);
	if (r >= 0)
		r = sd_bus_start(bus);
	if (r < 0) {
		sd_bus_unref(bus);
		return r;
	}
	(void)sd_bus_set_close_on_exit(bus, 0); /* the session there is stopped after the loop */
	*ret = bus;
	return 0;
}
