// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The truth for people and tests: debugfs/lrtbf-wire/N/ for what arrives at port N, plugged in or
 * not.
 *
 *   edges     a line for each pulse: number, at, due, seen, raised, handled (nanoseconds of
 *             CLOCK_MONOTONIC, 0: never) and flags (names, with commas between them; "-": none)
 *   counters  NAME VALUE
 *
 * edges.h says what they mean. Reading takes nothing away; writing anything into `edges` begins
 * anew with number 0. Lines are read one by one, so that the lock is held for a copy of one only.
 */
#include <linux/debugfs.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/seq_file.h>

#include "wire.h"

struct truth_reader {
	struct wire_port *port;
	struct edge edge;
	u64 number; /* as it is shown */
};

static const struct {
	const char *name;
	u32 flag;
} truth_flags[] = {
	{ "dropped", EDGE_DROPPED }, { "late", EDGE_LATE },	{ "stray", EDGE_STRAY },
	{ "echo", EDGE_ECHO },	     { "masked", EDGE_MASKED }, { "overflow", EDGE_OVERFLOW },
};

static const char *const truth_counts[COUNT_MAX] = {
	[COUNT_PULSES] = "pulses",	 [COUNT_DROPPED] = "dropped",
	[COUNT_LATE] = "late",		 [COUNT_STRAYS] = "strays",
	[COUNT_ECHOES] = "echoes",	 [COUNT_MASKED] = "masked",
	[COUNT_OVERFLOWS] = "overflows", [COUNT_INTERRUPTS] = "interrupts",
	[COUNT_HANDLED] = "handled",
};

/* The edge at *@position, or the first after it that is still there; a position is a number. */
static void *truth_read(struct truth_reader *reader, loff_t *position)
{
	struct edges *edges = &reader->port->line.edges;
	const struct edge *edge;
	unsigned long flags;

	raw_spin_lock_irqsave(&reader->port->wire->lock, flags);
	*position = max_t(u64, *position, edges_first(edges));
	edge = edges_get(edges, *position);
	if (edge) {
		reader->edge = *edge;
		reader->number = *position - edges->base;
	}
	raw_spin_unlock_irqrestore(&reader->port->wire->lock, flags);
	return edge ? reader : NULL;
}

static void *truth_start(struct seq_file *file, loff_t *position)
{
	return truth_read(file->private, position);
}

static void *truth_next(struct seq_file *file, void *element, loff_t *position)
{
	++*position;
	return truth_read(file->private, position);
}

static void truth_stop(struct seq_file *file, void *element)
{
}

static int truth_show(struct seq_file *file, void *element)
{
	const struct truth_reader *reader = element;
	const struct edge *edge = &reader->edge;
	const char *between = "";
	unsigned int i;

	seq_printf(file, "%llu %llu %llu %llu %llu %llu ", reader->number, edge->at_ns,
		   edge->due_ns, edge->seen_ns, edge->raised_ns, edge->handled_ns);
	for (i = 0; i < ARRAY_SIZE(truth_flags); i++) {
		if (!(edge->flags & truth_flags[i].flag))
			continue;
		seq_printf(file, "%s%s", between, truth_flags[i].name);
		between = ",";
	}
	seq_puts(file, *between ? "\n" : "-\n");
	return 0;
}

static const struct seq_operations truth_operations = {
	.start = truth_start,
	.next = truth_next,
	.stop = truth_stop,
	.show = truth_show,
};

static int edges_file_open(struct inode *inode, struct file *file)
{
	struct truth_reader *reader = __seq_open_private(file, &truth_operations, sizeof(*reader));

	if (!reader)
		return -ENOMEM;
	reader->port = inode->i_private;
	return 0;
}

static ssize_t edges_file_write(struct file *file, const char __user *buffer, size_t size,
				loff_t *position)
{
	struct wire_port *port = file_inode(file)->i_private;
	unsigned long flags;

	raw_spin_lock_irqsave(&port->wire->lock, flags);
	edges_clear(&port->line.edges);
	raw_spin_unlock_irqrestore(&port->wire->lock, flags);
	return size;
}

static const struct file_operations edges_file_operations = {
	.owner = THIS_MODULE,
	.open = edges_file_open,
	.read = seq_read,
	.write = edges_file_write,
	.llseek = seq_lseek,
	.release = seq_release_private,
};

static int counters_show(struct seq_file *file, void *unused)
{
	struct wire_port *port = file->private;
	u64 counts[COUNT_MAX];
	unsigned long flags;
	int i;

	raw_spin_lock_irqsave(&port->wire->lock, flags);
	memcpy(counts, port->line.edges.counts, sizeof(counts));
	raw_spin_unlock_irqrestore(&port->wire->lock, flags);
	for (i = 0; i < COUNT_MAX; i++)
		seq_printf(file, "%s %llu\n", truth_counts[i], counts[i]);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(counters);

void wire_truth_add(struct wire_port *port)
{
	char name[16];
	struct dentry *folder;

	snprintf(name, sizeof(name), "%u", port->number);
	folder = debugfs_create_dir(name, port->wire->debugfs);
	debugfs_create_file("edges", 0600, folder, port, &edges_file_operations);
	debugfs_create_file("counters", 0400, folder, port, &counters_fops);
}
