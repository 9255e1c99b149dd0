/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Patterns of names as glob(7) has them, over whole texts: `*`, `?`, `[a-f0]`, `[!0]` (or `[^0]`),
 * and a backslash before what is meant as it stands. '/' and '.' are characters like others, a '['
 * without its ']' stands for itself. Bytes, not characters. Pure. Fuzzed with the rules.
 */
#include <stdbool.h>

/* Time grows with the product of both lengths at most. */
bool glob_match(const char *pattern, const char *text);

/*
 * What is most likely not meant: a backslash at the end, classes like [:digit:], and a set that
 * names a character twice, which is a piece of a name ("ahci[0000:00:1f.2]") whose bracket should
 * have a backslash. A name that stands there alone, without any `*` or `?`, is let pass: see
 * rule_tag_match(). 0, or -EINVAL with a sentence.
 */
int glob_check(const char *pattern, char **ret_message);
