/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * The drop-in by which lrtbfd changes a plan's schedule (plans.d/NAME.conf.d/50-schedule.conf), as
 * text. Pure: who writes it, and checks the plan that comes of it, is in bus/.
 */
#include <stdbool.h>
#include <stddef.h>

#define SCHEDULEDROPIN_NAME "50-schedule" /* without .conf */

#define SCHEDULEDROPIN_FOREIGN                                                                     \
	"it does not begin as those do that lrtbfd writes: somebody else's file is left alone; "   \
	"rename or remove it"

struct schedule_change {
	const char *key;   /* "schedule", or a plan key that goes with it */
	const char *value; /* as text: "Mon 02:00; Fri 03:00", "true", "10min" */
};

/* @text was written by us, and may be removed. */
bool scheduledropin_is_ours(const char *text, size_t size);

/*
 * @old, NULL: there is none, with @changes over what it says. What it says may be nonsense: the
 * plan's check finds it. -EKEYREJECTED: @old was not written by us, or cannot be read; -ENOENT: no
 * such key; with a sentence.
 */
int scheduledropin_change(const char *old, size_t old_size, const struct schedule_change *changes,
			  size_t n, char **ret_text, char **ret_message);
