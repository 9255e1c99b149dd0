/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * The daemon's log: journal entries with fields when standard error is the journal, else lines on
 * standard error. For session/, bus/ and daemon.c, which decide; what lies below them returns its
 * errors. Any thread. A library of its own (log_dep), because it alone of core needs libsystemd.
 */
#include "logevent.h"

#include <glib.h>
#include <stdbool.h>
#include <syslog.h>

/* LOG_ERR ... LOG_DEBUG: what is less important is dropped. Default LOG_INFO. */
void log_set_level(int level);
/* "emerg" ... "debug" or a digit -> level; -EINVAL. */
int log_level_from_string(const char *s);
/* Standard error is the journal. */
bool log_is_journal(void);

/* One message: a sentence without newline. @session: id for the field LRTBF_SESSION; NULL: none. */
void log_write(int level, const char *session, const char *fmt, ...) G_GNUC_PRINTF(3, 4);

/* A field of a journal entry. Those that lrtbfd(8) lists, no others. */
struct log_field {
	const char *name;  /* "LRTBF_PLAN" */
	const char *value; /* NULL: the entry has no such field */
};
/* The same about an event of the catalog. @fields end with a name NULL. */
void log_event(int level, enum log_event e, const struct log_field *fields, const char *fmt, ...)
	G_GNUC_PRINTF(4, 5);

#define log_error(...)	 log_write(LOG_ERR, NULL, __VA_ARGS__)
#define log_warning(...) log_write(LOG_WARNING, NULL, __VA_ARGS__)
#define log_notice(...)	 log_write(LOG_NOTICE, NULL, __VA_ARGS__)
#define log_info(...)	 log_write(LOG_INFO, NULL, __VA_ARGS__)
#define log_debug(...)	 log_write(LOG_DEBUG, NULL, __VA_ARGS__)
