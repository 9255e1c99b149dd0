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
#define BUS_THREAD_PATH	  BUS_PATH "/thread"
#define BUS_IRQ_PATH	  BUS_PATH "/irq"
#define BUS_PORT_PATH	  BUS_PATH "/port"
#define BUS_MANAGER_IFACE "org.lrtbf1.Manager"
#define BUS_SESSION_IFACE "org.lrtbf1.Session"
#define BUS_THREAD_IFACE  "org.lrtbf1.Thread"
#define BUS_IRQ_IFACE	  "org.lrtbf1.Irq"
#define BUS_PORT_IFACE	  "org.lrtbf1.Port"

/* A reply over the bus' own limit disconnects the sender; this stays far below the smallest. */
#define BUS_REPLY_MAX (8 * 1024 * 1024)

/* The object that sd-bus asks about at the moment: set at each look-up, asked in one thread. */
struct thread_view {
	struct bus *bus;
	pid_t tid;
	uint64_t start_ticks;
	char name[64];
};
struct irq_view {
	struct bus *bus;
	unsigned irq;
};
struct port_view {
	struct bus *bus;
	const struct port *port;
};

struct calendars;
struct porttrial;
struct setschedule;
struct transient;

struct bus {
	sd_bus *bus;
	struct bus_model model; /* configuration */
	char *kernel_release;	/* constant; NULL: unknown */
	bool realtime;		/* constant */
	bool user;		/* constant: a user's bus, with his systemd on it */
	struct authority *authority;
	struct inhibit *inhibit;
	GHashTable *ties; /* tie.h */
	struct view view; /* the Session object that sd-bus asks about at the moment */
	struct thread_view thread;
	struct irq_view irq;
	struct port_view port;
	/* what the properties IrqWatching and IrqPaused said last */
	char *irq_watching;
	bool irq_paused;
	struct porttrial *trial;     /* a port is tested; NULL: none is */
	GPtrArray *loads;	     /* module.c: who wait for the kernel module */
	GPtrArray *inquiries;	     /* inquiry.c: calls that read much */
	GPtrArray *imports;	     /* importing.c: who wait for polkit, or are read */
	struct calendars *calendars; /* what is known of calendar expressions */
	GPtrArray *schedules;	     /* schedule.c: looks that wait for PID 1 */
	struct setschedule *setting; /* a schedule is set; NULL: none is */
	struct transient *transient; /* units of PID 1; NULL: not ours to ask for */
};

int manager_publish(struct bus *b);
int session_publish(struct bus *b);
int thread_publish(struct bus *b);
int irq_publish(struct bus *b);
int port_publish(struct bus *b);

/* Object paths. g_free(). */
char *session_path(const char *id);
char *thread_path(pid_t tid, uint64_t start_ticks);
char *port_path(const char *name);

/* A property of the Manager has another value. */
void manager_changed(struct bus *b, const char *property);

void manager_news(struct bus *b, enum sessions_news what, struct session *s);
void session_news(struct bus *b, enum sessions_news what, struct session *s);
/* Session @id has the mark, or has it no longer. */
void session_marked(struct bus *b, const char *id);
