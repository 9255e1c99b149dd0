/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "words.h"

#include <errno.h>
#include <glib.h>
#include <string.h>

static const char *const session_state_names[_SESSION_STATE_MAX] = {
	[SESSION_QUEUED] = "queued",   [SESSION_PREPARING] = "preparing",
	[SESSION_RUNNING] = "running", [SESSION_FINISHING] = "finishing",
	[SESSION_DONE] = "done",       [SESSION_STOPPED] = "stopped",
	[SESSION_FAILED] = "failed",   [SESSION_INTERRUPTED] = "interrupted",
	[SESSION_SKIPPED] = "skipped",
};

static const char *const verdict_names[_VERDICT_MAX] = {
	[VERDICT_EMPTY] = "",	 [VERDICT_NONE] = "none",
	[VERDICT_PASS] = "pass", [VERDICT_INCONCLUSIVE] = "inconclusive",
	[VERDICT_FAIL] = "fail",
};

static int words_find(const char *const *names, int n, const char *s)
{
	for (int i = 0; s && i < n; i++)
		if (strcmp(names[i], s) == 0)
			return i;
	return -EINVAL;
}

const char *session_state_to_string(enum session_state s)
{
	g_assert(s < _SESSION_STATE_MAX);
	return session_state_names[s];
}

int session_state_from_string(const char *s)
{
	return words_find(session_state_names, _SESSION_STATE_MAX, s);
}

bool session_state_ended(enum session_state s)
{
	return s >= SESSION_DONE;
}

const char *verdict_to_string(enum verdict v)
{
	g_assert(v < _VERDICT_MAX);
	return verdict_names[v];
}

int verdict_from_string(const char *s)
{
	return words_find(verdict_names, _VERDICT_MAX, s);
}
