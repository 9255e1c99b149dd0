/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "peerbus.h"

#include <glib.h>

static void test_addresses(void)
{
	static const char *const same[] = { "unix:path=/run/b", "unix:abstract=x",
					    "tcp:host=a,port=1", "unixexec:path=x,argv1=-y" };

	for (size_t i = 0; i < G_N_ELEMENTS(same); i++) {
		g_autofree char *address = peerbus_address(same[i]);

		g_assert_cmpstr(address, ==, same[i]);
	}
}

static void test_hosts(void)
{
	static const struct {
		const char *where, *end;
	} hosts[] = {
		{ "target", ",argv3=sh,argv4=target" },
		{ "root@10.0.0.2", ",argv3=sh,argv4=root%4010.0.0.2" },
		{ "ssh://root@target:2222", ",argv4=ssh%3a//root%40target%3a2222" },
		{ "unix:", ",argv4=unix%3a" }, /* a host's name, then */
		{ "a,argv5=x;`id`$(id)", ",argv4=a%2cargv5%3dx%3b%60id%60%24%28id%29" },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(hosts); i++) {
		g_autofree char *address = peerbus_address(hosts[i].where);

		g_assert_true(g_str_has_prefix(address, "unixexec:path=/bin/sh,argv1=-c,argv2="));
		g_assert_true(g_str_has_suffix(address, hosts[i].end));
	}
}

static void test_refused(void)
{
	static const char *const bad[] = { "", "-oProxyCommand=x", "a b", "a\nb", "\t" };

	for (size_t i = 0; i < G_N_ELEMENTS(bad); i++)
		g_assert_null(peerbus_address(bad[i]));
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/ctl-peerbus/addresses", test_addresses);
	g_test_add_func("/ctl-peerbus/hosts", test_hosts);
	g_test_add_func("/ctl-peerbus/refused", test_refused);
	return g_test_run();
}
