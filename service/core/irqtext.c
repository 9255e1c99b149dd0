/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel writes " %8s" of the chip, " %*lu" of the hardware number or as many blanks, " %-8s"
 * of "Level" or "Edge" on some architectures, "-%-8s" of the flow's name where it has one, and "  "
 * in front of the actions. Chips with a printing function of their own, and the kernels before
 * 2.6.39, keep the order and none of the widths. Chips' names may hold single blanks ("RISC-V
 * INTC") and begin with digits ("4a05c000.gpio"), actions may hold anything.
 *
 * So words are taken from the front as the chip's name for as long as single blanks part them, and
 * the hardware number is the first word that can be one and has behind it what follows one: best a
 * trigger, else a gap or the end. Nothing is concluded from an action's text.
 */
#include "irqtext.h"

#include <string.h>

#define TRIGGER_WIDTH 8 /* of "Level", "Edge" and the flow's name */
#define ACTIONS_GAP   2

struct irqword {
	const char *at;
	size_t size;
	size_t gap; /* blanks behind it; the rest of the text begins behind those */
};

enum number_strength {
	NUMBER_NONE,
	NUMBER_WEAK,   /* a gap or the end behind it, or "-NAME" of an unknown name */
	NUMBER_STRONG, /* a trigger behind it */
};

struct irqcursor {
	const char *at, *end;
};

static bool irqcursor_word(struct irqcursor *c, struct irqword *ret)
{
	const char *at = c->at;

	if (at == c->end)
		return false;
	while (at < c->end && *at != ' ')
		at++;
	ret->at = c->at;
	ret->size = at - c->at;
	while (at < c->end && *at == ' ')
		at++;
	ret->gap = at - ret->at - ret->size;
	c->at = at;
	return true;
}

static bool word_is(const char *at, size_t size, const char *word)
{
	return size == strlen(word) && memcmp(at, word, size) == 0;
}

/* Names of flow handlers; *@ret_trigger is NULL where they leave it open. */
static bool irqtext_flow(const char *at, size_t size, const char **ret_trigger)
{
	static const struct {
		const char *name, *trigger;
	} flows[] = {
		{ "edge", "edge" }, { "level", "level" },     { "fasteoi", "level" },
		{ "percpu", NULL }, { "percpu_devid", NULL }, { "event", NULL },
		{ "demux", NULL },  { "handler", NULL },      { "simple", NULL },
		{ "eoi", "level" }, { "msi", "edge" },
	};

	for (size_t i = 0; i < sizeof(flows) / sizeof(*flows); i++)
		if (word_is(at, size, flows[i].name)) {
			*ret_trigger = flows[i].trigger;
			return true;
		}
	return false;
}

/* "Level   " or "Edge    ", which a flow's name, the end or a gap follows: taken off. */
static bool irqtext_take_level(struct irqcursor *c, const char **ret_trigger)
{
	struct irqcursor rest = *c;
	struct irqword w;

	if (!irqcursor_word(&rest, &w) || (w.gap == 1 && rest.at < rest.end))
		return false;
	if (word_is(w.at, w.size, "Level"))
		*ret_trigger = "level";
	else if (word_is(w.at, w.size, "Edge"))
		*ret_trigger = "edge";
	else
		return false;
	*c = rest;
	return true;
}

/* "-fasteoi", taken off. */
static bool irqtext_take_flow(struct irqcursor *c, const char **ret_trigger)
{
	struct irqcursor rest = *c;
	const char *trigger = NULL;
	struct irqword w;

	if (!irqcursor_word(&rest, &w) || w.size < 2 || *w.at != '-' ||
	    (w.gap == 1 && rest.at < rest.end))
		return false;
	if (!irqtext_flow(w.at + 1, w.size - 1, &trigger))
		return false;
	if (!*ret_trigger)
		*ret_trigger = trigger;
	*c = rest;
	return true;
}

/* Whether @w, behind which @c stands, can be a hardware number. */
static enum number_strength irqtext_number(const struct irqword *w, struct irqcursor c,
					   size_t *ret_digits)
{
	const char *trigger = NULL;
	size_t digits = 0;

	while (digits < w->size && w->at[digits] >= '0' && w->at[digits] <= '9')
		digits++;
	*ret_digits = digits;
	if (digits == 0)
		return NUMBER_NONE;
	if (digits == w->size) {
		if (irqtext_take_level(&c, &trigger))
			return NUMBER_STRONG;
		return w->gap != 1 ? NUMBER_WEAK : NUMBER_NONE;
	}
	if (w->at[digits] != '-' || w->size == digits + 1 || w->gap == 1)
		return NUMBER_NONE;
	return irqtext_flow(w->at + digits + 1, w->size - digits - 1, &trigger) ? NUMBER_STRONG
										: NUMBER_WEAK;
}

/*
 * Whether the actions begin where the kernel's widths end: a name that begins with blanks looks
 * like more of them.
 */
