/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * What the daemon tells a nanny (lrtbf-load) to run: one simple load with its bounds, as a JSON
 * object. Written by session/nanny.c, read by load/. Pure. Fuzzed.
 */
#include "load.h"
#include <sys/types.h>

/* Descriptors the nanny finds open. */
#define ERRAND_FD	  3 /* the errand's text: a file, read from its start to its end */
#define ERRAND_STATUS_FD  4 /* a SOCK_SEQPACKET socket: one status a packet, see below */
#define ERRAND_SCRATCH_FD 5 /* the load's working folder; open only when errand.scratch is set */

/* The user without any rights of its own, by the kernel's own number for it. */
#define ERRAND_NOBODY 65534

#define ERRAND_INSTANCES_MAX 256
#define ERRAND_TEXT_MAX	     (128 * 1024)

/*
 * What a nanny says, one packet each, a word and what belongs to it:
 *
 *	guard namespace|tree	a guardian of one instance lives; its pidfd comes along (SCM_RIGHTS)
 *	started			one instance of the command was executed (once per instance)
 *	absent SENTENCE		the command is not there
 *	refused SENTENCE	it could not be set up or executed
 *	died SENTENCE		an instance ended although it should not have
 */
#define ERRAND_STATUS_MAX 1024

struct errand {
	char *name; /* the load's */
	char **command;
	unsigned instances; /* 1..ERRAND_INSTANCES_MAX */
	bool repeat;
	uint64_t end_statuses, pause_ns, restart_after_ns; /* as in struct load */
	bool scratch;		/* ERRAND_SCRATCH_FD is its working folder */
	uint64_t scratch_bytes; /* no file may grow beyond this */
	bool nobody;		/* run as ERRAND_NOBODY */
	bool keep_rights;	/* keep capabilities and set-id programs: loads that need root */
	bool no_namespace;	/* do without a process namespace even where it is permitted */
	pid_t parent; /* who must live; the nanny ends when it finds another parent; 0: only
			 the other end of the status socket counts */
};

/* The errand for @l: all but nobody, parent and no_namespace, which the caller fills. */
struct errand *errand_new(const struct load *l);
void errand_free(struct errand *e);

typedef struct errand errand_t; /* for g_autoptr() */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(errand_t, errand_free)

/* g_free(). */
char *errand_to_text(const struct errand *e);
/* -EBADMSG with a sentence (g_free; may be NULL) for what errand_to_text() cannot have written. */
int errand_parse(const char *text, size_t size, struct errand **ret, char **ret_message);
