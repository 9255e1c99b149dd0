/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * What a daemon that died left behind: sessions that had not ended, regions, a child that may still
 * be there. Run once, at start, before anything else measures. May wait up to 4 s for a child.
 */
#include "session.h"

/*
 * Sessions that were measuring become `interrupted`, with all that their regions hold, and are in
 * the store's queue; also those that the store believes to wait, when they left a region. Those
 * that did wait are given back in order: of struct result, @ret_queued (freed with its members).
 * A region of a session that never reached the store makes one of plan "unknown"; one of a
 * session that the store cannot read stays; other regions that nobody misses are removed.
 * @ret_regions: paths to remove when the store has written (of char *). -errno with a sentence when
 * the store cannot be read.
 */
int recover(const struct session_place *place, GPtrArray **ret_queued, GPtrArray **ret_regions,
	    char **ret_message);

/* The plan of a session by its text and wishes; NULL with a sentence. */
struct plan *recover_plan(const struct result *r, bool wishes, char **ret_message);
