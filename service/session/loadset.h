/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * The loads of one stage: a nanny process (lrtbf-load) for each simple load, watched from the
 * event loop. Owned by the session. All calls return at once.
 */
#include "load.h"
#include <systemd/sd-event.h>

struct loadset;

enum loadset_news {
	LOADSET_RUNNING, /* every nanny says that its load has started */
	LOADSET_TROUBLE, /* one is absent, was refused or died early: text says which and why; the rest runs on */
	LOADSET_GONE,	 /* after loadset_stop(): no process is left, scratch folders removed */
};
typedef void (*loadset_news_t)(enum loadset_news what, const char *finding_id, const char *text,
			       void *userdata);

struct loadset_params {
	sd_event *event;
	const char *load_path;	 /* lrtbf-load */
	const char *scratch_dir; /* made 0711 when missing */
	const cpu_set_t *cpus;	 /* where loads may run; NULL: anywhere */
	loadset_news_t news;
	void *userdata;
};

/* @loads: of struct load, simple ones (load_expand()); empty: RUNNING and GONE come all the same. */
int loadset_start(const struct loadset_params *p, const GPtrArray *loads, struct loadset **ret,
		  char **ret_message);
/* End all: SIGTERM to the nannies, which end their loads; SIGKILL after 500 ms. */
void loadset_stop(struct loadset *s);
struct loadset *loadset_free(struct loadset *s); /* kills at once */

/* Commands that cannot be found in PATH: 0, or -ENOENT with a sentence naming them. */
int loadset_probe(const GPtrArray *loads, char **ret_message);
