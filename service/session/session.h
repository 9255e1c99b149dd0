/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * One session from queued to its end: what sessions.c and recover.c know of it beyond sessions.h.
 * Owned by sessions.c, event loop's thread only.
 */
#include "place.h"
#include "plan.h"

struct evaluation;
struct peer;
struct stage;

struct session {
	const struct session_place *place;
	struct result *r;
	struct plan *plan;   /* as queued, then with the wishes applied; NULL once ended */
	GHashTable *loads;   /* as queued; NULL once ended */
	cpu_set_t cpus;	     /* measured; set when it begins */
	bool irqs;	     /* its rules of interrupts are in force: irqs.h */
	char *port;	     /* that is said to be its own; NULL: none */
	struct stage *stage; /* that runs */
	struct evaluation *evaluation; /* of what it measured; NULL: none, or over */
	enum session_state end;	       /* as which it ends when that is over, */
	enum verdict end_verdict;      /* with this */
	struct peer *peer;	       /* the other machine; NULL: it measures alone */
	bool stage_over;	       /* @stage is, here; its peer has not handed in its part */
	sd_event_source *next;	       /* the next stage is due */
	char *stop_reason;	       /* who or what asked it to end; NULL: nobody */
	GPtrArray *regions;	       /* paths to remove when the store has the figures */
	uint64_t max_ns;	       /* over all stages */
	int64_t clock_ns;	       /* clock_real_offset_ns() when it began */
	int max_cpu;
	uint64_t start_by_ns; /* CLOCK_BOOTTIME: later it is skipped; 0: it waits for ever */
	unsigned position;    /* in the queue; kept by sessions.c */
};

/* Takes @r and @plan; a reference to @loads. State and times are in @r. */
struct session *session_new(const struct session_place *place, struct result *r, struct plan *plan,
			    GHashTable *loads);
/*
 * The active one, and no time to wait: what still runs is killed, what was measured goes into the
 * store, state stopped. SESSIONS_ENDED comes from within.
 */
void session_abandon(struct session *s, const char *reason);
/* The other machine that takes part, before the session is queued. Its loads run there. */
void session_set_peer(struct session *s, const struct session_peer_wish *wish);
/* Its peer's part is not waited for any more. */
void session_forsake_peer(struct session *s);
/* Not an active one. Returns NULL. */
struct session *session_free(struct session *s);

/* The lock is held, nothing else measures: go. News follow; never SESSIONS_ENDED from within. */
void session_begin(struct session *s);
/* End it with @reason (taken) in state stopped. SESSIONS_ENDED may come from within when it is
 * queued. */
void session_stop_because(struct session *s, char *reason);
/* A queued one that cannot begin: state failed. SESSIONS_ENDED comes from within. */
void session_refuse(struct session *s, int err, const char *sentence);
/*
 * By its plan's schedule: it may wait for as long as start_within says, and has waited for
 * @waited_ns.
 */
void session_set_scheduled(struct session *s, uint64_t waited_ns);
bool session_is_scheduled(const struct session *s);
/* It has waited too long: not to be begun any more. */
bool session_overdue(const struct session *s);
/* A queued one that is not to begin any more: state skipped. SESSIONS_ENDED comes from within. */
void session_skip(struct session *s, const char *sentence);
/* Read the region now. */
void session_drain(struct session *s);

bool session_ended(const struct session *s);
