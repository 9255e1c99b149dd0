/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pointfigure.h"

#include <math.h>
#include <stdlib.h>

static double pointfigure_percentile(const double *values, uint32_t ppm)
{
	for (size_t i = 0; figures_percentiles[i].name; i++)
		if (figures_percentiles[i].ppm == ppm)
			return values[i];
	return NAN;
}

double pointfigure_value(const struct limit *l, const struct store_point *p)
{
	switch (l->figure) {
	case LIMIT_MAX:
		return p->max_ns;
	case LIMIT_MIN:
		return p->min_ns;
	case LIMIT_AVG:
		return p->avg_ns;
	case LIMIT_STDDEV:
		return p->stddev_ns;
	case LIMIT_PERCENTILE:
		return pointfigure_percentile(p->percentile_ns, l->ppm);
	case LIMIT_CORRECTED_PERCENTILE:
		return pointfigure_percentile(p->corrected_ns, l->ppm);
	case LIMIT_MISSED:
		return p->missed;
	case LIMIT_LOST:
		return p->lost;
	case LIMIT_WITHIN:
		return p->within;
	case _LIMIT_FIGURE_MAX:
		break;
	}
	return NAN;
}

static int pointfigure_order(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double pointfigure_joined(const struct limit *l, double *values, size_t n)
{
	if (n == 0)
		return NAN;
	qsort(values, n, sizeof(*values), pointfigure_order);
	return l->figure == LIMIT_MAX ? values[n - 1] : (values[(n - 1) / 2] + values[n / 2]) / 2;
}
