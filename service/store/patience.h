/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Something takes long, and somebody who waits has to know that it goes on: the service manager,
 * which else takes a start that copies gigabytes for one that hangs. Told at once, then at most
 * once a second.
 */
#include <glib.h>

struct patience {
	void (*tell)(const char *what, void *userdata); /* NULL: nobody waits */
	void *userdata;
	const char *what; /* a sentence */
	gint64 next_us;	  /* not before this */
};

static inline void patience_tell(struct patience *p)
{
	gint64 now_us = g_get_monotonic_time();

	if (!p || !p->tell || now_us < p->next_us)
		return;
	p->next_us = now_us + G_USEC_PER_SEC;
	p->tell(p->what, p->userdata);
}

/* From now on it is @what that takes long. */
static inline void patience_begin(struct patience *p, const char *what)
{
	if (!p)
		return;
	p->what = what;
	p->next_us = 0;
	patience_tell(p);
}
