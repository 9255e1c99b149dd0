/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * A load: work put on the machine during a stage, from a file in loads.d/. No C needed for a new
 * one. Keys: lrtbfd-plan(5), section LOADS.
 */
#include "problem.h"
#include <stdbool.h>
#include <stdint.h>

struct conftree_file;

struct load_effect {	   /* what must be seen while it runs, or the stage is inconclusive */
	char *metric;	   /* one of load_metrics[] */
	uint64_t at_least; /* per second, mean over the stage */
};

struct load {
	char *name, *description;
	char **command;	    /* argv, found in PATH, no shell; NULL for `none` or a composite */
	char **parts;	    /* names of other loads that make this one; NULL: none */
	unsigned instances; /* how many at once; default 1 */
	bool repeat; /* begin again when it ends well (a loop); else an end is an early death */
	uint64_t end_statuses; /* bit n (0..63): exit status n is ending well; default 1: status 0
				  only */
	uint64_t pause_ns;     /* between repeats */
	uint64_t restart_after_ns; /* kill and begin again after this long; 0: never */
	uint64_t scratch_bytes;	   /* needs a scratch folder with room for this much; its working
				      folder */
	bool as_root;		   /* may not run as nobody, and why_root says why */
	char *why_root;
	GPtrArray *effects; /* of struct load_effect */
	char *path;	    /* file it came from */
};

/* What an effect can be measured in, per second: session/effect.h fills them. Ends with NULL. */
extern const char *const load_metrics[];

/* NULL when it cannot stand; every problem is in @problems. Whether parts exist: load_expand(). */
struct load *load_parse(const char *name, const char *text, size_t size, const char *file,
			GPtrArray *problems);
/* The same with its drop-ins merged; problems of reading the file are added too. */
struct load *load_from_file(const struct conftree_file *f, GPtrArray *problems);
void load_free(struct load *l);

/*
 * The simple loads that @name stands for, composites opened up (each once, in order). @loads:
 * GHashTable name -> struct load. -ENOENT (unknown part), -ELOOP (made of itself), with a sentence.
 * Borrowed pointers in @ret.
 */
int load_expand(GHashTable *loads, const char *name, GPtrArray **ret, char **ret_message);
