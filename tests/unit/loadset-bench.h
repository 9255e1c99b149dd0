/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Loads under the real nanny. LRTBF_LOAD names the program. Processes of a test are found by a mark
 * in their arguments that no other test run has, and ended by their ids.
 */
#include "loadset.h"

#include <glib.h>
#include <stdbool.h>
#include <sys/types.h>

/* For main(): glib, and the signals as the daemon has them. */
void bench_init(int *argc, char ***argv);

/* --- what is seen from outside --- */

char *new_mark(void); /* g_free() */
/* Processes with @mark in their arguments, this one left out. */
GArray *marked(const char *mark);
guint count_marked(const char *mark);
bool wait_marked(const char *mark, guint at_least, guint at_most, double seconds);
/* The only one: a shell that has just forked is there twice until its child executes. */
pid_t only_marked(const char *mark);
/* Field of /proc/PID/status. g_free() */
char *status_field(pid_t pid, const char *key);
guint folder_entries(const char *path);

/* --- a set with its event loop --- */

struct bench {
	sd_event *event;
	struct loadset *set;
	char *folder;
	GPtrArray *loads;
	bool running, gone, free_on_trouble;
	GString *troubles;
};

struct bench *bench_new(void);
void bench_free(struct bench *b);
struct load *bench_load(struct bench *b, const char *name, const char *const *command);
struct load *bench_shell(struct bench *b, const char *script, const char *mark);
void bench_start(struct bench *b);
void bench_stop(struct bench *b);
bool bench_wait(struct bench *b, const bool *what, double seconds);
void bench_run(struct bench *b, double seconds);
bool bench_wait_trouble(struct bench *b, const char *text, double seconds);
guint bench_scratch_entries(struct bench *b);
void on_news(enum loadset_news what, const char *finding_id, const char *text, void *userdata);

/* Ignores SIGTERM; a child; one that called setsid(); one that forked twice, both stubborn. */
extern const char stubborn[];
#define STUBBORN_PROCESSES 4

/* --- ways to run: with and without namespaces, as root and as nobody --- */

enum way { WAY_NAMESPACE = 0, WAY_TREE = 1, WAY_ROOT = 0, WAY_NOBODY = 2 };

void take_way(unsigned way);
/*
 * Runs @body in a process of its own, which may change its user; its failed assertions are this
 * test's.
 */
void in_child(void (*body)(void), unsigned way);
/* A test for each of them. */
void add_ways(const char *name, GTestDataFunc test);
