/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines are cut at the terminal's width: one that wraps would take two rows, and moving back up by
 * the number of lines would then creep down the screen. On machines with more CPUs than rows those
 * with the largest maxima are shown: they are what one watches for.
 */
#include "live.h"

#include "columns.h"
#include "text.h"
#include "variant.h"
#include <stdio.h>
#include <string.h>

#define LIVE_UNKNOWN (-1)

static void live_cell(GString *line, const json_t *cpu, const char *key)
{
	int64_t ns = field_number(cpu, key, LIVE_UNKNOWN);

	if (ns < 0)
		g_string_append_printf(line, " %10s", "-");
	else
		g_string_append_printf(line, " %8" G_GINT64_FORMAT ".%d", (ns + 50) / 1000,
				       (int)((ns + 50) % 1000 / 100));
}

static void live_line(GString *out, const GString *line, const struct terminal *t)
{
	g_autofree char *clean = text_clean(line->str, t->utf8);

	/* the last column stays free: some terminals wrap as soon as it is written */
	g_string_append_len(out, clean, columns_fit(clean, strlen(clean), t->width - 1));
	g_string_append_c(out, '\n');
}

static void live_head(const json_t *p, const struct terminal *t, GString *out)
{
	g_autoptr(GString) line = g_string_new(NULL);
	const char *state = field_text(p, "State"), *stage = field_text(p, "Stage");

	g_string_append_printf(line, "%s  %s  %s", field_text(p, "Id"), field_text(p, "Plan"),
			       *state ? state : "starting");
	if (strcmp(state, "queued") == 0)
		g_string_append_printf(line, ", position %d",
				       (int)field_number(p, "QueuePosition", 0));
	if (*stage)
		g_string_append_printf(line, ", stage %s", stage);
	if (field_has(p, "Progress") && strcmp(state, "queued") != 0)
		g_string_append_printf(line, "  %d %%",
				       (int)(CLAMP(field_real(p, "Progress", 0), 0, 1) * 100));
	live_line(out, line, t);
}

static void live_row(const json_t *cpu, const struct terminal *t, GString *out)
{
	g_autoptr(GString) line = g_string_new(NULL);

	g_string_append_printf(line, "%4d %12" G_GINT64_FORMAT, (int)field_number(cpu, "cpu", -1),
			       field_number(cpu, "count", 0));
	live_cell(line, cpu, "min_ns");
	live_cell(line, cpu, "last_ns");
	live_cell(line, cpu, "avg_ns");
	live_cell(line, cpu, "max_ns");
	live_line(out, line, t);
}

/* The maximum that a CPU must have to be among the @rows largest. */
static int64_t live_threshold(const json_t *cpus, size_t rows)
{
	g_autoptr(GArray) maxima = g_array_new(FALSE, FALSE, sizeof(int64_t));
	int64_t largest = INT64_MAX;

	for (size_t i = 0; i < json_array_size(cpus); i++) {
		int64_t ns = field_number(json_array_get(cpus, i), "max_ns", LIVE_UNKNOWN);

		g_array_append_val(maxima, ns);
	}
	for (size_t n = 0; n < rows && maxima->len; n++) {
		guint at = 0;

		for (guint i = 1; i < maxima->len; i++)
			if (g_array_index(maxima, int64_t, i) > g_array_index(maxima, int64_t, at))
				at = i;
		largest = g_array_index(maxima, int64_t, at);
		g_array_remove_index_fast(maxima, at);
	}
	return largest;
}

static unsigned live_rows(const json_t *cpus, const struct terminal *t, GString *out)
{
	size_t n = json_array_size(cpus), rows = MAX(t->height, 5) - 4, shown = 0;
	int64_t least = n > rows ? live_threshold(cpus, rows) : INT64_MIN;
	g_autoptr(GString) line = g_string_new(NULL);

	g_string_printf(line, "%4s %12s %10s %10s %10s %10s  (us)", "CPU", "count", "min", "act",
			"avg", "max");
	live_line(out, line, t);
	for (size_t i = 0; i < n && shown < rows; i++) {
		const json_t *cpu = json_array_get(cpus, i);

		if (field_number(cpu, "max_ns", LIVE_UNKNOWN) < least)
			continue;
		live_row(cpu, t, out);
		shown++;
	}
	if (shown == n)
		return 1 + shown;
	g_string_printf(line, "     and %zu more with smaller maxima", n - shown);
	live_line(out, line, t);
	return 2 + shown;
}

unsigned live_text(const json_t *properties, const struct terminal *t, GString *out)
{
	const json_t *cpus = json_object_get(json_object_get(properties, "Figures"), "cpus");

	live_head(properties, t, out);
	return json_array_size(cpus) ? 1 + live_rows(cpus, t, out) : 1;
}

static void live_rewind(const struct live *l)
{
	if (l->lines)
		printf("\r\033[%uA\033[J", l->lines);
}

void live_draw(struct live *l, const json_t *properties, const struct terminal *t)
{
	g_autoptr(GString) out = g_string_new(NULL);
	unsigned lines = live_text(properties, t, out);

	live_rewind(l);
	fputs(out->str, stdout);
	(void)fflush(stdout); /* looked at in main() */
	l->lines = lines;
}

void live_clear(struct live *l)
{
	live_rewind(l);
	(void)fflush(stdout);
	l->lines = 0;
}
