/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * All sessions: the one that measures, those that wait, the last that ended. The model behind
 * org.lrtbf1.Manager; one owner (daemon.c), event loop's thread only.
 *
 * Errors are errnos of core/reason.h with a sentence (g_free) for the caller.
 */
#include "result.h"
#include "settings.h"
#include "store.h"
#include <systemd/sd-event.h>

struct cage;
struct session;
struct sessions;
struct irqpolicy;
struct ports;

enum sessions_news {
	SESSIONS_ADDED,	    /* a session came into being (queued) */
	SESSIONS_CHANGED,   /* state, stage, queue position, reason, findings: of that session */
	SESSIONS_PROGRESS,  /* figures and progress; at most once a second */
	SESSIONS_MAXIMUM,   /* a new largest sample was seen */
	SESSIONS_ENDED,	    /* reached an ended state and is in the store, or in its queue */
	SESSIONS_FORGOTTEN, /* left memory (deleted, or one ended session too many): s is freed next
			     */
	SESSIONS_ACTIVE,    /* who measures changed; s is NULL */
};
typedef void (*sessions_news_t)(enum sessions_news what, struct session *s, void *userdata);

struct sessions_params {
	sd_event *event;
	struct store *store;
	const struct settings *settings;
	const char *const *config_dirs; /* strongest first, NULL-ended */
	const char *state_dir, *runtime_dir, *root;
	const char *measure_path, *load_path; /* the two programs */
	const char *lock_path;		      /* the machine-wide lock */
	struct irqpolicy *irqpolicy;	      /* interrupt threads; NULL: none (tests) */
	struct ports *ports;		      /* parallel ports; NULL: none (tests) */
	const struct cage *cage; /* units for what sessions start; NULL: plain children */
	sessions_news_t news;
	void *userdata;
};

/*
 * Takes up what an earlier life left: regions folded into the store, sessions `interrupted`, queue
 * kept. No news from within. Blocks SIGCHLD. May take up to 4 s when a child of that life does not
 * end.
 */
int sessions_new(const struct sessions_params *p, struct sessions **ret);
/*
 * The active session, if there still is one, is ended at once as `stopped` with its data. Before
 * the store is closed; waits up to 2 s for it to write, so that no result region is left behind.
 */
struct sessions *sessions_free(struct sessions *m);

/* Stop measuring for good; sessions_idle() becomes true when nothing runs any more (within 2 s). */
void sessions_shutdown(struct sessions *m);
bool sessions_idle(const struct sessions *m);

/* The one that measures goes on to its end, and those that wait are left for the next life. */
void sessions_hold(struct sessions *m);

/*
 * Read plans and loads again, and take over what changed in the settings (which are their owner's
 * to read). Problems (struct problem) of all files, never fatal. g_ptr_array_unref().
 */
GPtrArray *sessions_reload(struct sessions *m);

/*
 * Queue one. @overrides: object of strings (plan_override()'s keys). @queue false: Busy when
 * another measures. @caller: uid. NoSuchPlan, InvalidPlan, InvalidOption, NotPermitted, Busy,
 * QueueFull, ...
 */
int sessions_start(struct sessions *m, const char *plan, const json_t *overrides, bool queue,
		   uid_t caller, struct session **ret, char **ret_message);

/*
 * Does what @plan, with the wishes, needs of the kernel module lrtbf wait for that to be loaded?
 * false, too, where anything else is wrong with it: sessions_start() says so.
 */
bool sessions_lack_module(struct sessions *m, const char *plan, const json_t *overrides);

/*
 * The machine for something short that is no session: a descriptor (close()) while which nobody
 * measures; sessions wait. -EBUSY: somebody measures or is about to; with a sentence.
 */
int sessions_take_machine(struct sessions *m, int *ret_fd, char **ret_message);

struct session *sessions_find(struct sessions *m, const char *id); /* in memory; else NULL */
struct session *sessions_active(struct sessions *m);		   /* NULL: none */
unsigned sessions_queue_length(const struct sessions *m);
/* Every session in memory (active, queued, ended), for enumeration: g_ptr_array_unref, borrowed
 * members. */
GPtrArray *sessions_all(struct sessions *m);

/* "last", "last:PLAN" or an id -> id (g_free). NoSuchSession. */
int sessions_resolve(struct sessions *m, const char *word, char **ret_id, char **ret_message);

/*
 * The result of any session, wherever it is: a live one is drained now, an old one read from the
 * store. result_free().
 */
int sessions_result(struct sessions *m, const char *id, struct result **ret, char **ret_message);

/* Newest first; see store.h for @filter and @cursor. Members: struct result (head only). */
int sessions_list(struct sessions *m, const struct store_filter *filter, const char *cursor,
		  unsigned limit, GPtrArray **ret, char **ret_next, char **ret_message);

/*
 * Ids of the sessions with @label that measured and have their details still, newest first, at most
 * @max: g_ptr_array_unref(). NoSuchSession when there is none, with a sentence.
 */
int sessions_labelled(struct sessions *m, const char *label, unsigned max, GPtrArray **ret,
		      char **ret_message);

/*
 * Take in what another program measured as sessions of @owner's that have ended. @results (of
 * struct result) get ids that are free. @done once, later: 0, all of them are kept and shown; else
 * errno with a sentence, and none is.
 */
