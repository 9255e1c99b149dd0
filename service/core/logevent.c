/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "logevent.h"

#include <assert.h>

static const char *const log_event_ids[_LOG_EVENT_MAX] = {
	[LOG_EVENT_SESSION_BEGAN] = "b61492bd2901435da49a34879555fc3b",
	[LOG_EVENT_SESSION_ENDED] = "26adc5c5871d4d3e81d26e08bbc88a4c",
	[LOG_EVENT_LIMIT_BROKEN] = "73617c7966744ef0aa080f16d31b9a76",
	[LOG_EVENT_SESSION_RECOVERED] = "20b4d411c5c741eda993b737666f00cf",
	[LOG_EVENT_TUNING_RESTORED] = "e633a22d0b8748d698cf2d68251bdb6a",
	[LOG_EVENT_PRIORITY_DRIFTED] = "73823b79f2d44525a54140e8bc7fd698",
	[LOG_EVENT_PORT_LOST] = "4dcff361415249b38c3a1de5dc0cbfc7",
	[LOG_EVENT_STORE_TROUBLE] = "1e330194e2e7449ea20457585d4ccd8d",
};

const char *log_event_id(enum log_event e)
{
	assert(log_event_ids[e]);
	return log_event_ids[e];
}
