/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The weaknesses stand above the numbers, because below them nobody reads them. Each is one line
 * there; what to do about it takes another one, which stands at the foot, so that the numbers still
 * begin on the first screen. The summary has the columns of the tables of 2005 in their order.
 */
#include "text-head.h"

#include "cell.h"
#include "cpulist.h"
#include "duration.h"
#include "notes.h"
#include "policy.h"
#include "table.h"
#include "value.h"

#include <string.h>

#define TEXT_IRQS_MAX 8 /* threads named in the head; all are in the JSON report */

enum page_style text_verdict_style(enum verdict v)
{
	switch (v) {
	case VERDICT_PASS:
		return PAGE_GOOD;
	case VERDICT_FAIL:
		return PAGE_BAD;
	case VERDICT_INCONCLUSIVE:
		return PAGE_DOUBT;
	default:
		return PAGE_PLAIN;
	}
}

static void text_notes(struct page *p, const GPtrArray *notes)
{
	for (guint i = 0; i < notes->len; i++) {
		const struct note *n = notes->pdata[i];
		g_autofree char *text = cell_text(n->text);

		if (n->inconclusive)
			page_item(p, PAGE_BAD, "Inconclusive: ", 4, text);
		else
			page_item(p, PAGE_DOUBT, "Warning: ", 4, text);
	}
	if (notes->len)
		page_blank(p);
}

/* One line "Name        text"; nothing for an empty text. */
static void text_field(struct page *p, const char *name, const char *text)
{
	g_autofree char *clean = cell_text(text);

	page_field(p, name, PAGE_PLAIN, clean);
}

static void text_plan(struct page *p, const struct result *r)
{
	g_autoptr(GString) text = g_string_new(r->plan);
	const char *key;
	json_t *value;

	if (*r->label)
		g_string_append_printf(text, ", label \"%s\"", r->label);
	if (json_is_true(json_object_get(r->method, "scheduled")))
		g_string_append(text, ", by its schedule");
	json_object_foreach (r->overrides, key, value) {
		if (json_is_string(value) && strcmp(key, "label") != 0)
			g_string_append_printf(text, ", with %s = %s", key,
					       json_string_value(value));
	}
	text_field(p, "Plan", text->str);
}

static void text_kernel(struct page *p, const char *field, const json_t *conditions)
{
	static const char *const keys[] = { "kernel.release", "kernel.machine", "kernel.version" };
	g_autoptr(GString) text = g_string_new(NULL);

	for (size_t i = 0; i < G_N_ELEMENTS(keys); i++) {
		const char *s = value_get_string(conditions, keys[i]);

		if (s && *s)
			g_string_append_printf(text, "%s%s", text->len ? " " : "", s);
	}
	text_field(p, field, text->len ? text->str : "-");
}

static void text_peer_machine(struct page *p, const struct result *r)
{
	const char *name = value_get_string(r->peer, "name");
	const char *plan = value_get_string(r->peer, "plan");
	const char *node = value_get_string(r->peer_conditions, "kernel.nodename");
	const char *version = value_get_string(r->peer, "version");
	g_autoptr(GString) text = g_string_new(name);

	if (!name)
		return;
	if (node && !strstr(name, node))
		g_string_append_printf(text, " (%s)", node);
	if (plan)
		g_string_append_printf(text, ", plan %s, under the loads", plan);
	if (version)
		g_string_append_printf(text, ", lrtbfd %s", version);
	text_field(p, "Peer", text->str);
	text_kernel(p, "Peer kernel", r->peer_conditions);
}

static char *text_cpus(const struct result *r)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	for (guint i = 0; r->stages && i < r->stages->len; i++) {
		const struct result_stage *s = r->stages->pdata[i];

		for (guint k = 0; k < s->cpus->len; k++) {
			const struct result_cpu *c = s->cpus->pdata[k];

			if (c->cpu >= 0 && c->cpu < CPU_SETSIZE)
				CPU_SET(c->cpu, &set);
		}
	}
	return cpulist_format(&set);
}

static void text_method(struct page *p, const struct result *r)
{
	g_autoptr(GString) text = g_string_new(r->instrument);
	const char *policy = policy_to_string(r->policy);
	const char *role = value_get_string(r->method, "role");
	const char *port = value_get_string(r->method, "port");
	g_autofree char *cpus = text_cpus(r);

	if (role)
		g_string_append_printf(text, " %s", role);
	if (port)
		g_string_append_printf(text, " at %s", port);
	if (r->interval_ns) {
		g_autofree char *interval = duration_format(r->interval_ns);

		g_string_append_printf(text, " every %s", interval);
	}
	g_string_append_printf(text, ", policy %s", policy ? policy : "unknown");
	if (policy_is_realtime(r->policy))
		g_string_append_printf(text, " priority %d", r->priority);
	if (*cpus)
		g_string_append_printf(text, ", CPU%s %s", strpbrk(cpus, ",-") ? "s" : "", cpus);
	text_field(p, "Method", text->str);
}

