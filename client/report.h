/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Reports on their way from the service to a file descriptor.
 */
#include "client.h"

struct report {
	int fd; /* to read it from; -1: it is in @text */
	char *text;
};

/*
 * Have the service render session @path, or one @stage of it (NULL: all). @display: stdout is its
 * reader: text is made for the terminal there. Over a connection that carries no descriptors the
 * text comes in the reply.
 */
int report_fetch(struct client *c, const char *path, const char *format, const char *stage,
		 bool display, struct report *ret);
/* -errno. Once. */
int report_write(struct report *r, int fd);
void report_done(struct report *r);

/* Is this a format whose reports are JSON values? Several make an array. */
bool report_format_is_json(const char *format);
/* One report to stdout, as --json or text; for who has just waited for a session. */
int report_show(struct client *c, const char *path);
