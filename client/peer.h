/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * The other machine of `session start --peer`: what the session here asks for, by its property
 * PeerWanted, is done there, and the outcome told. One session at a time runs there, for one stage
 * here; it is tied to our connection, and ends with it.
 */
#include "client.h"
#include "follow.h"

#define PEER_PLAN "parport_target" /* what runs there unless said otherwise */

struct peer;

struct peer_options {
	const char *where; /* peerbus.h */
	const char *plan;
	const char *port; /* NULL: the plan's */
};

/* Connect, and see whether there is an lrtbfd. @c and the options are borrowed. */
int peer_open(struct client *c, const struct peer_options *o, struct peer **ret);
/* For follow_session(). */
struct follow_partner peer_partner(struct peer *p);
/* After it: what still runs there is stopped. NULL is fine. */
void peer_close(struct peer *p);