/* Threads among @threads that a rule gave its value, appended. */
static void text_irq_threads(const json_t *threads, GString *text, unsigned *n)
{
	const json_t *t;
	size_t i;

	json_array_foreach ((json_t *)threads, i, t) {
		const char *name = value_get_string(t, "name");
		const char *policy = value_get_string(t, "policy");
		const char *rule = value_get_string(t, "rule");
		json_int_t priority = json_integer_value(json_object_get(t, "priority"));
		json_int_t nice = json_integer_value(json_object_get(t, "nice"));

		if (!name || !policy || !rule || (*n)++ >= TEXT_IRQS_MAX)
			continue;
		g_string_append_printf(text, "%s%s %s", text->len ? ", " : "", name, policy);
		if (priority > 0)
			g_string_append_printf(text, " %" JSON_INTEGER_FORMAT, priority);
		else if (nice != 0)
			g_string_append_printf(text, " nice %" JSON_INTEGER_FORMAT, nice);
		g_string_append_printf(text, " (%s)", rule);
	}
}

/* Interrupt threads that do not have the kernel's priority but a rule's. */
static void text_irqs(struct page *p, const struct result *r)
{
	const json_t *interrupts = json_object_get(r->conditions, "interrupts"), *line;
	g_autoptr(GString) text = g_string_new(NULL);
	unsigned n = 0;
	size_t i;

	json_array_foreach (json_object_get(interrupts, "lines"), i, line)
		text_irq_threads(json_object_get(line, "threads"), text, &n);
	text_irq_threads(json_object_get(interrupts, "threads"), text, &n);
	if (n > TEXT_IRQS_MAX)
		g_string_append_printf(text, " and %u more", n - TEXT_IRQS_MAX);
	text_field(p, "Interrupts", text->str);
}

static void text_when(struct page *p, const struct result *r)
{
	g_autoptr(GString) text = g_string_new(NULL);
	uint64_t measured = 0, from = r->started_usec ? r->started_usec : r->created_usec;
	guint n = r->stages ? r->stages->len : 0;
	g_autofree char *time = from ? cell_time(from, false) : g_strdup("-");

	for (guint i = 0; i < n; i++)
		measured += ((const struct result_stage *)r->stages->pdata[i])->duration_ns;
	g_string_append_printf(text, "%s %s", r->started_usec ? "started" : "queued", time);
	if (n) {
		g_autofree char *took = cell_duration(measured);

		g_string_append_printf(text, ", measured %s", took);
		if (r->planned_ns > measured + measured / 100) {
			g_autofree char *planned = cell_duration(r->planned_ns);

			g_string_append_printf(text, " of %s", planned);
		}
	}
	text_field(p, "When", text->str);
}

static void text_outcome(struct page *p, const struct result *r)
{
	g_autofree char *reason = cell_text(r->reason);
	const char *verdict = r->verdict == VERDICT_EMPTY   ? "not yet"
			      : r->verdict != VERDICT_NONE  ? verdict_to_string(r->verdict)
			      : r->state == SESSION_SKIPPED ? "none, nothing was measured"
							    : "none, no limit was set";

	text_field(p, "State", session_state_to_string(r->state));
	page_field(p, "Verdict", text_verdict_style(r->verdict), verdict);
	if (*reason)
		text_field(p, "Reason", reason);
}

void text_head(struct page *p, const struct result *r, const GPtrArray *notes)
{
	text_notes(p, notes);
	text_field(p, "Session", r->id);
	text_plan(p, r);
	text_kernel(p, "Kernel", r->conditions);
	text_peer_machine(p, r);
	text_method(p, r);
	text_irqs(p, r);
	text_when(p, r);
	text_outcome(p, r);
}

void text_summary(struct page *p, const struct result *r)
{
	static const char *const titles[] = { "samples", "average", "maximum",
					      "minimum", "stddev",  "verdict" };
	struct table *t = table_new();

	table_column(t, "stage", false);
	for (size_t i = 0; i < G_N_ELEMENTS(titles); i++)
		table_column(t, titles[i], i + 1 < G_N_ELEMENTS(titles));
	for (guint i = 0; i < r->stages->len; i++) {
		const struct result_stage *s = r->stages->pdata[i];
		g_autofree struct figures *all = result_stage_all(s);
		const char *verdict = verdict_to_string(s->verdict);
		int decimals = cell_decimals(all);

		table_row(t, s->verdict == VERDICT_FAIL ? PAGE_BAD : PAGE_PLAIN);
		table_cell(t, cell_text(s->name));
		table_cell(t, cell_samples(all));
		table_cell(t, cell_mean_us(all, decimals));
		table_cell(t, cell_max_us(all, decimals));
		table_cell(t, cell_min_us(all, decimals));
		table_cell(t, cell_stddev_us(all, decimals));
		table_cell(t, *verdict ? g_strdup(verdict) : NULL);
	}
	page_blank(p);
	page_text(p, 0, "All stages, time in microseconds, all CPUs together:");
	table_print(t, p);
	table_free(t);
}

void text_mends(struct page *p, const GPtrArray *notes)
{
	g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);

	for (guint i = 0; i < notes->len; i++) {
		const struct note *n = notes->pdata[i];
		g_autofree char *lead = NULL;

		if (!n->finding || !g_hash_table_add(seen, (gpointer)n->finding->kind->id))
			continue;
		if (g_hash_table_size(seen) == 1) {
			page_blank(p);
			page_heading(p, "What would make these numbers stronger", PAGE_PLAIN, NULL);
		}
		lead = g_strdup_printf("  %s: ", n->finding->kind->id);
		page_item(p, PAGE_BOLD, lead, 4, n->finding->kind->mend);
	}
}
