/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Put together from parts that each read one place: lines (irqlines.c), threads (kthreads.c),
 * devices (irqdevices.c). Threads find their line by the number in their name; the name of the
 * action in it may be cut and is not needed for that.
 *
 * A big table is thousands of small files, of which each costs the kernel as much as its bytes: the
 * threads are then read by a second thread, with strings of its own, while this one reads lines.
 */
#include "irqtable.h"

#include <errno.h>
#include <string.h>

#include "irqdevices.h"
#include "irqlines.h"
#include "irqtags.h"
#include "kthreads.h"
#include "preemption.h"
#include "proc-interrupts.h"
#include "roottree.h"

#define TEXT_MAX  (16 * 1024)
#define LINES_BIG 512 /* below that a second thread costs more than it brings */

static struct irq_table *table_new(void)
{
	struct irq_table *t = g_new0(struct irq_table, 1);

	t->read_ns = (uint64_t)g_get_monotonic_time() * 1000;
	t->strings = g_string_chunk_new(16 * 1024);
	t->thread_strings = g_string_chunk_new(16 * 1024);
	t->lines = g_ptr_array_new_with_free_func(irq_line_free);
	t->rows = g_ptr_array_new_with_free_func(irq_row_free);
	return t;
}

void irqtable_free(struct irq_table *t)
{
	if (!t)
		return;
	g_ptr_array_unref(t->lines);
	g_ptr_array_unref(t->rows);
	if (t->threads)
		g_ptr_array_unref(t->threads);
	g_free(t->cpus);
	g_string_chunk_free(t->strings);
	g_string_chunk_free(t->thread_strings);
	g_free(t);
}

struct irq_line *irqtable_line(const struct irq_table *t, unsigned irq)
{
	guint low = 0, high = t->lines->len;

