/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "storelog.h"

#include "log.h"

void storelog_write(enum store_news what, const char *text)
{
	switch (what) {
	case STORE_TROUBLE:
		log_event(LOG_ERR, LOG_EVENT_STORE_TROUBLE, (struct log_field[]){ { NULL } },
			  "Results cannot be written, and wait in memory: %s", text);
		break;
	case STORE_WELL:
		log_notice("Results are written again.");
		break;
	case STORE_SLOW:
		log_debug("%s", text);
		break;
	case STORE_THINNED:
		log_write(LOG_INFO, text,
			  "The details of session %s were removed, as \"keep\" wants it.", text);
		break;
	case STORE_REMOVED:
		log_write(LOG_INFO, text, "Session %s was removed, as \"keep\" wants it.", text);
		break;
	case STORE_RETENTION_FAILED:
		log_warning("Old results could not be made smaller: %s", text);
		break;
	}
}
