/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Whether text is configuration in libconfig's syntax: what passes here, libconfig parses. Pure.
 * Fuzzed with it.
 */
#include "problem.h"
#include <stddef.h>

#define CONFSYNTAX_SETTINGS_MAX 4096 /* in one text; libconfig compares each with all before it */
#define CONFSYNTAX_DEPTH_MAX	16

/*
 * 0, or -EINVAL with problems: those of confscan.h, the first error of syntax, keys given twice,
 * arrays of several types, more settings or nesting than above.
 */
int confsyntax_check(const char *text, size_t size, const char *name, GPtrArray *problems);
