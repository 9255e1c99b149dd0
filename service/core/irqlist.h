/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Lists of interrupt numbers as people write them: "24", "24,30-33". Pure. Fuzzed with the rules.
 */
#include <stdbool.h>

#define IRQLIST_NUMBER_MAX 2147483647u

/* Sorted, overlaps joined, no blanks: equal sets are equal texts (g_free). -EINVAL with a sentence.
 */
int irqlist_normalise(const char *text, char **ret, char **ret_message);
/* false for a list that is none, too. */
bool irqlist_contains(const char *text, unsigned irq);
