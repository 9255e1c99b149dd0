/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Columns are found by their content and not by their place: widths and separators are each
 * architecture's own. Counts are right-aligned in ten places, and some architectures put no blank
 * between them, so that counts of ten digits are glued together: such a run of digits is cut from
 * its right end into tens.
 *
 * What stands behind the counts is irqtext.h's.
 */
#include "proc-interrupts.h"

#include <errno.h>
#include <string.h>

#include "irqtext.h"
#include "proc-counters.h"
#include "proc-line.h"

#define COUNT_WIDTH 10
#define CPUS_MAX    8192

static void proc_irq_free(void *data)
{
	struct proc_irq *irq = data;

	g_free(irq->counts);
	g_free(irq->action_list);
	g_free(irq);
}

void proc_interrupts_free(struct proc_interrupts *t)
{
	if (!t)
		return;
	g_free(t->cpus);
	g_ptr_array_unref(t->lines);
	g_hash_table_unref(t->by_name);
	g_string_chunk_free(t->strings);
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

struct irq_counts { /* room for all CPUs, used for line after line */
	uint64_t *value;
	guint n;
};

static void counts_add(struct irq_counts *counts, const char *digits, size_t n)
{
	bool may_overflow = n > 19; /* digits that 64 bits hold whatever they are */
	uint64_t value = 0;

	for (size_t i = 0; i < n; i++) {
		uint64_t digit = digits[i] - '0';

		if (!may_overflow)
			value = value * 10 + digit;
		else if (__builtin_mul_overflow(value, 10, &value) ||
			 __builtin_add_overflow(value, digit, &value))
			return;
	}
	counts->value[counts->n++] = value;
}

/* A run of digits that may be several counts. */
static void counts_add_glued(struct irq_counts *counts, const char *digits, size_t n)
{
	size_t head = n % COUNT_WIDTH ?: COUNT_WIDTH;

	counts_add(counts, digits, head);
	for (size_t at = head; at < n; at += COUNT_WIDTH)
		counts_add(counts, digits + at, COUNT_WIDTH);
}

/*
 * Takes counts off the line's front: at most @n_cpus, each ended by a blank. Millions of them on a
 * big machine.
 */
static void irq_take_counts(struct proc_line *line, guint n_cpus, struct irq_counts *counts)
{
	const char *at = line->at, *end = at + line->left;

	counts->n = 0;
	while (counts->n < n_cpus) {
		const char *digits = at, *behind;
		size_t n, pieces;

		while (digits < end && (*digits == ' ' || *digits == '\t'))
			digits++;
		behind = digits;
		while (behind < end && *behind >= '0' && *behind <= '9')
			behind++;
		n = behind - digits;
		if (n == 0 || (behind < end && *behind != ' ' && *behind != '\t'))
			break;
		pieces = (n + COUNT_WIDTH - 1) / COUNT_WIDTH;
		/* a total of 64 bits stands alone on its line */
		if (pieces > 1 && behind < end && counts->n + pieces <= n_cpus)
			counts_add_glued(counts, digits, n);
		else
			counts_add(counts, digits, n);
		at = behind;
	}
	line_skip(line, at - line->at);
}

/*
 * A CPU that came while the table was written has columns in the lines below and none in the title:
 * such counts are of no CPU that could be named. A chip's name is no number.
 */
static void irq_skip_surplus(struct proc_line *line)
{
	for (;;) {
		struct proc_line rest = *line;
		size_t n;

		proc_line_skip_blanks(&rest);
		n = line_digits(&rest);
		if (n == 0 || n == rest.left || rest.at[n] != ' ')
			return;
		line_skip(&rest, n);
		*line = rest;
	}
}

static char *irq_string(struct proc_interrupts *t, const char *at, size_t size)
{
	return g_string_chunk_insert_len(t->strings, at, size);
}

static char **irq_action_list(struct proc_interrupts *t, const char *actions, size_t size)
{
	size_t n = size > 0 ? 1 : 0, length;
	char **list;

	for (const char *at = actions; size > 0; at += IRQTEXT_SEPARATOR_SIZE, n++) {
		at = memmem(at, actions + size - at, ", ", IRQTEXT_SEPARATOR_SIZE);
		if (!at)
			break;
	}
	list = g_new0(char *, n + 1);
	for (size_t i = 0; i < n; i++) {
		length = irqtext_action_size(actions, size);
		list[i] = irq_string(t, actions, length);
		length = MIN(length + IRQTEXT_SEPARATOR_SIZE, size);
		actions += length;
		size -= length;
	}
	return list;
}

/*
 * A device's line: what its text says. @blanks: behind the text. The kernel puts none behind an
 * action's name: they are the last one's.
 */
static void irq_read_text(struct proc_interrupts *t, struct proc_irq *irq, struct proc_line line,
			  size_t blanks)
{
	struct irqtext parts;

	irqtext_parse(line.at, line.left, &parts);
	if (parts.actions_size > 0)
		parts.actions_size += blanks;
	if (parts.chip)
		irq->chip = irq_string(t, parts.chip, parts.chip_size);
	if (parts.hwirq)
		irq->hwirq = irq_string(t, parts.hwirq, parts.hwirq_size);
	irq->trigger = parts.trigger;
	irq->sure = parts.sure;
	irq->actions = irq_string(t, parts.actions, parts.actions_size);
	irq->action_list = irq_action_list(t, parts.actions, parts.actions_size);
}

static struct proc_irq *irq_parse(struct proc_interrupts *t, struct proc_line line,
				  struct irq_counts *counts)
{
	const char *colon;
	struct proc_irq *irq;
	size_t blanks = 0;

	proc_line_skip_blanks(&line);
	colon = memchr(line.at, ':', line.left);
	if (!colon || colon == line.at || memchr(line.at, ' ', colon - line.at) ||
	    memchr(line.at, '\0', line.left))
		return NULL;
	irq = g_new0(struct proc_irq, 1);
	irq->name = irq_string(t, line.at, colon - line.at);
	irq->device = strspn(irq->name, "0123456789") == strlen(irq->name);
	line_skip(&line, colon + 1 - line.at);
	irq_take_counts(&line, t->n_cpus, counts);
	irq->n_counts = counts->n;
	irq->counts = g_memdup2(counts->value, counts->n * sizeof(uint64_t));
	if (irq->device)
		irq_skip_surplus(&line);
	proc_line_skip_blanks(&line);
	for (; line.left > 0 && g_ascii_isspace(line.at[line.left - 1]); blanks++)
		line.left--;
	irq->text = irq_string(t, line.at, line.left);
	irq->total = counts->n == 1 && !irq->device && !*irq->text;
	if (irq->device)
		irq_read_text(t, irq, line, blanks);
	else
		irq->actions = irq->text;
	return irq;
}

/* What follows the last line and is none may be the rest of a name with a newline in it. */
static void interrupts_doubt_last(struct proc_interrupts *t)
{
	struct proc_irq *last = t->lines->len > 0 ? t->lines->pdata[t->lines->len - 1] : NULL;

	if (last)
		last->sure = false;
}

int proc_interrupts_parse(const char *text, size_t size, struct proc_interrupts **ret)
{
	struct proc_text t = { .at = text, .left = size };
	g_autofree uint64_t *room = NULL;
	struct proc_interrupts *table;
	struct irq_counts counts;
	struct proc_line line;

	if (!proc_text_line(&t, &line))
		return -EBADMSG;
	table = g_new0(struct proc_interrupts, 1);
	table->lines = g_ptr_array_new_with_free_func(proc_irq_free);
	table->by_name = g_hash_table_new(g_str_hash, g_str_equal);
	table->strings = g_string_chunk_new(16 * 1024);
	if (interrupts_title(line, table) < 0) {
		proc_interrupts_free(table);
		return -EBADMSG;
	}
	room = g_new(uint64_t, table->n_cpus);
	counts.value = room;
	while (proc_text_line(&t, &line)) {
		struct proc_irq *irq = irq_parse(table, line, &counts);

		if (!irq) {
			interrupts_doubt_last(table);
			continue;
		}
		g_ptr_array_add(table->lines, irq);
		if (!g_hash_table_contains(table->by_name, irq->name))
			g_hash_table_insert(table->by_name, irq->name, irq);
	}
	*ret = table;
	return 0;
}

const struct proc_irq *proc_interrupts_find(const struct proc_interrupts *t, const char *name)
{
	return g_hash_table_lookup(t->by_name, name);
}

/*
 * The line's count on @cpu; false: no such column. @column: where to begin, and then the one behind
 * it: who asks in the columns' order is not made to search among hundreds.
 */
static bool irq_count(const struct proc_interrupts *t, const struct proc_irq *irq, int cpu,
		      guint *column, uint64_t *ret)
{
	for (guint n = 0; n < irq->n_counts; n++) {
		guint i = (*column + n) % irq->n_counts;

		if (t->cpus[i] != cpu)
			continue;
		*ret = irq->counts[i];
		*column = i + 1;
		return true;
	}
	return false;
}

static bool irq_delta_per_cpu(const struct proc_interrupts *before, const struct proc_irq *old,
			      const struct proc_interrupts *after, const struct proc_irq *new,
			      uint64_t *ret)
{
	uint64_t sum = 0, was, delta;
	guint column = 0;

	for (guint i = 0; i < new->n_counts; i++) {
		if (!old)
			was = 0;
		else if (!irq_count(before, old, after->cpus[i], &column, &was))
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
