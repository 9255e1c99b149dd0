/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kthreadd's list of children is a hundredth of the work of reading every process. It is written a
 * page at a time with nothing locked in between, and a child that ends at the wrong moment makes it
 * leave out another one (fs/proc/array.c, get_children_pid()): it is read until two readings agree,
 * and what any of them had is looked at. The folder /proc needs no such care, it goes on behind the
 * number it stopped at.
 *
 * PID 2 of a PID namespace is anybody: only PF_KTHREAD makes it kthreadd. Where it is somebody else
 * there are no kernel threads; where it is not shown at all (hidepid, a captured tree without it),
 * every process is looked at.
 */
#include "kthreads.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "cpulist.h"
#include "proc-children.h"
#include "proc-pid.h"

#define KTHREADD	  2
#define CHILDREN_FILE	  "2/task/2/children"
#define CHILDREN_MAX	  (64 * 1024 * 1024)
#define CHILDREN_READINGS 6
#define STAT_MAX	  2048
#define STATUS_MAX	  (16 * 1024)

void kthreads_open(const struct roottree *t, bool own, struct kthreads *ret)
{
	rootdir_open(t, "proc", &ret->proc);
	ret->own = own && !t->record; /* a captured tree has the file only */
}

void kthreads_close(struct kthreads *k)
{
	rootdir_close(&k->proc);
}

/* @name: room for "TID/" and a file's name. */
static char *tid_folder(char *name, pid_t tid)
{
	char digits[12];
	int n = 0;

	do
		digits[n++] = '0' + tid % 10;
	while ((tid /= 10) > 0);
	while (n > 0)
		*name++ = digits[--n];
	*name++ = '/';
	return name;
}

/* 1: a kernel thread, 0: something else; -ESRCH, -EBADMSG. Only the former may be recorded. */
static int kthreads_stat(const struct kthreads *k, pid_t tid, struct proc_pid_stat *ret)
{
	char name[32], text[STAT_MAX];
	struct kthread_name what;
	ssize_t n;

	strcpy(tid_folder(name, tid), "stat");
	n = rootdir_peek(&k->proc, name, text, sizeof(text));
	if (n < 0)
		return -ESRCH;
	if (proc_pid_stat_parse(text, n, ret) < 0 || ret->pid != tid)
		return -EBADMSG;
	if (ret->state == 'Z' || ret->state == 'X' || ret->state == 'x')
		return -ESRCH;
	if (!(ret->flags & PROC_PF_KTHREAD))
		return 0;
	kthread_name_parse(ret->comm, &what);
	if (tid == KTHREADD || kthread_kind_namable(what.kind))
		rootdir_note(&k->proc, ROOTTREE_FILE, name, text, n);
	return 1;
}

/* "Cpus_allowed_list:\t0-1" of /proc/TID/status. */
static char *kthreads_affinity_file(const struct kthreads *k, pid_t tid, GStringChunk *strings)
{
	static const char key[] = "\nCpus_allowed_list:";
	char name[32], text[STATUS_MAX], *at;
	size_t size;

	strcpy(tid_folder(name, tid), "status");
	if (rootdir_read(&k->proc, name, text, sizeof(text)) < 0)
		return NULL;
	/* from the end, where a thread's name does not stand */
	at = g_strrstr(text, key);
	if (!at)
		return NULL;
	at += strlen(key);
	at += strspn(at, " \t");
	size = strspn(at, "0123456789,-");
	if (size == 0 || (at[size] && at[size] != '\n'))
		return NULL;
	at[size] = '\0';
	return g_string_chunk_insert_const(strings, at);
}

char *kthreads_read_affinity(const struct kthreads *k, pid_t tid, GStringChunk *strings)
{
	g_autofree char *list = NULL;
	cpu_set_t set;

	if (!k->own)
		return kthreads_affinity_file(k, tid, strings);
	/* machines with more CPUs than a cpu_set_t has: EINVAL */
	if (sched_getaffinity(tid, sizeof(set), &set) < 0)
		return kthreads_affinity_file(k, tid, strings);
	list = cpulist_format(&set);
	return g_string_chunk_insert_const(strings, list);
}

static void kthreads_fill(const struct proc_pid_stat *st, GStringChunk *strings,
			  struct irq_thread *ret)
{
	*ret = (struct irq_thread){
		.tid = st->pid,
		.start_ticks = st->start_ticks,
		.name = g_string_chunk_insert(strings, st->comm),
		.policy = st->policy,
		.priority = st->rt_prio,
		.nice = st->nice,
		.bound = st->flags & PROC_PF_NO_SETAFFINITY,
	};
	kthread_name_parse(ret->name, &ret->what);
}

