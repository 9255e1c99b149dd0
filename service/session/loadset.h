/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * The loads of one stage: a nanny process (lrtbf-load) for each simple load, watched from the
 * event loop. Owned by a stage. All calls return at once. Loads run on every CPU that the daemon
 * may use, measured ones included: what they do there is what is measured.
 *
 * SIGCHLD must be blocked in the calling process (sd_event_add_child). LRTBF_LOAD_NO_NAMESPACE in
 * its environment makes the nannies do without process namespaces, as they must in a plain
 * container.
 */
#include "load.h"
#include <systemd/sd-event.h>

struct cage;
struct loadset;

enum loadset_news {
	LOADSET_RUNNING, /* once: every load has started, or trouble was reported of it */
	LOADSET_TROUBLE, /* one is absent, was refused, died early or runs otherwise than it should:
			    text says which and why; the rest runs on */
	LOADSET_GONE,	 /* after loadset_stop(): no process is left, scratch folders removed */
};
/*
 * @finding_id: "load-absent", "load-died", "load-left", "outside-unit"; NULL with RUNNING and GONE,
 * as @text. Only from the event loop, never from within a call below. The set may be freed in it.
 */
typedef void (*loadset_news_t)(enum loadset_news what, const char *finding_id, const char *text,
			       void *userdata);

struct loadset_params {
	sd_event *event;
	const char *load_path;	 /* lrtbf-load */
	const char *scratch_dir; /* made 0711 when missing */
	const struct cage *cage; /* a unit for each; NULL: children of this process */
	const char *session;	 /* id, for their names; not needed without a cage */
	unsigned stage;		 /* index, likewise */
	loadset_news_t news;
	void *userdata;
};

/*
 * @loads: of struct load, simple ones (load_expand()); empty or NULL: RUNNING and GONE come all the
 * same. They are not needed after this call. An error (no memory, no event source) has a sentence;
 * a load that cannot be started is no error here but LOADSET_TROUBLE.
 */
int loadset_start(const struct loadset_params *p, const GPtrArray *loads, struct loadset **ret,
		  char **ret_message);
/* End all: SIGTERM to the nannies, which end their loads; SIGKILL after 500 ms. Again: nothing. */
void loadset_stop(struct loadset *s);
struct loadset *loadset_free(struct loadset *s); /* kills at once */

/*
 * Remove scratch folders that a killed daemon left; at its start, before any load runs. Their
 * number or -errno with a sentence.
 */
int loadset_clean_scratch(const char *scratch_dir, char **ret_message);
