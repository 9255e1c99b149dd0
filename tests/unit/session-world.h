/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * A whole lrtbfd without its bus, for tests: event loop, store, sessions, folders of its own. One
 * world at a time stands on one folder; world_crash() and world_open() make a life after the other.
 */
#include "cleanup.h"
#include "sessions.h"

struct world {
	char *dir; /* all of it; its runtime folder is below /dev/shm */
	char *state, *runtime, *config, *lock;
	const char *config_dirs[2];
	struct settings settings;
	const struct cage *cage; /* of sessions_params; set before world_open() */
	sd_event *event;
	struct store *store;
	struct sessions *sessions;
	GString *news; /* a word for each: "added changed ... ended " */
	unsigned forgotten, maxima;
	double progress;
	/* called with each piece of news; NULL: not */
	void (*hook)(struct world *w, enum sessions_news what, struct session *s);
	void *hook_data;
};

struct world *world_new(void); /* folders, the load `none`; not open */
void world_open(struct world *w);
void world_close(struct world *w); /* as an orderly end, without waiting */
void world_free(struct world *w);  /* closed; removes its folders */
/* Run the loop for @ns, or until @done says so. True: it did. */
bool world_run(struct world *w, uint64_t ns, bool (*done)(struct world *w, void *data), void *data);
bool world_run_state(struct world *w, struct session *s, enum session_state state);
bool world_run_ended(struct world *w, struct session *s);
void world_wait(struct world *w, uint64_t ns);

void world_plan(struct world *w, const char *name, const char *text);
void world_load(struct world *w, const char *name, const char *text);
void world_reload(struct world *w);
/* sessions_start() that must work. */
struct session *world_start(struct world *w, const char *plan);
/* Pid of the child that measures; waits for it. */
pid_t world_child(struct world *w);
/* Whole result by id. result_free(). */
struct result *world_result(struct world *w, const char *id);
/* The same when it has ended, and so. */
struct result *world_assert_ends(struct world *w, struct session *s, enum session_state state);
unsigned world_regions(struct world *w); /* region files there are */
enum session_state world_state(const struct session *s);
uint64_t world_count(const struct result *r);

/*
 * @got is @want; or inconclusive for a hypervisor's sake alone, which is the test machine's doing:
 * @findings of a stage, or of any in @r.
 */
void world_assert_verdict(enum verdict got, enum verdict want, const GPtrArray *findings);
void world_assert_session_verdict(const struct result *r, enum verdict want);

#define world_assert_finding(findings, want) g_assert_true(world_has_finding(findings, want))
bool world_has_finding(const GPtrArray *findings, const char *id);

/* A plan of @ms, policy other, one CPU, 1 ms; @more: further keys. g_free(). */
char *world_plan_text(unsigned ms, const char *load, const char *more);
