/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Changes: what the service did, would do or would not do to one attribute of one thread or line,
 * or what it has to say about a rule. In JSON every key of the contract (lrtbfctl(1)), null where
 * there is no value.
 */
#include "client.h"

/* In place. @changes: an array as of ApplyIrqPolicy. */
void irqchange_complete(json_t *changes);

/*
 * "set       irq/24-eth0 (tid 90): policy fifo 50 -> rr 33", cleaned for a terminal. @rule: what is
 * said of a rule begins with its name. g_free().
 */
char *irqchange_line(const json_t *change, bool rule, bool utf8);
/* "net (10-net.conf:3)", "set by user 0"; "" when nobody is known. g_free(). */
char *irqchange_by(const json_t *change);

/* The word `outcome` of it. */
bool irqchange_is(const json_t *change, const char *outcome);
/* One of @changes moves a line that has to be interrupted first. */
bool irqchange_any_moves(const json_t *changes);

/*
 * Call @m, which gives back changes, and append them to @changes; one that fails is said with the
 * name of @row and becomes a change that was refused. An outcome: the worst of them.
 */
int irqchange_call(struct client *c, sd_bus_message *m, const json_t *row, json_t *changes);
/*
 * ApplyIrqPolicy or RestoreIrqPolicy. @ret_changes (json_decref) is there unless the call as a
 * whole failed, whatever is returned: OUTCOME_ERROR also when one of them was refused.
 */
int irqchange_call_policy(struct client *c, const char *member, bool dry, json_t **ret_changes);
/* Of an outcome that nothing further can change: nobody answers, or the caller may not. */
bool irqchange_is_final(int outcome);
/* Refused here, with a sentence: as if the service had. Returns OUTCOME_ERROR. */
int irqchange_refuse(const json_t *row, const char *sentence, json_t *changes);

/* Print what a command did, or @none when there was nothing to do, and return @outcome. Takes
 * @changes. */
int irqchange_print(struct client *c, json_t *changes, const char *none, int outcome);
