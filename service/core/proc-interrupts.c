/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Columns are found by their content and not by their place: widths and separators are each
 * architecture's own. Counts are right-aligned in ten places, and some architectures put no blank
 * between them, so that counts of ten digits are glued together: such a run of digits is cut from
 * its right end into tens.
 *
 * Handlers' names may hold blanks, commas and colons. They are what stands behind the last gap of
 * two blanks or more, as the kernel writes it; the name of the chip in front has single ones at
 * most.
 */
#include "proc-interrupts.h"

#include <errno.h>
#include <string.h>

#include "proc-counters.h"
#include "proc-line.h"

#define COUNT_WIDTH 10
#define CPUS_MAX    8192

static void proc_irq_free(void *data)
{
	struct proc_irq *irq = data;

	g_free(irq->name);
	g_free(irq->counts);
	g_free(irq->text);
	g_free(irq->actions);
	g_free(irq);
}

void proc_interrupts_free(struct proc_interrupts *t)
{
	if (!t)
		return;
	g_free(t->cpus);
	g_ptr_array_unref(t->lines);
	g_free(t);
}

/* "           CPU0       CPU1       CPU3" */
static int interrupts_title(struct proc_line line, struct proc_interrupts *t)
{
	g_autoptr(GArray) cpus = g_array_new(FALSE, FALSE, sizeof(int));

	for (;;) {
		uint64_t number;
		int cpu;

		proc_line_skip_blanks(&line);
		if (line.left == 0)
			break;
		if (line.left < 4 || memcmp(line.at, "CPU", 3) != 0)
			return -EBADMSG;
		line.at += 3;
		line.left -= 3;
		if (!proc_line_number(&line, &number) || number >= CPUS_MAX ||
		    cpus->len >= CPUS_MAX)
			return -EBADMSG;
		cpu = number;
		g_array_append_val(cpus, cpu);
	}
	if (cpus->len == 0)
		return -EBADMSG;
	t->n_cpus = cpus->len;
	t->cpus = g_memdup2(cpus->data, cpus->len * sizeof(int));
	return 0;
}

static size_t line_digits(const struct proc_line *line)
{
	size_t n = 0;

	while (n < line->left && g_ascii_isdigit(line->at[n]))
		n++;
	return n;
}

static void line_skip(struct proc_line *line, size_t n)
{
	line->at += n;
	line->left -= n;
}

static void counts_add(GArray *counts, const char *digits, size_t n)
{
	struct proc_line line = { .at = digits, .left = n };
	uint64_t value;

	if (proc_line_number(&line, &value))
		g_array_append_val(counts, value);
}

/* A run of digits that may be several counts. */
static void counts_add_glued(GArray *counts, const char *digits, size_t n)
{
	size_t head = n % COUNT_WIDTH ?: COUNT_WIDTH;

	counts_add(counts, digits, head);
	for (size_t at = head; at < n; at += COUNT_WIDTH)
		counts_add(counts, digits + at, COUNT_WIDTH);
}

/* Takes counts off the line's front: at most @n_cpus, each ended by a blank. */
static GArray *irq_counts(struct proc_line *line, guint n_cpus)
{
	GArray *counts = g_array_new(FALSE, FALSE, sizeof(uint64_t));

	while (counts->len < n_cpus) {
		struct proc_line rest = *line;
		size_t n, pieces;

		proc_line_skip_blanks(&rest);
		n = line_digits(&rest);
		if (n == 0 || (n < rest.left && rest.at[n] != ' ' && rest.at[n] != '\t'))
			break;
		pieces = (n + COUNT_WIDTH - 1) / COUNT_WIDTH;
		/* a total of 64 bits stands alone on its line */
		if (pieces > 1 && n < rest.left && counts->len + pieces <= n_cpus)
			counts_add_glued(counts, rest.at, n);
		else
			counts_add(counts, rest.at, n);
		line_skip(&rest, n);
		*line = rest;
	}
	return counts;
}

/* The column in front of the handlers is filled up with blanks: a line that ends with one has none.
 */
