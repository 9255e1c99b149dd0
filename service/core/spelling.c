/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "spelling.h"

#include <glib.h>
#include <string.h>

/* One row of the table of distances between all beginnings of @a and @b at a time. */
unsigned spelling_distance(const char *a, const char *b)
{
	size_t na = strlen(a), nb = strlen(b);
	unsigned row[SPELLING_MAX + 1];

	if (na > SPELLING_MAX || nb > SPELLING_MAX)
		return G_MAXUINT;
	for (size_t j = 0; j <= nb; j++)
		row[j] = j;
	for (size_t i = 1; i <= na; i++) {
		unsigned diagonal = row[0];

		row[0] = i;
		for (size_t j = 1; j <= nb; j++) {
			unsigned replaced = diagonal + (a[i - 1] != b[j - 1]);

			diagonal = row[j];
			row[j] = MIN(replaced, MIN(row[j], row[j - 1]) + 1);
		}
	}
	return row[nb];
}

const char *spelling_nearest(const char *word, const char *const *known)
{
	unsigned best = MAX(strlen(word) / 3, 2) + 1;
	const char *nearest = NULL;

	for (; *known; known++) {
		unsigned d = spelling_distance(word, *known);

		if (d < best) {
			best = d;
			nearest = *known;
		}
	}
	return nearest;
}
