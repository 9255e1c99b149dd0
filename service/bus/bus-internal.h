/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * What the files of this folder share: one file per interface, one struct behind all.
 */
#include "authority.h"
#include "bus.h"
#include "inhibit.h"
#include "view.h"
#include <systemd/sd-bus.h>

#define BUS_NAME	  "org.lrtbf1"
#define BUS_PATH	  "/org/lrtbf1"
#define BUS_SESSION_PATH  BUS_PATH "/session"
#define BUS_MANAGER_IFACE "org.lrtbf1.Manager"
#define BUS_SESSION_IFACE "org.lrtbf1.Session"

/* A reply over the bus' own limit disconnects the sender; this stays far below the smallest. */
#define BUS_REPLY_MAX (8 * 1024 * 1024)

struct bus {
	sd_bus *bus;
	struct bus_model model; /* configuration */
	char *kernel_release;	/* constant; NULL: unknown */
	bool realtime;		/* constant */
	struct authority *authority;
	struct inhibit *inhibit;
	struct view view; /* the Session object that sd-bus asks about at the moment */
};

int manager_publish(struct bus *b);
int session_publish(struct bus *b);

/* Object path of a session. g_free(). */
char *session_path(const char *id);

void manager_news(struct bus *b, enum sessions_news what, struct session *s);
void session_news(struct bus *b, enum sessions_news what, struct session *s);
