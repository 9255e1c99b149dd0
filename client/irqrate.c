/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Differences are taken for each CPU by itself: one that went offline takes its column along, and
 * the sum over all of them would fall.
 */
#include "irqrate.h"

#include "variant.h"
#include <glib.h>

/* No CPU takes more interrupts than this in a second. */
#define IRQRATE_MAX 10e6

bool irqrate_counting(const json_t *lines)
{
	for (size_t i = 0; i < json_array_size(lines); i++)
		if (field_has(json_array_get(lines, i), "read_usec"))
			return true;
	return false;
}

/* @most: more cannot have come. false: the count began anew, or is none. */
static bool irqrate_delta(int64_t before, int64_t after, double most, uint64_t *ret)
{
	uint64_t d;

	if (before < 0 || after < 0)
		return false;
	if (after >= before) {
		*ret = after - before;
		return true;
	}
	if (before - after > UINT32_MAX)
		return false;
	d = (UINT64_C(1) << 32) - (uint64_t)(before - after);
	if ((double)d > most)
		return false;
	*ret = d;
	return true;
}

bool irqrate_of(const json_t *before, const json_t *after, double *ret)
{
	int64_t from = field_number(before, "read_usec", -1),
		to = field_number(after, "read_usec", -1);
	json_t *counts = json_object_get(after, "counts"), *unused;
	const json_t *counts_before = json_object_get(before, "counts");
	double seconds = (double)(to - from) / 1e6;
	uint64_t sum = 0, d;
	bool any = false;
	const char *cpu;

	if (from < 0 || to <= from)
		return false;
	json_object_foreach (counts, cpu, unused) {
		if (!field_has(counts_before, cpu))
			continue;
		if (!irqrate_delta(field_number(counts_before, cpu, -1),
				   field_number(counts, cpu, -1), seconds * IRQRATE_MAX, &d))
			return false;
		sum += d;
		any = true;
	}
	/* "ERR" has a total and no CPUs, and where there are too many of them nobody has. */
	if (!any && !json_object_size(counts) && !json_object_size(counts_before))
		any = irqrate_delta(field_number(before, "total", -1),
				    field_number(after, "total", -1), seconds * IRQRATE_MAX, &sum);
	if (!any)
		return false;
	*ret = (double)sum / seconds;
	return true;
}

/* What a line is known by: its number, or the name of a row that is none. g_free(). */
static char *irqrate_id(const json_t *line)
{
	if (field_has(line, "irq"))
		return g_strdup_printf("%" G_GINT64_FORMAT, field_number(line, "irq", -1));
	return g_strdup(field_text(line, "name"));
}

void irqrate_add(const json_t *before, json_t *after)
{
	g_autoptr(GHashTable) lines = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

	for (size_t i = 0; i < json_array_size(before); i++) {
		json_t *line = json_array_get(before, i);

		g_hash_table_replace(lines, irqrate_id(line), line);
	}
	for (size_t i = 0; i < json_array_size(after); i++) {
		json_t *line = json_array_get(after, i);
		g_autofree char *id = irqrate_id(line);
		const json_t *was = g_hash_table_lookup(lines, id);
		double rate;

		if (was && irqrate_of(was, line, &rate))
			json_object_set_new(line, "per_second",
					    json_real((double)(int64_t)(rate * 1000 + 0.5) / 1000));
	}
}
