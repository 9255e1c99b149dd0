/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Between the files of struct rule: rule.c (what it is), rule-parse.c (from text), rule-check.c
 * (what goes together), rule-match.c (what it decides). Only they include it.
 */
#include "rule.h"

struct rule *rule_new(const char *name, const char *file, unsigned line);

/*
 * What a rule may not be as a whole, and not beside the rules before it: problems at @g, which is
 * the rule's group, @match its match's (NULL: has none). Attributes that were refused by themselves
 * are unset here and told of already.
 */
void rule_check(const struct rule *r, struct conf_group *g, struct conf_group *match);
void rule_check_among(const struct rule *r, const GPtrArray *before, struct conf_group *g);
