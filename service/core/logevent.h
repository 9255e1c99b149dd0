/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * What somebody may have to act on, or wants to be told of: each kind has an id in the journal
 * (MESSAGE_ID=), under which units/lrtbfd.catalog explains it and monitoring finds it. The ids are
 * a contract: one is never changed, and never used for anything else.
 */
enum log_event {
	LOG_EVENT_SESSION_BEGAN,
	LOG_EVENT_SESSION_ENDED,
	LOG_EVENT_LIMIT_BROKEN,	     /* once for each of a stage's */
	LOG_EVENT_SESSION_RECOVERED, /* what a crash interrupted, found again */
	LOG_EVENT_TUNING_RESTORED,   /* what a crash left set, put back */
	LOG_EVENT_PRIORITY_DRIFTED,  /* somebody else changed what we had set */
	LOG_EVENT_PORT_LOST,
	LOG_EVENT_STORE_TROUBLE,
	_LOG_EVENT_MAX,
};

/* 32 hexadecimal digits. */
const char *log_event_id(enum log_event e);
