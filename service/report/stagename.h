/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Names of a session's stages for programs, which tell stages apart by nothing else. */
#include "result.h"

/*
 * One for each stage, in order, no two alike: the stage's own, with the repeat where there are
 * repeats, and a number behind what would still be alike. The same in every session of a plan.
 * Valid UTF-8, one line, without control characters. Ends with NULL; g_strfreev().
 */
char **stagename_all(const struct result *r);

/*
 * @name, or @name with the first of "-2", "-3", ... that makes it different from all in @used (a
 * set of strings), which it is put into. g_free().
 */
char *stagename_unused(GHashTable *used, const char *name);
/* Such a set, empty. */
GHashTable *stagename_set(void);
