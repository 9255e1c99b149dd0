/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * The table of interrupts as ListIrqs and ListThreads tell it, joined to rows: one for each thread,
 * and one for each line that has none. A row is a JSON object with every key of irq list's contract
 * (lrtbfctl(1)), null where there is no value; all commands on interrupts look at these.
 *
 * Pure but for irqs_read*(). Whatever a reply lacks or has of another type is a gap in a row.
 */
#include "client.h"

#define CLIENT_THREAD "org.lrtbf1.Thread"
#define CLIENT_IRQ    "org.lrtbf1.Irq"

struct irqs {
	json_t *lines, *threads; /* arrays, as the bus tells them */
};

/* Threads, and lines unless there are some already. Into @t, whatever happens for irqs_done(). */
int irqs_read(struct client *c, struct irqs *t);
/* The lines alone, without the CPUs' counts where these are too many; json_decref(). */
int irqs_read_lines(struct client *c, json_t **ret);
void irqs_done(struct irqs *t);

/*
 * By line, then by thread. @all: unused lines, kernel threads of no line and rows that are no line
 * (LOC, ERR) as well, in this order. json_decref().
 */
json_t *irqs_rows(const struct irqs *t, bool all);

/* "irq/24-eth0 (tid 90)", "irq 24 (eth0, parport0)", "irq 24": of a row or a change. g_free(). */
char *irqs_subject(const json_t *row);
/* Objects of the bus; NULL: the row is none, or does not say enough. g_free(). */
char *irqs_thread_path(const json_t *row);
char *irqs_line_path(const json_t *row);
/* All keys of @keys that @o lacks become null. @keys: NULL-ended. */
void irqs_complete(json_t *o, const char *const *keys);
