/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * The daemon on the message bus: org.lrtbf1 and its objects. One owner (daemon.c), event loop's
 * thread only.
 *
 * Two steps, because the name is also what keeps a second daemon away from the first one's results:
 * take the name, then open the store, then show objects. Calls that come in between wait.
 */
#include "ports.h"
#include "sessions.h"
#include "store.h"
#include <systemd/sd-event.h>

struct bus;
struct cage;
struct irq_change;
struct irqpolicy;

struct bus_model {
	struct sessions *sessions;
	struct store *store;
	struct irqpolicy *irqpolicy;	      /* interrupt threads; NULL: none (tests) */
	struct ports *ports;		      /* parallel ports; NULL: none (tests) */
	const char *root;		      /* "/", or a captured tree: whose kernel is shown */
	GPtrArray *(*reload)(void *userdata); /* of struct problem */
	void (*lost)(void *userdata);	      /* the connection broke: nobody will call any more */
	void *userdata;
};

/*
 * Connect to @address ("system", "user" or a D-Bus address) and own org.lrtbf1. Blocks. -EBUSY when
 * the name is taken; errors with a sentence.
 */
int bus_connect(const char *address, sd_event *event, struct bus **ret, char **ret_message);
/*
 * Where sessions run what they start, and what an earlier daemon left there is ended: before any
 * session is taken up. Blocks for two seconds at most. NULL: there is nobody to be asked.
 */
const struct cage *bus_cage(struct bus *b);
/* Show the objects. @model is copied, what it points to must live as long as the bus. */
int bus_publish(struct bus *b, const struct bus_model *model, char **ret_message);
struct bus *bus_free(struct bus *b);

/* What sessions_news_t says, for signals and properties. */
void bus_news(struct bus *b, enum sessions_news what, struct session *s);
/* The store's trouble began or ended. */
void bus_trouble_changed(struct bus *b);
/* The store made session @id smaller (STORE_THINNED) or removed it; sessions_retained() was told.
 */
void bus_session_retained(struct bus *b, const char *id, bool gone);
/* What irqpolicy_news_t says, for the signal IrqEvent. */
void bus_irq_news(struct bus *b, const struct irq_change *c);
/* irqpolicy_watching() or irqpolicy_paused() may have changed. */
void bus_irq_state_changed(struct bus *b);
/* What ports_news_t says. */
void bus_port_news(struct bus *b, enum ports_news news, const struct port *p, unsigned what);
