/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Student's t distribution. */

/* The t that is not exceeded with chance @p (0 < p < 1), with @df > 0 degrees of freedom. */
double student_quantile(double p, double df);
