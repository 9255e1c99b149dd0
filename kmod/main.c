// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lrtbf.ko: interrupt and timer latencies, with the time taken where it happens.
 *
 * A device file may be open when its port goes away, so nodes are counted. The module cannot go
 * away while one is open. Devices are misc devices: they are few, and a unit's DeviceAllow= can
 * name them before the module is there.
 *
 * Before the machine sleeps all runs are stopped. They could not tell a late interrupt from a
 * sleeping machine, and the port would wake up in another state than they know.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpumask.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/suspend.h>

#include "lrtbf.h"

static LIST_HEAD(lrtbf_nodes);
static DEFINE_MUTEX(lrtbf_nodes_lock); /* the list; outside of node->lock */
static bool lrtbf_is_suspending;
static struct lrtbf_node *lrtbf_timers; /* /dev/lrtbf */

bool lrtbf_suspending(void)
{
	return READ_ONCE(lrtbf_is_suspending);
}

/* With one reference. NULL: no memory. */
struct lrtbf_node *lrtbf_node_new(const char *name, u32 roles, unsigned int runs_max)
{
	struct lrtbf_node *node = kzalloc(sizeof(*node), GFP_KERNEL);

	if (!node)
		return NULL;
	strscpy(node->name, name, sizeof(node->name));
	node->misc.minor = MISC_DYNAMIC_MINOR;
	node->misc.name = node->name;
	node->misc.fops = &lrtbf_chardev;
	node->misc.mode = 0600;
	node->roles = roles;
	node->runs_max = runs_max;
	node->caps.abi = LRTBF_ABI;
	node->caps.roles = roles;
	node->caps.irq = -1;
	node->caps.records = LRTBF_RECORDS;
	kref_init(&node->ref);
	mutex_init(&node->lock);
	INIT_LIST_HEAD(&node->runs);
	INIT_LIST_HEAD(&node->link);
	return node;
}

static void node_free(struct kref *ref)
{
	kfree(container_of(ref, struct lrtbf_node, ref));
}

void lrtbf_node_put(struct lrtbf_node *node)
{
	kref_put(&node->ref, node_free);
}

int lrtbf_node_add(struct lrtbf_node *node)
{
	int r;

	/* whatever can be opened is among what is stopped before the machine sleeps */
	mutex_lock(&lrtbf_nodes_lock);
	r = misc_register(&node->misc);
	if (!r)
		list_add(&node->link, &lrtbf_nodes);
	mutex_unlock(&lrtbf_nodes_lock);
	return r;
}

struct lrtbf_node *lrtbf_node_find(const struct parport *port)
{
	struct lrtbf_node *node, *found = NULL;

	mutex_lock(&lrtbf_nodes_lock);
	list_for_each_entry(node, &lrtbf_nodes, link) if (node->port == port) found = node;
	mutex_unlock(&lrtbf_nodes_lock);
	return found;
}

static void node_stop_runs(struct lrtbf_node *node, enum lrtbf_stop reason)
{
	struct lrtbf_run *run;

	list_for_each_entry(run, &node->runs, link) lrtbf_run_stop(run, reason);
}

void lrtbf_node_remove(struct lrtbf_node *node, enum lrtbf_stop reason)
{
	struct lrtbf_run *run;

	mutex_lock(&lrtbf_nodes_lock);
	list_del(&node->link);
	mutex_unlock(&lrtbf_nodes_lock);
	/* waits for an open() that is under way, which takes node->lock */
	misc_deregister(&node->misc);
	mutex_lock(&node->lock);
	list_for_each_entry(run, &node->runs, link) WRITE_ONCE(run->removed, true);
	node_stop_runs(node, reason);
	node->port = NULL;
	mutex_unlock(&node->lock);
	lrtbf_node_put(node);
}

static int lrtbf_pm_event(struct notifier_block *block, unsigned long event, void *data)
{
	struct lrtbf_node *node;

	switch (event) {
	case PM_SUSPEND_PREPARE:
	case PM_HIBERNATION_PREPARE:
		mutex_lock(&lrtbf_nodes_lock);
		WRITE_ONCE(lrtbf_is_suspending, true);
		list_for_each_entry(node, &lrtbf_nodes, link)
		{
			mutex_lock(&node->lock);
			node_stop_runs(node, LRTBF_STOP_SUSPEND);
			mutex_unlock(&node->lock);
		}
		mutex_unlock(&lrtbf_nodes_lock);
		break;
	case PM_POST_SUSPEND:
	case PM_POST_HIBERNATION:
		WRITE_ONCE(lrtbf_is_suspending, false);
		break;
	}
	return NOTIFY_DONE;
}

static struct notifier_block lrtbf_pm = { .notifier_call = lrtbf_pm_event };

static int lrtbf_add_timers(void)
{
	const u32 roles = BIT(LRTBF_ROLE_TIMER_IRQ) | BIT(LRTBF_ROLE_TIMER_KTHREAD);
	int r;

	lrtbf_timers = lrtbf_node_new(KBUILD_MODNAME, roles, num_possible_cpus());
	if (!lrtbf_timers)
		return -ENOMEM;
	r = lrtbf_node_add(lrtbf_timers);
	if (r)
		lrtbf_node_put(lrtbf_timers);
	return r;
}

static int __init lrtbf_init(void)
{
	int r;

	r = register_pm_notifier(&lrtbf_pm);
	if (r)
		return r;
	r = lrtbf_add_timers();
	if (r)
		goto no_timers;
	r = lrtbf_port_register();
	if (r)
		goto no_ports;
	return 0;

no_ports:
	lrtbf_node_remove(lrtbf_timers, LRTBF_STOP_ASKED);
no_timers:
	unregister_pm_notifier(&lrtbf_pm);
	return r;
}

static void __exit lrtbf_exit(void)
{
	lrtbf_port_unregister();
	lrtbf_node_remove(lrtbf_timers, LRTBF_STOP_ASKED);
	unregister_pm_notifier(&lrtbf_pm);
}

module_init(lrtbf_init);
module_exit(lrtbf_exit);

MODULE_DESCRIPTION("Latency of interrupts of parallel ports, and of timers");
MODULE_AUTHOR("lrtbfd");
MODULE_LICENSE("GPL");
MODULE_VERSION("1");
