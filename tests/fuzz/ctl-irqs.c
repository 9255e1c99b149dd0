/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A selector on the first line, then a reply: { "lines": [], "threads": [], "changes": [] }. Rows
 * have every key, and nothing that is printed could steer a terminal.
 */
#include "irqchange.h"
#include "irqrate.h"
#include "irqrules.h"
#include "irqs.h"
#include "irqselect.h"
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_rows(const json_t *rows, const char *word)
{
	g_autofree char *message = NULL;
	struct irqselect s;
	bool is = irqselect_parse(word, &s, &message) >= 0;

	g_assert_true(is || message);
	for (size_t i = 0; i < json_array_size(rows); i++) {
		const json_t *row = json_array_get(rows, i);
		g_autofree char *subject = irqs_subject(row), *path = irqs_thread_path(row);

		g_assert_nonnull(subject);
		g_assert_nonnull(json_object_get(row, "tid"));
		g_assert_true(json_is_array(json_object_get(row, "actions")));
		g_assert_true(!path || sd_bus_object_path_is_valid(path));
		if (is)
			(void)irqselect_matches(&s, row);
	}
}

static void check_changes(json_t *changes)
{
	irqchange_complete(changes);
	for (size_t i = 0; i < json_array_size(changes); i++) {
		const json_t *change = json_array_get(changes, i);
		g_autofree char *line = irqchange_line(change, true, i % 2);
		g_autofree char *match = irqrules_match_text(change);
		g_autofree char *sets = irqrules_sets_text(change);

		g_assert_true(match && sets);
		for (const char *p = line; *p; p++)
			g_assert_true((unsigned char)*p >= ' ' && *p != 0x7f);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autofree char *text = g_strndup(size ? (const char *)data : "", size);
	char *reply = strchr(text, '\n');
	struct irqs t;
	json_t *j, *rows;

	if (!reply)
		return 0;
	*reply++ = '\0';
	j = json_loads(reply, 0, NULL);
	t = (struct irqs){ json_incref(json_object_get(j, "lines")),
			   json_incref(json_object_get(j, "threads")) };
	irqrate_add(t.threads, t.lines);
	rows = irqs_rows(&t, true);
	check_rows(rows, text);
	check_changes(json_object_get(j, "changes"));
	json_decref(rows);
	irqs_done(&t);
	json_decref(j);
	return 0;
}
