/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Interrupts a second, from two readings of ListIrqs. Pure.
 */
#include <jansson.h>
#include <stdbool.h>

/* Whether the counts of @lines go on: those of a captured table stand still. */
bool irqrate_counting(const json_t *lines);
/*
 * How often a second a line came between two readings of it: on CPUs that both have. Counts of the
 * kernel are of 32 bits and wrap; one that fell by more than a CPU could count in that time began
 * anew instead. false: cannot be told.
 */
bool irqrate_of(const json_t *before, const json_t *after, double *ret);
/* Gives each line of @after that @before has as well its "per_second". */
void irqrate_add(const json_t *before, json_t *after);
