/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * What the tests of plans share: a plan "x" from the text of a file "x.conf", and that one is
 * another.
 */
#include "plan.h"

#include <stdint.h>

#define S UINT64_C(1000000000)

extern const char full[]; /* a plan that has all keys of a timer */

struct plan *parsed(const char *text);
/* The one problem begins with @begin (file and line) and contains @part. */
void refused(const char *text, const char *begin, const char *part);
void override(struct plan *p, const char *key, const char *value);

void assert_equal(const struct plan *a, const struct plan *b);
void assert_format_round_trip(const struct plan *p);
/* What a queued session keeps must give the plan it was queued with. */
void assert_round_trip(const struct plan *p);
