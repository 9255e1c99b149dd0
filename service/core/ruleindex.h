/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * A list of rules in which those that can match a thread or line are found without trying each:
 * for whoever has all threads and lines to ask about. Made for that, dropped after it; one thread.
 */
#include "rule.h"

struct ruleindex;

/* Borrows @rules, which stay as they are meanwhile; NULL: none. */
struct ruleindex *ruleindex_new(const GPtrArray *rules);
struct ruleindex *ruleindex_free(struct ruleindex *x);
typedef struct ruleindex ruleindex_t;
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ruleindex_t, ruleindex_free)

/* Appends the rules that rule_matches() @t, in their order, each once (const struct rule *). */
void ruleindex_match(const struct ruleindex *x, const struct rule_target *t, GPtrArray *matching);
