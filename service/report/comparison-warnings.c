/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What does not forbid a comparison and may explain it. Each kind has a name of its own and comes
 * once for each side, with everything that belongs to it in one sentence, the costly first: a
 * reader who must find out why two numbers differ begins at its left.
 */
#include "comparison-internal.h"

#include "cell.h"
#include "conditionsdiff.h"
#include "value.h"

#include <stdarg.h>
#include <string.h>

#define WARNINGS_NAMED 12 /* differences of one kind in a sentence; JSON has all */

static const struct warning_kind {
	const char *id, *lead;
	bool one;	       /* a thing, and not many of a kind: the lead is its name */
	const char *begins[4]; /* of a difference's name; ends with NULL. None: all that is left */
} warning_kinds[] = {
	{ "configuration", "configuration options", false, { "CONFIG_", "kernel_config_hash" } },
	{ "command-line", "command line", true, { "command_line" } },
	{ "cpu", "CPU", true, { "cpu" } },
	{ "microcode", "microcode", true, { "microcode" } },
	{ "clock-source", "clock source", true, { "clock_source" } },
	{ "thread-priorities", "thread priorities", false, { "thread ", "threads" } },
	{ "virtual", "virtual machine", true, { "virtual_machine" } },
	{ "conditions", "conditions", false, { NULL } },
};

static const char warnings_peer[] = "peer's "; /* before the names of the other machine's */

static void warnings_note_free(gpointer data)
{
	struct comparison_note *n = data;

	g_free(n->text);
	g_free(n);
}

GPtrArray *comparison_notes_new(void)
{
	return g_ptr_array_new_with_free_func(warnings_note_free);
}

void comparison_note(struct comparison *c, const char *id, int side, const char *fmt, ...)
{
	struct comparison_note *n = g_new0(struct comparison_note, 1);
	g_autofree char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	text = g_strdup_vprintf(fmt, ap);
	va_end(ap);
	n->id = id;
	n->text = cell_text(text);
	n->side = side;
	g_ptr_array_add(c->notes, n);
}

/* The kind of difference @what; -1: it is shown and no warning (another kernel is the subject). */
static int warnings_kind(const char *what)
{
	if (g_str_has_prefix(what, warnings_peer))
		what += strlen(warnings_peer);
	if (strcmp(what, "kernel") == 0)
		return -1;
	for (size_t i = 0; i < G_N_ELEMENTS(warning_kinds); i++) {
		const char *const *begin = warning_kinds[i].begins;

		if (!*begin)
			return (int)i;
		for (; *begin; begin++)
			if (strchr("_ ", (*begin)[strlen(*begin) - 1])
				    ? g_str_has_prefix(what, *begin)
				    : strcmp(what, *begin) == 0)
				return (int)i;
	}
	return -1;
}

static const char *warnings_or_none(const char *text)
{
	return *text ? text : "none";
}

static void warnings_of_kind(struct comparison *c, unsigned side, int kind)
{
	const GPtrArray *all = comparison_side(c, side)->differences;
	const struct warning_kind *k = &warning_kinds[kind];
	g_autoptr(GString) text = g_string_new(NULL);
	unsigned n = 0, costly = 0;

	for (guint i = 0; i < all->len; i++) {
		const struct conditionsdiff *d = all->pdata[i];
		bool named = !k->one || g_str_has_prefix(d->what, warnings_peer);

		if (warnings_kind(d->what) != kind)
			continue;
		costly += d->costly;
		if (n++ < WARNINGS_NAMED)
			g_string_append_printf(text, "%s%s%s%s / %s", n > 1 ? "; " : "",
					       named ? d->what : "", named ? " " : "",
					       warnings_or_none(d->a), warnings_or_none(d->b));
	}
	if (n == 0)
		return;
	if (n > WARNINGS_NAMED)
		g_string_append_printf(text, "; and %u more", n - WARNINGS_NAMED);
	if (k->one)
		comparison_note(c, k->id, (int)side, "%s differs: %s.", k->lead, text->str);
	else
		comparison_note(c, k->id, (int)side,
				"%s: %u differ%s, %u known to cost latency: %s.", k->lead, n,
				n == 1 ? "s" : "", costly, text->str);
}

