/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ranks.h"

#include <glib.h>

struct ranked {
	double value;
	size_t at;
};

static int ranks_compare(const void *a, const void *b)
{
	double x = ((const struct ranked *)a)->value, y = ((const struct ranked *)b)->value;

	return x < y ? -1 : x > y;
}

void ranks_of(const double *values, size_t n, double *ret)
{
	g_autofree struct ranked *r = g_new(struct ranked, n + 1);
	size_t from, to;

	for (size_t i = 0; i < n; i++)
		r[i] = (struct ranked){ values[i], i };
	qsort(r, n, sizeof(*r), ranks_compare);
	for (from = 0; from < n; from = to) {
		for (to = from + 1; to < n && r[to].value == r[from].value;)
			to++;
		for (size_t i = from; i < to; i++)
			ret[r[i].at] = (double)(from + 1 + to) / 2;
	}
}

double ranks_lag1(const double *values, size_t n)
{
	g_autofree double *rank = g_new(double, n + 1);
	double mean = ((double)n + 1) / 2, lagged = 0, square = 0;

	if (n < 3)
		return 0;
	ranks_of(values, n, rank);
	for (size_t i = 0; i < n; i++) {
		square += (rank[i] - mean) * (rank[i] - mean);
		lagged += i ? (rank[i] - mean) * (rank[i - 1] - mean) : 0;
	}
	return square > 0 ? lagged / square : 0;
}