int sessions_adopt(struct sessions *m, GPtrArray *results, uid_t owner, store_done_t done,
		   void *userdata, char **ret_message);

/*
 * Delete one that has ended (NotFinished otherwise; "last" is InvalidOption; Refused: marked to be
 * kept, unless @force). @done is called once, later, when the store has it (r 0) or could not
 * (errno, sentence).
 */
int sessions_delete(struct sessions *m, const char *id, bool force, store_done_t done,
		    void *userdata, char **ret_message);

/*
 * Mark a session to be kept whole, or take the mark away. @done as of sessions_delete(). One in
 * memory shows it at once.
 */
int sessions_set_kept(struct sessions *m, const char *id, bool kept, store_done_t done,
		      void *userdata, char **ret_message);
/*
 * The same for the baseline that it belongs to from now on, "" for none; one that belongs to one is
 * kept, too. InvalidOption: no name of a baseline, or it measured nothing; NotFinished.
 */
int sessions_set_baseline(struct sessions *m, const char *id, const char *baseline,
			  store_done_t done, void *userdata, char **ret_message);
/* The store tells (STORE_THINNED, STORE_REMOVED) that it made @id smaller, or removed it. */
void sessions_retained(struct sessions *m, const char *id, bool gone);

/* Plans as read: borrowed until the next reload. */
struct plan_entry {
	const char *name, *path;
	const struct plan *plan;   /* NULL: cannot stand */
	const GPtrArray *problems; /* of struct problem */
};
size_t sessions_plans(struct sessions *m, const struct plan_entry **ret);
/* Check plan text as it would be read, loads included. Problems; empty: good. */
GPtrArray *sessions_check_plan(struct sessions *m, const char *text);

/* What weakens numbers from this machine, now: of struct finding. */
GPtrArray *sessions_check_system(struct sessions *m);

/*
 * The same with another machine (struct session_peer_want below): no load runs here, and whether
 * loads are known is the other one's business. InvalidOption for a name that cannot be shown.
 */
struct session_peer_wish {
	const char *name;
	uint64_t wait_ns; /* for each answer; 0: a minute */
};
int sessions_start_with_peer(struct sessions *m, const char *plan, const json_t *overrides,
			     bool queue, const struct session_peer_wish *peer, uid_t caller,
			     struct session **ret, char **ret_message);

/*
 * The same as the plan's schedule wants it: it is skipped when it waits longer than start_within.
 * @late: a sentence for one that comes too late already, which is kept, in state skipped; NULL: in
 * time.
 */
int sessions_start_scheduled(struct sessions *m, const char *plan, const json_t *overrides,
			     bool queue, const char *late, uid_t caller, struct session **ret,
			     char **ret_message);

/* The folders of the configuration, strongest first, NULL-ended. */
const char *const *sessions_config_dirs(const struct sessions *m);

/* --- one session: session.c --- */

/* Ask it to end; keeps its data. Ended already: 0, nothing happens. Queued: ends `stopped` at once.
 */
int session_stop(struct session *s, uid_t caller);

/*
 * Its head, always current (result.h); stages hold what the last drain saw. Borrowed. Once it has
 * ended and SESSIONS_ENDED was told, memory keeps no figures: stages have no CPUs (or there are
 * none: of an earlier life), conditions are NULL. sessions_result() reads all of it from the store.
 */
const struct result *session_result(const struct session *s);
unsigned session_queue_position(const struct session *s); /* 1: next; 0: not queued */
const char *session_stage(const struct session *s);	  /* name of the stage, "" when none */
double session_progress(const struct session *s);	  /* 0..1 over all stages */

/*
 * What a session with a peer waits for from who holds the connection to it. False: nothing, at the
 * moment or at all. Strings are borrowed.
 */
struct session_peer_want {
	const char *what; /* "begin": the peer's part of the stage; "end": that, and its result */
	unsigned index;
	const char *stage, *load;
	uint64_t duration_ns;
	uint64_t time_ns; /* the longest from "begin" to "end", when the answer comes at once */
};
bool session_peer_wanted(const struct session *s, struct session_peer_want *ret);
/*
 * Answers: the peer's part of stage @index runs there as session @id, with lrtbfd @version (NULL:
 * not known); the JSON report of that session; it has failed, says a sentence. InvalidOption: not
 * asked for, or no such report (InvalidPlan); TooLarge.
 */
int session_peer_ready(struct session *s, unsigned index, const char *id, const char *version,
		       char **ret_message);
int session_peer_result(struct session *s, unsigned index, const char *report, size_t size,
			char **ret_message);
int session_peer_failed(struct session *s, const char *sentence, char **ret_message);
/* Who started it has left the bus: one that is tied to him ends. */
void session_caller_left(struct session *s);

/* The live line of one CPU in the current stage. n 0: nothing yet. */
struct session_live {
	int cpu;
	uint64_t count, min_ns, last_ns, avg_ns, max_ns;
};
size_t session_live(const struct session *s, struct session_live *ret, size_t max);
uint64_t session_maximum_ns(const struct session *s, int *ret_cpu); /* of SESSIONS_MAXIMUM */
