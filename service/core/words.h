/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * The words of a session's life, as they stand on the bus, in the store and in reports.
 */
#include <stdbool.h>

enum session_state {
	SESSION_QUEUED,
	SESSION_PREPARING,
	SESSION_RUNNING,
	SESSION_FINISHING,
	SESSION_DONE,
	SESSION_STOPPED,     /* by a user; keeps its data */
	SESSION_FAILED,	     /* reason; keeps its data */
	SESSION_INTERRUPTED, /* daemon or machine died; recovered with its data */
	SESSION_SKIPPED,     /* a schedule came too late */
	_SESSION_STATE_MAX,
};

enum verdict {
	VERDICT_EMPTY, /* "": not ended */
	VERDICT_NONE,  /* ended, the plan sets no limit */
	VERDICT_PASS,
	VERDICT_INCONCLUSIVE,
	VERDICT_FAIL,
	_VERDICT_MAX, /* order: the worse of two is the larger */
};

const char *session_state_to_string(enum session_state s);
int session_state_from_string(const char *s); /* -EINVAL */
bool session_state_ended(enum session_state s);
const char *verdict_to_string(enum verdict v);
int verdict_from_string(const char *s);