int kthreads_read_one(const struct kthreads *k, pid_t tid, GStringChunk *strings,
		      struct irq_thread *ret)
{
	struct proc_pid_stat st;
	int r = kthreads_stat(k, tid, &st);

	if (r < 0)
		return r;
	if (r == 0)
		return -EPERM;
	kthreads_fill(&st, strings, ret);
	ret->affinity = kthreads_read_affinity(k, tid, strings);
	return 0;
}

static int tid_compare(const void *a, const void *b)
{
	pid_t x = *(const pid_t *)a, y = *(const pid_t *)b;

	return (x > y) - (x < y);
}

static void tids_sort_unique(GArray *tids)
{
	pid_t *tid = (pid_t *)tids->data;
	guint n = 0;

	if (tids->len < 2)
		return;
	qsort(tid, tids->len, sizeof(*tid), tid_compare);
	for (guint i = 1; i < tids->len; i++)
		if (tid[i] != tid[n])
			tid[++n] = tid[i];
	g_array_set_size(tids, n + 1);
}

/* NULL: no such list. */
static GArray *kthreads_children(const struct kthreads *k)
{
	g_autoptr(GArray) tids = g_array_new(FALSE, FALSE, sizeof(pid_t));
	g_autofree char *before = NULL;
	size_t size, before_size = 0;

	for (int i = 0; i < CHILDREN_READINGS; i++) {
		g_autofree char *text =
			rootdir_peek_whole(&k->proc, CHILDREN_FILE, CHILDREN_MAX, &size);
		bool same =
			text && before && size == before_size && memcmp(text, before, size) == 0;

		if (!text)
			return NULL;
		if (same)
			break;
		if (proc_children_parse(text, size, tids) < 0)
			return NULL;
		g_free(before);
		before = g_steal_pointer(&text);
		before_size = size;
	}
	tids_sort_unique(tids);
	return g_steal_pointer(&tids);
}

static void irq_thread_add(const struct kthreads *k, const struct proc_pid_stat *st,
			   GStringChunk *strings, GPtrArray *threads)
{
	struct kthread_name what;
	struct irq_thread *t;

	kthread_name_parse(st->comm, &what);
	if (!kthread_kind_namable(what.kind))
		return;
	t = g_new(struct irq_thread, 1);
	kthreads_fill(st, strings, t);
	/* thousands of files that say what the line does: left to who knows it */
	if (what.kind != KTHREAD_IRQ || k->own || k->proc.tree->record)
		t->affinity = kthreads_read_affinity(k, t->tid, strings);
	g_ptr_array_add(threads, t);
}

/* For a recording, the list of those that were found is as good as the kernel's. */
static void kthreads_note_children(const struct kthreads *k, const GPtrArray *threads)
{
	g_autoptr(GString) list = g_string_new(NULL);

	for (guint i = 0; i < threads->len; i++) {
		const struct irq_thread *t = threads->pdata[i];

		g_string_append_printf(list, "%d ", t->tid);
	}
	rootdir_note(&k->proc, ROOTTREE_FILE, CHILDREN_FILE, list->str, list->len);
}

GPtrArray *kthreads_read(const struct kthreads *k, GStringChunk *strings, bool *ret_seen)
{
	GPtrArray *threads = g_ptr_array_new_with_free_func(irq_thread_free);
	g_autoptr(GArray) tids = NULL;
	struct proc_pid_stat st;
	int kthreadd = kthreads_stat(k, KTHREADD, &st);

	*ret_seen = kthreadd > 0;
	if (kthreadd == 0)
		return threads;
	if (kthreadd > 0)
		tids = kthreads_children(k);
	if (!tids)
		tids = rootdir_numbers(&k->proc, ".");
	for (guint i = 0; i < tids->len; i++) {
		if (kthreads_stat(k, g_array_index(tids, pid_t, i), &st) <= 0)
			continue;
		*ret_seen = true;
		irq_thread_add(k, &st, strings, threads);
	}
	if (*ret_seen && k->proc.tree->record)
		kthreads_note_children(k, threads);
	return threads;
}

void irq_thread_free(void *thread)
{
	struct irq_thread *t = thread;

	if (t->tags)
		g_array_unref(t->tags);
	g_free(t);
}
