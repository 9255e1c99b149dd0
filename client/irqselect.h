/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Selectors: how the command line names interrupt lines and kernel threads. Pure but for what
 * irqselect_rows() says.
 *
 *	24			the line, with its threads
 *	ksoftirqd/?, eth0	a glob on names of threads, and on actions
 *	KEY=PATTERN		as in a rule's match: interface=eth*, pci=0000:00:1f.2, irq=24,30-33
 */
#include "rule.h"
#include <glib.h>
#include <jansson.h>

struct irqselect {
	int key; /* enum rule_key; -1: a glob on names and actions */
	const char *pattern;
};

/* Borrows @word. -EINVAL with a sentence (g_free): no selector. */
int irqselect_parse(const char *word, struct irqselect *ret, char **ret_message);
/* @row: as of irqs_rows(). */
bool irqselect_matches(const struct irqselect *s, const json_t *row);

/* OUTCOME_USAGE, said, when one of @words (of const char *) is no selector. */
int irqselect_check(const GPtrArray *words);
/*
 * The rows of @rows that any of @words means, each once, in their order. One that
 * means nothing is a slip, and nobody wants half of what he asked for: OUTCOME_ERROR after a
 * sentence that says what there is. json_decref().
 */
int irqselect_rows(const GPtrArray *words, const json_t *rows, json_t **ret);
