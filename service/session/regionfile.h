/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Where result regions lie and what they are called, so that the daemon after this one finds them.
 *
 * In the runtime folder when that is on tmpfs, else in /dev/shm. The name holds the session, the
 * stage and a tag of the state folder: other daemons' regions in /dev/shm are not ours to judge.
 */
#include <glib.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

struct regionfile {
	char *path, *id;
	unsigned stage;
};

/*
 * Make the region of stage @stage of session @id. -EMEDIUMTYPE when neither place is on tmpfs;
 * other -errno; each with a sentence.
 */
int regionfile_create(const char *runtime_dir, uint32_t tag, const char *id, unsigned stage,
		      const cpu_set_t *cpus, int *ret_fd, char **ret_path, char **ret_message);
/* All of ours that are there: of struct regionfile, by session and stage. */
GPtrArray *regionfile_list(const char *runtime_dir, uint32_t tag);
/* The same for every start on one state folder. */
uint32_t regionfile_tag(const char *state_dir);

/* "lrtbf-TAG-ID-N.region" or "lrtbf-TAG-ID-N.WORD.region" taken apart; false: not such a name, or
 * another tag. Pure. */
bool regionfile_parse(const char *name, uint32_t tag, char **ret_id, unsigned *ret_stage);
