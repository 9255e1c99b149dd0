/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * FIGURES of the JSON contract, from figures; used by the report and by lrtbf-measure alone.
 */
#include "figures.h"
#include <jansson.h>
#include <stdbool.h>

/*
 * @start_real_ns: CLOCK_REALTIME at stage start, for at_usec (0: null). @histogram: with the list
 * of non-empty buckets. null where there is no data. Averages have 3 decimals.
 */
json_t *figures_to_json(const struct figures *f, uint64_t start_real_ns, bool histogram);

/* Text of @j: like json_dumps(), numbers in the C locale, keys in order. g_free(). */
char *json_text(const json_t *j, bool indent);
