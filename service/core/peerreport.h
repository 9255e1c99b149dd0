/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * What a peer, the other machine of a session with two, says of its part of one stage: the JSON
 * report of the session it ran for it. It comes over the bus from another machine and may be
 * anything. Pure. Fuzzed.
 */
#include <glib.h>
#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#define PEERREPORT_MAX	    (8 * 1024 * 1024) /* bytes of a report */
#define PEERREPORT_KEPT_MAX (1024 * 1024)     /* of what is kept of it, each of the two parts */

struct peerreport {
	/*
	 * For the stage: session, plan, state, reason, method, load, verdict, findings, limits,
	 * effect, irqs, port, started_usec, duration_ns and the figures "all" without histogram,
	 * worst samples and blocks. null where the report has none.
	 */
	json_t *stage;
	json_t *conditions; /* object, without warnings */
	GPtrArray *doubts;  /* of char *: sentences that make its part inconclusive */
	GPtrArray *warnings;
};

/*
 * -EBADMSG: not a report of a session with exactly one stage; -EMSGSIZE: too much to keep; with a
 * sentence.
 */
int peerreport_parse(const char *text, size_t size, struct peerreport *ret, char **ret_message);
void peerreport_done(struct peerreport *p);

const char *peerreport_text(const struct peerreport *p, const char *key); /* of stage; "" */
uint64_t peerreport_duration_ns(const struct peerreport *p);

/* The effect of such a stage, of struct result_metric, from any JSON. g_ptr_array_unref(). */
GPtrArray *peerreport_metrics(const json_t *stage);
