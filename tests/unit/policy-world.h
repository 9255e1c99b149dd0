/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * The policy of interrupts over a made machine (fake-irqs.h), with folders of its own: rules in
 * irq.d, a journal in the runtime folder, an event loop, and the news that were told. Journal,
 * rules and guards are the real ones. The machine: an interface with two threads, a parallel port,
 * a timer without one, and what the kernel has on CPU 0. Each test has a world that is not started
 * yet.
 */
#include "fake-irqs.h"
#include "irqpolicy.h"

#include <glib.h>

struct world {
	struct fake *f;
	char *dir, *irqd, *run;
	const char *config_dirs[2];
	struct irqpolicy *p;
	sd_event *event;
	GPtrArray *news; /* of struct irq_change */
	char *before;	 /* the machine's state */
};

void world_setup(struct world *w, gconstpointer data);
void world_teardown(struct world *w, gconstpointer data);
#define WORLD_ADD(name, f)                                                                         \
	g_test_add("/irqpolicy/" name, struct world, NULL, world_setup, f, world_teardown)

/* irq.d/@file.conf */
void world_rules(const struct world *w, const char *file, const char *text);
void world_no_rules(const struct world *w, const char *file);
#define ETH0_60                                                                                    \
	"rules = ( { match = { interface = \"eth0\"; }; policy = \"fifo\"; priority = 60; } );"

/* A plan's. */
GPtrArray *plan_rules(const char *text);
#define PARPORT_90 "( { match = { action = \"parport0\"; }; policy = \"fifo\"; priority = 90; } )"

/* With rules that are free of problems. */
void world_start(struct world *w);
void world_reload(struct world *w);
void world_stop(struct world *w);
/* The process dies: what it has set stays, and its journal. */
void world_kill(struct world *w);

/* By hand, as user 1000. */
int world_set(struct world *w, const char *name, const struct irq_wish *wish);
void world_set_fifo(struct world *w, const char *name, int priority);
void world_unset(struct world *w, const char *name);

void world_assert_as_before(struct world *w);
/* The first of @outcome, @name NULL: of any. NULL: none. */
const struct irq_change *change_find(const GPtrArray *changes, enum irq_outcome outcome,
				     const char *name);
guint change_count(const GPtrArray *changes, enum irq_outcome outcome);
const struct finding *finding_find(const GPtrArray *findings, const char *id);

void remove_tree(const char *path);