static void warnings_base_kernel(struct comparison *c, unsigned side)
{
	const struct comparison_side *a = comparison_side(c, c->base),
				     *b = comparison_side(c, side);
	g_autofree char *va =
		comparison_kernel_base(value_get_string(a->conditions, "kernel.release"));
	g_autofree char *vb =
		comparison_kernel_base(value_get_string(b->conditions, "kernel.release"));

	if (va && vb && strcmp(va, vb) != 0)
		comparison_note(c, "base-kernel", (int)side,
				"base kernel versions differ: %s / %s. What is shown is not the "
				"difference that a patch or an option makes.",
				va, vb);
}

/* Of a machine that lrtbfd itself looked at, the clock source is always known. */
static void warnings_unknown(struct comparison *c)
{
	g_autoptr(GString) names = g_string_new(NULL);

	for (guint i = 0; i < c->sides->len; i++) {
		const struct comparison_side *s = comparison_side(c, i);

		if (!json_is_object(json_object_get(s->conditions, "clock")))
			g_string_append_printf(names, "%s%s", names->len ? ", " : "", s->title);
	}
	if (names->len)
		comparison_note(c, "unknown", -1,
				"conditions not known: whether configuration, CPU, clock source "
				"and priorities are alike cannot be told of %s.",
				names->str);
}

static void warnings_add_peer(GPtrArray *all, const json_t *a, const json_t *b)
{
	g_autoptr(GPtrArray) peer = a && b ? conditionsdiff_new(a, b) : NULL;

	for (guint i = 0; peer && i < peer->len; i++) {
		struct conditionsdiff *d = peer->pdata[i];
		char *what = g_strconcat(warnings_peer, d->what, NULL);

		g_free(d->what);
		d->what = what;
		peer->pdata[i] = NULL;
		g_ptr_array_add(all, d);
	}
}

static void warnings_conditions(struct comparison *c, unsigned side)
{
	struct comparison_side *a = comparison_side(c, c->base), *b = comparison_side(c, side);

	b->differences = conditionsdiff_new(a->conditions, b->conditions);
	warnings_add_peer(b->differences, a->peer_conditions, b->peer_conditions);
	warnings_base_kernel(c, side);
	for (size_t i = 0; i < G_N_ELEMENTS(warning_kinds); i++)
		warnings_of_kind(c, side, (int)i);
}

static void warnings_drift(struct comparison *c, unsigned side)
{
	const GPtrArray *drift = comparison_side(c, side)->drift;
	g_autoptr(GString) text = g_string_new(NULL);

	for (guint i = 0; i < MIN(drift->len, WARNINGS_NAMED); i++)
		g_string_append_printf(text, "%s%s", i ? ", " : "", (const char *)drift->pdata[i]);
	if (drift->len > WARNINGS_NAMED)
		g_string_append_printf(text, " and %u more", drift->len - WARNINGS_NAMED);
	if (drift->len)
		comparison_note(c, "repeats-differ", (int)side,
				"its own sessions were taken under different conditions: %s.",
				text->str);
}

/* What one side has and the comparison has no table of. */
static void warnings_left_out(struct comparison *c)
{
	for (guint i = 0; i < c->groups->len; i++) {
		const struct comparison_group *g = c->groups->pdata[i];
		g_autofree char *method = comparison_method_text(g->method);

		for (unsigned side = 0; !g->shown && side < c->sides->len; side++)
			if (g->sessions[side])
				comparison_note(c, "left-out", (int)side,
						"%s (%s) is not compared: %s has none.",
						comparison_quantity(g->method), method,
						side == c->base ? "no other side" : "the base");
	}
}

void comparison_warn(struct comparison *c)
{
	for (unsigned side = 0; side < c->sides->len; side++) {
		if (side != c->base)
			warnings_conditions(c, side);
		comparison_warn_stages(c, side);
		warnings_drift(c, side);
	}
	warnings_left_out(c);
	warnings_unknown(c);
}
