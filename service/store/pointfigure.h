/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * A limit's figure of stored points: which value of a point it is, and what stands for several
 * points. Pure.
 */
#include "limit.h"
#include "store.h"

/* NAN: the point has none, or points do not keep that percentile. */
double pointfigure_value(const struct limit *l, const struct store_point *p);

/*
 * The median of @values, none of which is NAN; of a maximum the largest. They are sorted. NAN:
 * there are none.
 */
double pointfigure_joined(const struct limit *l, double *values, size_t n);
