/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * lrtbfd --restore: the sessions of a daemon that was killed, without a daemon. Called by
 * restore.c, which has both folders locked; one thread, no event loop.
 */
#include <stdbool.h>

struct salvage_place {
	const char *state_dir, *runtime_dir;
	const char *measure_path; /* of lrtbf-measure; NULL: one that outlived its daemon is not
				     known, and not killed */
};

/* Has it left result regions? Nothing is opened, locked or made. */
bool salvage_needed(const struct salvage_place *p);

/*
 * What they hold goes into the store, as at a daemon's start (recover.h): their sessions become
 * `interrupted`, those that waited wait on. A region is removed once the store has it on the disk,
 * and stays otherwise: -errno with a sentence. @ret_regions: how many were folded. May take 10 s
 * for the disk, and 4 s for each child that does not end.
 */
int salvage(const struct salvage_place *p, unsigned *ret_regions, char **ret_message);
