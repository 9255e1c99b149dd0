/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * The configuration folders, one over the other: /etc/lrtbfd over /run/lrtbfd-config over
 * /usr/lib/lrtbfd. The first folder that has a file of a name wins; a link to /dev/null masks it;
 * NAME.conf.d/ *.conf of all folders are drop-ins, in name order, over it.
 *
 * Files that make the daemon run something are opened safely: O_NOFOLLOW (but the mask),
 * O_NONBLOCK, regular, at most 1 MiB, owned by root or the daemon's uid, not group- or
 * world-writable, neither they nor their folder, checked on the open descriptor. A link to anything
 * but /dev/null is refused, whatever it leads to: what it leads to may change in between.
 */
#include "problem.h"
#include <stdbool.h>

struct conftree_file {
	char *name; /* "quick": without folder and .conf */
	char *path; /* where it came from */
	char *text; /* NULL: could not be read, problems say why */
	size_t size;
	GPtrArray *dropins;  /* of struct conftree_file, text included */
	GPtrArray *problems; /* of this file alone */
};

/*
 * @dirs: NULL-ended, strongest first. @sub: "plans.d", "loads.d", "irq.d" or "" for
 * lrtbfd.conf itself.
 * Returns struct conftree_file in name order (g_ptr_array_unref). A folder that cannot be read is
 * an entry of its own, named @sub, with the problem. Drop-ins without their file too, but over an
 * absent lrtbfd.conf they count.
 */
GPtrArray *conftree_list(const char *const *dirs, const char *sub);
/* One file by name; -ENOENT: in no folder, or masked. */
int conftree_get(const char *const *dirs, const char *sub, const char *name,
		 struct conftree_file **ret);
void conftree_file_free(struct conftree_file *f);

/*
 * Put @text (copied; NULL: nothing) in the place of the drop-in @name, as if @path said so: to see
 * what would come of it.
 */
void conftree_file_set_dropin(struct conftree_file *f, const char *name, const char *path,
			      const char *text);

struct conf;
/*
 * Its text with the drop-ins laid over: NULL, and problems added, when it or one of them could not
 * be read or parsed. conf_free().
 */
struct conf *conftree_file_parse(const struct conftree_file *f, GPtrArray *problems);

/* Names of plans and loads: [a-z0-9_]+, at most 64. (Files of irq.d may have '-' in them, too.) */
bool conftree_name_valid(const char *name);
