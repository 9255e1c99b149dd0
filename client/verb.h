/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * A verb, which is to say a command: what it is called, takes and does. Each is a file in verbs/
 * with `const struct verb verb_NAME`, and its word in this folder's meson.build.
 */
#include <stddef.h>

struct args;
struct client;

struct option_spec {
	const char *name;  /* "duration" */
	char letter;	   /* 'o'; 0: none */
	const char *value; /* "FILE"; NULL: takes no value */
	const char *help;  /* half a line */
};

struct verb {
	const char *name;		   /* "session start" */
	const char *operands;		   /* "PLAN"; "" when none */
	const char *help;		   /* one line */
	unsigned min, max;		   /* how many operands */
	const struct option_spec *options; /* its own; ends with .name NULL; NULL: none */
	int (*run)(struct client *c, const struct args *a); /* returns enum outcome, has said why */
};

#define VERB_ANY 10000 /* .max: as many as one likes */

extern const struct verb *const verbs[]; /* ends with NULL; generated */