static char *irq_actions(const struct proc_line *line, const char *text)
{
	const char *gap = NULL;

	if (line->left > 0 && line->at[line->left - 1] == ' ')
		return g_strdup("");
	for (const char *at = strstr(text, "  "); at; at = strstr(at + 1, "  "))
		gap = at;
	return g_strdup(gap ? gap + 2 : "");
}

static struct proc_irq *irq_parse(struct proc_line line, guint n_cpus)
{
	g_autoptr(GArray) counts = NULL;
	const char *colon;
	struct proc_irq *irq;

	proc_line_skip_blanks(&line);
	colon = memchr(line.at, ':', line.left);
	if (!colon || colon == line.at || memchr(line.at, ' ', colon - line.at) ||
	    memchr(line.at, '\0', line.left))
		return NULL;
	irq = g_new0(struct proc_irq, 1);
	irq->name = g_strndup(line.at, colon - line.at);
	irq->device = strspn(irq->name, "0123456789") == strlen(irq->name);
	line_skip(&line, colon + 1 - line.at);
	counts = irq_counts(&line, n_cpus);
	irq->text = g_strstrip(g_strndup(line.at, line.left));
	irq->n_counts = counts->len;
	irq->total = counts->len == 1 && !irq->device && !*irq->text;
	irq->counts = g_memdup2(counts->data, counts->len * sizeof(uint64_t));
	irq->actions = irq->device ? irq_actions(&line, irq->text) : g_strdup(irq->text);
	return irq;
}

int proc_interrupts_parse(const char *text, size_t size, struct proc_interrupts **ret)
{
	struct proc_text t = { .at = text, .left = size };
	struct proc_interrupts *table;
	struct proc_line line;

	if (!proc_text_line(&t, &line))
		return -EBADMSG;
	table = g_new0(struct proc_interrupts, 1);
	table->lines = g_ptr_array_new_with_free_func(proc_irq_free);
	if (interrupts_title(line, table) < 0) {
		proc_interrupts_free(table);
		return -EBADMSG;
	}
	while (proc_text_line(&t, &line)) {
		struct proc_irq *irq = irq_parse(line, table->n_cpus);

		if (irq)
			g_ptr_array_add(table->lines, irq);
	}
	*ret = table;
	return 0;
}

const struct proc_irq *proc_interrupts_find(const struct proc_interrupts *t, const char *name)
{
	for (guint i = 0; i < t->lines->len; i++) {
		const struct proc_irq *irq = t->lines->pdata[i];

		if (strcmp(irq->name, name) == 0)
			return irq;
	}
	return NULL;
}

/* The line's count on @cpu; false: no such column. */
static bool irq_count(const struct proc_interrupts *t, const struct proc_irq *irq, int cpu,
		      uint64_t *ret)
{
	for (guint i = 0; i < irq->n_counts; i++) {
		if (t->cpus[i] != cpu)
			continue;
		*ret = irq->counts[i];
		return true;
	}
	return false;
}

static bool irq_delta_per_cpu(const struct proc_interrupts *before, const struct proc_irq *old,
			      const struct proc_interrupts *after, const struct proc_irq *new,
			      uint64_t *ret)
{
	uint64_t sum = 0, was, delta;

	for (guint i = 0; i < new->n_counts; i++) {
		if (!old)
			was = 0;
		else if (!irq_count(before, old, after->cpus[i], &was))
			continue;
		if (!proc_counter_delta(was, new->counts[i], &delta))
			return false;
		sum += delta;
	}
	*ret = sum;
	return true;
}

bool proc_interrupts_delta(const struct proc_interrupts *before,
			   const struct proc_interrupts *after, const char *name, uint64_t *ret)
{
	const struct proc_irq *old = proc_interrupts_find(before, name);
	const struct proc_irq *new = proc_interrupts_find(after, name);

	if (!new || new->n_counts == 0)
		return false;
	if (new->total)
		return proc_counter_delta(old && old->n_counts ? old->counts[0] : 0, new->counts[0],
					  ret);
	return irq_delta_per_cpu(before, old, after, new, ret);
}