static bool irqtext_gap_is_plain(const char *text, const char *actions)
{
	const char *end = actions, *word;

	while (end > text && end[-1] == ' ')
		end--;
	for (word = end; word > text && word[-1] != ' ' && word[-1] != '-';)
		word--;
	if (end - word >= TRIGGER_WIDTH)
		return actions - end <= ACTIONS_GAP;
	return actions - word <= TRIGGER_WIDTH + ACTIONS_GAP;
}

/* The number is @w: with what belongs to it taken off, actions follow. */
static void irqtext_behind_number(const struct irqword *w, size_t digits, struct irqcursor c,
				  struct irqtext *t)
{
	t->hwirq = w->at;
	t->hwirq_size = digits;
	if (digits < w->size) {
		(void)irqtext_flow(w->at + digits + 1, w->size - digits - 1, &t->trigger);
	} else {
		(void)irqtext_take_level(&c, &t->trigger);
		(void)irqtext_take_flow(&c, &t->trigger);
	}
	t->actions = c.at;
	t->actions_size = c.end - c.at;
}

/* "IO-APIC-edge" of old: the flow's name is off the chip's. */
static void irqtext_split_chip(struct irqtext *t)
{
	const char *dash = memrchr(t->chip, '-', t->chip_size), *trigger = NULL;
	size_t size;

	if (!dash || dash == t->chip || t->trigger)
		return;
	size = t->chip + t->chip_size - dash - 1;
	if (!irqtext_flow(dash + 1, size, &trigger) || !trigger)
		return;
	t->trigger = trigger;
	t->chip_size -= size + 1;
}

/* No number: @c stands behind the gap that ends the chip's name. */
static void irqtext_behind_chip(struct irqcursor c, struct irqtext *t)
{
	(void)irqtext_take_level(&c, &t->trigger);
	(void)irqtext_take_flow(&c, &t->trigger);
	irqtext_split_chip(t);
	t->actions = c.at;
	t->actions_size = c.end - c.at;
}

static void irqtext_chip(struct irqtext *t, const char *begin, const char *end)
{
	t->chip = begin;
	t->chip_size = end - begin;
	if (t->chip_size == 0 || word_is(t->chip, t->chip_size, "-") ||
	    word_is(t->chip, t->chip_size, "None")) {
		t->chip = NULL;
		t->chip_size = 0;
	}
}

void irqtext_parse(const char *text, size_t size, struct irqtext *ret)
{
	struct irqcursor c = { .at = text, .end = text + size }, weak_behind = { 0 }, behind;
	struct irqword w, weak = { 0 };
	const char *chip_end = text, *weak_chip_end = text, *head_end = NULL;
	size_t digits, weak_digits = 0, gap = 1;
	struct irqtext t = { 0 };

	behind = c;
	while (irqcursor_word(&c, &w)) {
		enum number_strength s = irqtext_number(&w, c, &digits);

		if (s == NUMBER_STRONG) {
			irqtext_chip(&t, text, chip_end);
			irqtext_behind_number(&w, digits, c, &t);
			t.sure = irqtext_gap_is_plain(text, t.actions);
			*ret = t;
			return;
		}
		if (s == NUMBER_WEAK && !weak.at && w.at != text) {
			weak = w;
			weak_behind = c;
			weak_digits = digits;
			weak_chip_end = chip_end;
		} else if (gap > 1) {
			break; /* the chip's name ended in front of this word */
		}
		chip_end = w.at + w.size;
		if (!head_end && w.gap != 1) {
			head_end = chip_end;
			behind = c;
		}
		gap = w.gap;
	}
	if (weak.at) {
		irqtext_chip(&t, text, weak_chip_end);
		irqtext_behind_number(&weak, weak_digits, weak_behind, &t);
	} else {
		t.chip = text;
		t.chip_size = (head_end ?: text) - text;
		irqtext_behind_chip(behind, &t);
		irqtext_chip(&t, t.chip, t.chip + t.chip_size);
	}
	*ret = t;
}

size_t irqtext_action_size(const char *actions, size_t size)
{
	const char *separator = memmem(actions, size, ", ", IRQTEXT_SEPARATOR_SIZE);

	return separator ? (size_t)(separator - actions) : size;
}

static size_t blanks_at(const char *text, size_t size, size_t at)
{
	size_t n = 0;

	while (at + n < size && text[at + n] == ' ')
		n++;
	return n;
}

size_t irqtext_action_size_both(const char *sysfs, size_t sysfs_size, const char *proc,
				size_t proc_size)
{
	size_t at = 0;

	/* in front of the first separator both texts are the same */
	for (; at < sysfs_size; at++) {
		if (at >= proc_size || sysfs[at] != proc[at])
			return 0;
		if (sysfs[at] == ',' &&
		    blanks_at(proc, proc_size, at + 1) == blanks_at(sysfs, sysfs_size, at + 1) + 1)
			return at;
	}
	return at == proc_size ? at : 0;
}
