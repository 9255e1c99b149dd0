/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * /proc/interrupts is one read and has everything but affinities; of 4096 lines' small files each
 * one costs ten milliseconds. So they are read only where they know more: affinities, actions with
 * a comma in them, chip and the rest when the text leaves them open. A line may be in any of the
 * three places and not in the others: unused ones are in the folders alone, some architectures'
 * have no folder, and whatever comes or goes meanwhile is in some.
 */
#include "irqlines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "irqtext.h"
#include "proc-interrupts.h"

#define INTERRUPTS_MAX (256 * 1024 * 1024)
#define ACTIONS_MAX    4096 /* a page, as in the kernel */
#define ATTRIBUTE_MAX  1024

struct irqsource {
	struct rootdir proc, sys;
	struct irq_table *table;
	bool thorough; /* a recording: files that are not needed, too */
};

struct irqplace { /* where a line is; by number */
	unsigned irq;
	struct proc_irq *row; /* NULL: none */
	bool in_proc, in_sys;
};

void irq_line_free(void *line)
{
	struct irq_line *l = line;

	g_free(l->actions);
	g_free(l->counts);
	if (l->threads)
		g_ptr_array_unref(l->threads);
	if (l->tags)
		g_array_unref(l->tags);
	g_free(l);
}

void irq_row_free(void *row)
{
	struct irq_row *r = row;

	g_free(r->counts);
	g_free(r);
}

/* "N/NAME" */
struct irqname {
	char text[64];
	char *file;
};

static void irqname_init(struct irqname *n, unsigned irq)
{
	n->file = n->text + g_snprintf(n->text, sizeof(n->text), "%u/", irq);
}

static char *irqsource_attribute(const struct irqsource *s, const struct rootdir *d,
				 struct irqname *n, const char *file)
{
	char text[ATTRIBUTE_MAX];

	strcpy(n->file, file);
	if (rootdir_line(d, n->text, text, sizeof(text)) <= 0)
		return NULL;
	return g_string_chunk_insert_const(s->table->strings, text);
}

/* A CPU list; NULL: what is there is none. */
static char *irqsource_cpus(const struct irqsource *s, struct irqname *n, const char *file)
{
	char *list = irqsource_attribute(s, &s->proc, n, file);

	return list && strspn(list, "0123456789,-") == strlen(list) ? list : NULL;
}

static void actions_add(const struct irqsource *s, GPtrArray *list, const char *at, size_t size)
{
	g_ptr_array_add(list, g_string_chunk_insert_len(s->table->strings, at, size));
}

/* Both texts tell the names apart together; false: they do not fit each other. */
static bool actions_of_both(const struct irqsource *s, const char *sysfs, const char *proc,
			    GPtrArray *list)
{
	size_t sysfs_left = strlen(sysfs), proc_left = strlen(proc);

	while (sysfs_left > 0) {
		size_t n = irqtext_action_size_both(sysfs, sysfs_left, proc, proc_left);

		if (n == 0)
			return false;
		actions_add(s, list, sysfs, n);
		if (n == sysfs_left)
			break;
		sysfs += n + 1;
		sysfs_left -= n + 1;
		proc += n + IRQTEXT_SEPARATOR_SIZE;
		proc_left -= n + IRQTEXT_SEPARATOR_SIZE;
	}
	return true;
}

static void actions_of_sysfs(const struct irqsource *s, const char *sysfs, GPtrArray *list)
{
	for (;;) {
		size_t n = strcspn(sysfs, ",");

		actions_add(s, list, sysfs, n);
		if (!sysfs[n])
			break;
		sysfs += n + 1;
	}
}

static void actions_of_row(const struct irqsource *s, const struct proc_irq *row, GPtrArray *list)
{
	for (char **a = row->action_list; *a; a++)
		actions_add(s, list, *a, strlen(*a));
}

static char **irqsource_actions(const struct irqsource *s, const struct irqplace *p,
				struct irqname *n)
{
	GPtrArray *list = g_ptr_array_new();
	char sysfs[ACTIONS_MAX + 1];
	ssize_t size = -1;

	if (p->in_sys &&
	    (s->thorough || !p->row || !p->row->sure || strchr(p->row->actions, ','))) {
		strcpy(n->file, "actions");
		size = rootdir_read(&s->sys, n->text, sysfs, sizeof(sysfs));
		if (size > 0 && sysfs[size - 1] == '\n')
			sysfs[--size] = '\0';
	}
	if (size > 0 && p->row && !actions_of_both(s, sysfs, p->row->actions, list))
		g_ptr_array_set_size(list, 0);
	if (size > 0 && list->len == 0)
		actions_of_sysfs(s, sysfs, list);
	else if (size <= 0 && p->row)
		actions_of_row(s, p->row, list);
	g_ptr_array_add(list, NULL);
	return (char **)g_ptr_array_free(list, FALSE);
}

/* The line's text is taken at its word where it has one; sysfs where it is sure or alone. */
static void irqsource_hardware(const struct irqsource *s, const struct irqplace *p,
			       struct irqname *n, struct irq_line *l)
{
	const struct proc_irq *row = p->row;
	char *trigger;

	if (row) {
		GStringChunk *strings = s->table->strings;

		l->chip = row->chip ? g_string_chunk_insert_const(strings, row->chip) : NULL;
		l->hwirq = row->hwirq ? g_string_chunk_insert_const(strings, row->hwirq) : NULL;
		l->trigger = (char *)row->trigger;
	}
	if (!p->in_sys || (row && row->sure && !s->thorough))
		return;
	l->chip = irqsource_attribute(s, &s->sys, n, "chip_name") ?: l->chip;
	l->hwirq = irqsource_attribute(s, &s->sys, n, "hwirq") ?: l->hwirq;
	trigger = irqsource_attribute(s, &s->sys, n, "type");
	if (g_strcmp0(trigger, "edge") == 0 || g_strcmp0(trigger, "level") == 0)
		l->trigger = trigger;
}

