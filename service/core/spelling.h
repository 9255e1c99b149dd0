/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * How far one word is from another, to name the one that was probably meant. Pure.
 */

#define SPELLING_MAX 63 /* bytes of a word; longer ones are no slip of anything */

/* Bytes to put in, take out or change (V. Levenshtein, 1965); UINT_MAX when either is longer. */
unsigned spelling_distance(const char *a, const char *b);

/* The word of @known (NULL-ended) that @word most likely means: of two that are as near the first;
 * NULL: none is near. */
const char *spelling_nearest(const char *word, const char *const *known);
