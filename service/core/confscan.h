/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * A look over configuration text before libconfig sees it: finds what libconfig would let pass in
 * silence or answer with two words. Pure; knows tokens, not grammar. Fuzzed with the parser.
 */
#include "problem.h"
#include <stddef.h>

#define CONFSCAN_SIZE_MAX     (1024 * 1024)
#define CONFSCAN_SETTINGS_MAX 4096 /* in one file; libconfig compares each with all before it */
#define CONFSCAN_DEPTH_MAX    16

/*
 * Refuses: over 1 MiB, NUL bytes, text that is not UTF-8, integers that do not fit their type,
 * fractions, @include, a key given twice, strings and comments without an end, escapes other than
 * \" \\ \n \r \t \f, control characters, more settings or nesting than above.
 * 0, or -EINVAL with problems added.
 */
int confscan_check(const char *text, size_t size, const char *name, GPtrArray *problems);
