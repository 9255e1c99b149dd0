/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * What rules change, for people.
 */
#include "client.h"

/*
 * @changes as of ApplyIrqPolicy, under a heading for each rule. @rules as of ListIrqRules, which
 * say what those match and set; NULL: not known. Appended to @out.
 */
void irqbyrule_text(const struct client *c, const json_t *changes, const json_t *rules,
		    GString *out);
