/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The parts of conditionsdiff_new(): each looks at one subject of both and adds what differs. */
#include "conditionsdiff.h"

enum condition_weight { CONDITION_FIRST, CONDITION_COSTLY, CONDITION_OTHER };

struct diff {
	GPtrArray *rows[CONDITION_OTHER + 1];
};

/* Any text; "" or NULL: there is none. Copied, cut when it is long. */
void diff_add(struct diff *diff, enum condition_weight weight, const char *what, const char *a,
	      const char *b);

/* NULL: null, or nothing that is single. g_free(). */
char *diff_scalar(const json_t *v);
/* Keys parted by '.'; NULL: not there. */
const json_t *diff_at_path(const json_t *o, const char *path);

/* Configuration and command line. */
void diff_kernel(struct diff *diff, const json_t *a, const json_t *b);
/* What is kept of every CPU, and of every thread with a real-time policy. */
void diff_cpus(struct diff *diff, const json_t *a, const json_t *b);
void diff_threads(struct diff *diff, const json_t *a, const json_t *b);
