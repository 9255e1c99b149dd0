/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * lrtbfd.conf: the daemon's own settings. Keys: lrtbfd.conf(5).
 */
#include "retention.h"

struct conftree_file;

struct settings {
	unsigned queue_max;	       /* queued sessions in all; default 64 */
	unsigned queue_max_per_caller; /* default 16 */
	unsigned ended_shown;	       /* ended sessions on ObjectManager; default 20 */
	char *scratch_dir;	       /* for loads; NULL: <state>/scratch */
	char *log_level;	       /* "debug" ... "err"; NULL: info */
	struct retention keep;	       /* of plans that say nothing; default: everything */
	char *housekeeping; /* CPU list for daemon and control threads; NULL: what plans leave */
};

void settings_init(struct settings *s);
void settings_done(struct settings *s);
/* @f NULL: defaults. -EINVAL: problems added, *s holds what was good. */
int settings_read(struct settings *s, const struct conftree_file *f, GPtrArray *problems);
