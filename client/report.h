/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * What the service renders, on its way to a file descriptor: reports, comparisons, trends.
 */
#include "client.h"

struct report {
	int fd; /* to read it from; -1: it is in @text */
	char *text;
};

/* A method that renders, and its twin that answers with a descriptor. */
struct report_method {
	const char *path, *interface;
	const char *get, *open;
	/* What it takes before the format. -errno of sd-bus. NULL: nothing. */
	int (*append)(sd_bus_message *m, const void *data);
	/* Entries of its options, but those of the display. NULL: none. */
	client_fill_t fill;
	const void *data; /* for both */
};

/*
 * Have the service render in @format. @display: stdout is its reader: text is made for the terminal
 * there. Over a connection that carries no descriptors the text comes in the reply.
 */
int report_call(struct client *c, const struct report_method *m, const char *format, bool display,
		struct report *ret);

/* The same of a session's report. */
struct report_wish {
	const char *format;
	const char *stage; /* NULL: all */
	const char *plot;  /* NULL: all */
	bool display;
};
int report_fetch(struct client *c, const char *path, const struct report_wish *w,
		 struct report *ret);

/* What it says in JSON; NULL: nothing. json_decref(). Once, in place of report_write(). */
json_t *report_json(const struct report *r);
/* -errno. Once. */
int report_write(struct report *r, int fd);
void report_done(struct report *r);

/*
 * To the file @path, complete or not at all, or (NULL, "-") to stdout, through the pager: what
 * @write writes (-errno). Returns an outcome; what is wrong was said.
 */
int report_deliver(struct client *c, const char *path, int (*write)(void *data, int fd),
		   void *data);
/* One report so. */
int report_deliver_one(struct client *c, const char *path, struct report *r);
/* Does it go to stdout? */
bool report_is_displayed(const char *path);

/*
 * The format that the command line wants. *ret NULL: none, the command is done (an outcome): it
 * contradicts itself, or "help" wanted those that the service has in its property @formats.
 */
struct args;
int report_format_wanted(struct client *c, const struct args *a, const char *formats,
			 const char **ret);
/* Print what that property has, a line each. */
int report_print_formats(struct client *c, const char *formats);
/* Is this a format whose reports are JSON values? Several make an array. */
bool report_format_is_json(const char *format);
/* One report to stdout, as --json or text; for who has just waited for a session. */
int report_show(struct client *c, const char *path);