/* A line whose folder has no file that could be read is a line. */
static void irqsource_note(const struct irqsource *s, const struct irqplace *p, struct irqname *n)
{
	*n->file = '\0';
	if (p->in_proc)
		rootdir_note(&s->proc, ROOTTREE_FOLDER, n->text, NULL, 0);
	if (p->in_sys)
		rootdir_note(&s->sys, ROOTTREE_FOLDER, n->text, NULL, 0);
}

static struct irq_line *irqsource_line(const struct irqsource *s, const struct irqplace *p)
{
	struct irq_line *l = g_new0(struct irq_line, 1);
	struct irqname n;

	irqname_init(&n, p->irq);
	l->irq = p->irq;
	l->parent = -1;
	l->threads = g_ptr_array_new();
	l->actions = irqsource_actions(s, p, &n);
	irqsource_hardware(s, p, &n, l);
	if (p->row) {
		l->n_counts = p->row->n_counts;
		l->counts = g_steal_pointer(&p->row->counts);
	}
	if (p->in_proc) {
		l->affinity = irqsource_cpus(s, &n, "smp_affinity_list");
		l->effective = irqsource_cpus(s, &n, "effective_affinity_list");
	}
	irqsource_note(s, p, &n);
	return l;
}

static int place_compare(const void *a, const void *b)
{
	const struct irqplace *x = a, *y = b;

	return (x->irq > y->irq) - (x->irq < y->irq);
}

static void places_add_rows(GArray *places, struct proc_interrupts *interrupts)
{
	for (guint i = 0; i < interrupts->lines->len; i++) {
		struct proc_irq *row = interrupts->lines->pdata[i];
		guint64 irq;

		if (!row->device ||
		    !g_ascii_string_to_unsigned(row->name, 10, 0, G_MAXINT, &irq, NULL))
			continue;
		g_array_append_val(places, ((struct irqplace){ .irq = irq, .row = row }));
	}
}

static void places_add_folder(GArray *places, const struct rootdir *d, bool sys)
{
	g_autoptr(GArray) numbers = rootdir_numbers(d, ".");

	for (guint i = 0; i < numbers->len; i++)
		g_array_append_val(places,
				   ((struct irqplace){ .irq = g_array_index(numbers, unsigned, i),
						       .in_proc = !sys,
						       .in_sys = sys }));
}

/* One of each number, with what is known of it. */
static void places_merge(GArray *places)
{
	struct irqplace *p = (struct irqplace *)places->data;
	guint n = 0;

	if (places->len < 2)
		return;
	qsort(p, places->len, sizeof(*p), place_compare);
	for (guint i = 1; i < places->len; i++) {
		if (p[i].irq != p[n].irq) {
			p[++n] = p[i];
			continue;
		}
		p[n].row = p[n].row ?: p[i].row;
		p[n].in_proc |= p[i].in_proc;
		p[n].in_sys |= p[i].in_sys;
	}
	g_array_set_size(places, n + 1);
}

static void table_add_rows(struct irq_table *t, struct proc_interrupts *interrupts)
{
	for (guint i = 0; i < interrupts->lines->len; i++) {
		struct proc_irq *row = interrupts->lines->pdata[i];
		struct irq_row *r;

		if (row->device)
			continue;
		r = g_new0(struct irq_row, 1);
		r->name = g_string_chunk_insert(t->strings, row->name);
		r->text = g_string_chunk_insert(t->strings, row->text);
		r->n_counts = row->n_counts;
		r->counts = g_steal_pointer(&row->counts);
		g_ptr_array_add(t->rows, r);
	}
}

static void table_add_lines(struct irqsource *s, struct proc_interrupts *interrupts)
{
	g_autoptr(GArray) places = g_array_new(FALSE, FALSE, sizeof(struct irqplace));

	places_add_rows(places, interrupts);
	places_add_folder(places, &s->proc, false);
	places_add_folder(places, &s->sys, true);
	places_merge(places);
	for (guint i = 0; i < places->len; i++)
		g_ptr_array_add(s->table->lines,
				irqsource_line(s, &g_array_index(places, struct irqplace, i)));
}

int irqlines_parse(const struct roottree *tree, struct proc_interrupts **ret)
{
	g_auto(rootdir_t) proc = { .fd = -1 };
	g_autofree char *text = NULL;
	size_t size;

	rootdir_open(tree, "proc", &proc);
	text = rootdir_read_whole(&proc, "interrupts", INTERRUPTS_MAX, &size);
	return text ? proc_interrupts_parse(text, size, ret) : -ENOENT;
}

void irqlines_read(const struct roottree *tree, struct proc_interrupts *interrupts,
		   struct irq_table *t)
{
	struct irqsource s = { .table = t, .thorough = tree->record != NULL };

	rootdir_open(tree, "proc/irq", &s.proc);
	rootdir_open(tree, "sys/kernel/irq", &s.sys);
	t->n_cpus = interrupts->n_cpus;
	t->cpus = g_memdup2(interrupts->cpus, interrupts->n_cpus * sizeof(*t->cpus));
	table_add_rows(t, interrupts);
	table_add_lines(&s, interrupts);
	rootdir_close(&s.proc);
	rootdir_close(&s.sys);
}