	while (low < high) {
		guint middle = (low + high) / 2;
		struct irq_line *l = t->lines->pdata[middle];

		if (l->irq == irq)
			return l;
		if (l->irq < irq)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

struct irq_thread *irqtable_thread(const struct irq_table *t, pid_t tid)
{
	guint low = 0, high = t->threads->len;

	while (low < high) {
		guint middle = (low + high) / 2;
		struct irq_thread *thread = t->threads->pdata[middle];

		if (thread->tid == tid)
			return thread;
		if (thread->tid < tid)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

static void table_join(struct irq_table *t)
{
	for (guint i = 0; i < t->threads->len; i++) {
		struct irq_thread *thread = t->threads->pdata[i];

		if (thread->what.kind != KTHREAD_IRQ)
			continue;
		thread->line = irqtable_line(t, thread->what.irq);
		if (thread->line)
			g_ptr_array_add(thread->line->threads, thread);
	}
}

/*
 * An interrupt thread runs where its line does, as of the last interrupt. In a captured tree, where
 * the thread's own affinity is a file more for each, the line's stands for it.
 */
static void table_fill_affinities(struct irq_table *t, const struct kthreads *k)
{
	for (guint i = 0; i < t->threads->len; i++) {
		struct irq_thread *thread = t->threads->pdata[i];
		const struct irq_line *l = thread->line;

		if (!thread->affinity && l)
			thread->affinity = l->effective ?: l->affinity;
		if (!thread->affinity)
			thread->affinity = kthreads_read_affinity(k, thread->tid, t->strings);
	}
}

static bool text_has_word(const char *text, const char *word)
{
	g_auto(GStrv) words = g_strsplit_set(text, " \t\n", -1);

	for (char **w = words; *w && strcmp(*w, "--") != 0; w++) /* behind it: for init */
		if (strcmp(*w, word) == 0)
			return true;
	return false;
}

/* What the kernel says of itself, or what only a kernel that threads interrupts has. */
static bool table_is_threaded(const struct irq_table *t, const struct roottree *tree)
{
	g_auto(rootdir_t) proc = { .fd = -1 }, sys = { .fd = -1 };
	char text[TEXT_MAX];
	bool dynamic, threaded;

	rootdir_open(tree, "proc", &proc);
	rootdir_open(tree, "sys/kernel", &sys);
	threaded = rootdir_line(&sys, "realtime", text, sizeof(text)) > 0 && strcmp(text, "1") == 0;
	if (rootdir_line(&proc, "version", text, sizeof(text)) > 0)
		threaded |= preemption_from_version(text, &dynamic) == PREEMPTION_RT;
	if (rootdir_line(&proc, "cmdline", text, sizeof(text)) > 0)
		threaded |= text_has_word(text, "threadirqs");
	for (guint i = 0; i < t->threads->len && !threaded; i++) {
		const struct irq_thread *thread = t->threads->pdata[i];

		threaded = thread->what.secondary || thread->what.kind == KTHREAD_KTIMERS;
	}
	return threaded;
}

/* Lines with threads by their actions: what a chip that hangs on a line is called, too. */
static GHashTable *table_parents(const struct irq_table *t)
{
	GHashTable *parents = g_hash_table_new(g_str_hash, g_str_equal);

	for (guint i = 0; i < t->lines->len; i++) {
		struct irq_line *l = t->lines->pdata[i];

		for (char **a = l->actions; *a && l->threads->len > 0; a++)
			g_hash_table_insert(parents, *a, l);
	}
	return parents;
}

static enum irq_unthreaded line_unthreaded(const struct irq_table *t, struct irq_line *l,
					   GHashTable *parents)
{
	struct irq_line *parent;

	if (l->threads->len > 0)
		return IRQ_THREADED;
	if (!*l->actions)
		return IRQ_UNUSED;
	if (!t->threads_seen)
		return IRQ_UNSEEN;
	parent = l->chip ? g_hash_table_lookup(parents, l->chip) : NULL;
	if (parent && parent != l) {
		l->parent = parent->irq;
		return IRQ_NESTED;
	}
	return t->threaded ? IRQ_NO_THREAD : IRQ_NOT_FORCED;
}

static void table_explain(struct irq_table *t)
{
	g_autoptr(GHashTable) parents = table_parents(t);

	for (guint i = 0; i < t->lines->len; i++) {
		struct irq_line *l = t->lines->pdata[i];

		l->unthreaded = line_unthreaded(t, l, parents);
	}
}

struct threads_job { /* out: the table's threads and threads_seen */
	const struct kthreads *kthreads;
	struct irq_table *table;
};

static void *threads_job_run(void *data)
{
	struct threads_job *job = data;
	struct irq_table *t = job->table;

	t->threads = kthreads_read(job->kthreads, t->thread_strings, &t->threads_seen);
	return NULL;
}

/* Lines and threads, which touch nothing of each other. */
static void table_read_both(struct irq_table *t, const struct roottree *tree,
			    const struct kthreads *k, struct proc_interrupts *interrupts)
{
	struct threads_job job = { .kthreads = k, .table = t };
	GThread *helper = NULL;

	if (interrupts->lines->len >= LINES_BIG && !tree->record)
		helper = g_thread_try_new("irq-threads", threads_job_run, &job, NULL);
	irqlines_read(tree, interrupts, t);
	if (helper)
		(void)g_thread_join(helper); /* it returns nothing */
	else
		threads_job_run(&job);
}

int irqtable_read_tree(const struct roottree *tree, bool own, struct irq_table **ret)
{
	struct proc_interrupts *interrupts = NULL;
	struct irqdevices *devices;
	struct kthreads k;
	struct irq_table *t;
	int r = irqlines_parse(tree, &interrupts);

	if (r < 0)
		return r;
	t = table_new();
	kthreads_open(tree, own, &k);
	table_read_both(t, tree, &k, interrupts);
	proc_interrupts_free(interrupts);
	table_join(t);
	table_fill_affinities(t, &k);
	kthreads_close(&k);
	t->threaded = table_is_threaded(t, tree);
	table_explain(t);
	devices = irqdevices_read(tree, t->lines);
	irqtags_fill(t, devices);
	irqdevices_free(devices);
	*ret = t;
	return 0;
}

int irqtable_read(const char *root, struct irq_table **ret)
{
	struct roottree tree;
	int r = roottree_open(root, &tree);

	if (r < 0)
		return r;
	r = irqtable_read_tree(&tree, irqtable_check_own(root, NULL) == 0, ret);
	roottree_close(&tree);
	return r;
}

int irqtable_read_thread(const char *root, pid_t tid, struct irq_thread *ret)
{
	GStringChunk *strings;
	struct irq_thread t;
	struct roottree tree;
	struct kthreads k;
	int r = roottree_open(root, &tree);

	if (r < 0)
		return r;
	strings = g_string_chunk_new(256);
	kthreads_open(&tree, irqtable_check_own(root, NULL) == 0, &k);
	r = tid > 0 ? kthreads_read_one(&k, tid, strings, &t) : -ESRCH;
	kthreads_close(&k);
	roottree_close(&tree);
	if (r < 0) {
		g_string_chunk_free(strings);
		return r;
	}
	t.strings = strings;
	irqtags_fill_thread(&t, NULL, strings);
	*ret = t;
	return 0;
}

void irq_thread_done(struct irq_thread *t)
{
	g_clear_pointer(&t->tags, g_array_unref);
	g_clear_pointer(&t->strings, g_string_chunk_free);
	t->name = t->affinity = NULL;
}
