/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls to a daemon on the bus at argv[1], timed side by side: reading properties against Peer.Ping
 * of the same daemon. argv[2]: object of a session in memory, argv[3]: of one that only the store
 * has. The kinds take turns within each round, so that whatever else the machine does hits all of
 * them; medians are compared.
 */
#include "cleanup-bus.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ROUNDS 3000
#define PAGES  31

struct kind {
	const char *what, *path, *interface, *property; /* property NULL: Ping; "*": GetAll */
	double target;					/* ratio to Ping; 0: none */
	double *us;
};

static double now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static double once(sd_bus *bus, const struct kind *k)
{
	g_autoptr(sd_bus_message) reply = NULL;
	g_auto(sd_bus_error) error = SD_BUS_ERROR_NULL;
	double start = now_us();
	int r;

	if (!k->property)
		r = sd_bus_call_method(bus, "org.lrtbf1", k->path, "org.freedesktop.DBus.Peer",
				       "Ping", &error, &reply, NULL);
	else if (strcmp(k->property, "*") == 0)
		r = sd_bus_call_method(bus, "org.lrtbf1", k->path,
				       "org.freedesktop.DBus.Properties", "GetAll", &error, &reply,
				       "s", k->interface);
	else
		r = sd_bus_call_method(bus, "org.lrtbf1", k->path,
				       "org.freedesktop.DBus.Properties", "Get", &error, &reply,
				       "ss", k->interface, k->property);
	if (r < 0) {
		fprintf(stderr, "%s: %s\n", k->what, error.message);
		exit(1);
	}
	return now_us() - start;
}

/* One page; its next cursor (g_free). */
static char *page(sd_bus *bus, const char *key, const char *value, const char *cursor,
		  uint32_t limit, double *ret_us)
{
	g_autoptr(sd_bus_message) reply = NULL;
	g_auto(sd_bus_error) error = SD_BUS_ERROR_NULL;
	double start = now_us();
	const char *next = "";
	int r;

	if (key)
		r = sd_bus_call_method(bus, "org.lrtbf1", "/org/lrtbf1", "org.lrtbf1.Manager",
				       "ListSessions", &error, &reply, "a{sv}su", 1, key, "s",
				       value, cursor, limit);
	else
		r = sd_bus_call_method(bus, "org.lrtbf1", "/org/lrtbf1", "org.lrtbf1.Manager",
				       "ListSessions", &error, &reply, "a{sv}su", 0, cursor, limit);
	*ret_us = now_us() - start;
	if (r < 0 || sd_bus_message_skip(reply, "aa{sv}") < 0 ||
	    sd_bus_message_read_basic(reply, 's', &next) < 0) {
		fprintf(stderr, "ListSessions: %s\n", error.message);
		exit(1);
	}
	return g_strdup(next);
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *us, size_t n)
{
	qsort(us, n, sizeof(*us), compare);
	return us[n / 2];
}

static void bench_page(sd_bus *bus, const char *what, const char *key, const char *value,
		       const char *cursor)
{
	double us[PAGES];

	for (size_t i = 0; i < PAGES; i++)
		g_free(page(bus, key, value, cursor, 100, &us[i]));
	printf("ListSessions, %-30s %8.3f ms  (target 20 ms)\n", what, median(us, PAGES) / 1000);
}

static void bench_pages(sd_bus *bus)
{
	g_autofree char *cursor = NULL;
	double us;

	cursor = page(bus, NULL, NULL, "", 1000, &us);
	bench_page(bus, "first page of 100", NULL, NULL, "");
	bench_page(bus, "a later page", NULL, NULL, cursor);
	bench_page(bus, "one plan's newest 100", "plan", "brief", "");
	bench_page(bus, "a label that nobody has", "label", "nobody's", "");
}

static void bench_properties(sd_bus *bus, const char *live, const char *old)
{
	static const char manager[] = "org.lrtbf1.Manager", session[] = "org.lrtbf1.Session";
	struct kind kinds[] = {
		{ "Peer.Ping", "/org/lrtbf1", NULL, NULL, 0, NULL },
		{ "Manager.QueueLength", "/org/lrtbf1", manager, "QueueLength", 1.3, NULL },
		{ "Manager.ActiveSession", "/org/lrtbf1", manager, "ActiveSession", 1.3, NULL },
		{ "Session.State", live, session, "State", 1.3, NULL },
		{ "Session.Progress", live, session, "Progress", 1.3, NULL },
		{ "Session.Figures", live, session, "Figures", 1.3, NULL },
		{ "Session.State, from the store", old, session, "State", 1.3, NULL },
		{ "all of a session", live, session, "*", 0, NULL },
	};
	double ping = 0;

	for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++)
		kinds[i].us = g_new(double, ROUNDS);
	for (int round = 0; round < ROUNDS; round++)
		for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++)
			kinds[i].us[round] = once(bus, &kinds[i]);
	for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++) {
		const struct kind *k = &kinds[i];
		double middle = median(k->us, ROUNDS);

		if (i == 0)
			ping = middle;
		printf("%-32s %7.1f us (half of them %.1f to %.1f)  %.2f x Ping", k->what, middle,
		       k->us[ROUNDS / 4], k->us[ROUNDS * 3 / 4], middle / ping);
		printf(k->target > 0 ? "  (target 1.3)\n" : "\n");
		g_free(k->us);
	}
}

int main(int argc, char **argv)
{
	sd_bus *bus = NULL;

	if (argc != 4) {
		fprintf(stderr, "Usage: bench-bus-calls ADDRESS SESSION OLD-SESSION\n");
		return 64;
	}
	if (sd_bus_new(&bus) < 0 || sd_bus_set_address(bus, argv[1]) < 0 ||
	    sd_bus_set_bus_client(bus, 1) < 0 || sd_bus_start(bus) < 0) {
		fprintf(stderr, "no bus at %s\n", argv[1]);
		return 1;
	}
	bench_properties(bus, argv[2], argv[3]);
	bench_pages(bus);
	sd_bus_flush_close_unref(bus);
	return 0;
}
