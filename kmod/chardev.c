// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The system calls on our device files. What they do to a run is serialised by the node's lock;
 * read(), LRTBF_COUNTERS, LRTBF_WAIT and LRTBF_ANSWER do without it, because the first three may
 * wait or are called often while it runs, and the last two are part of what is measured.
 */
#include <linux/compat.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/sched.h>
#include <linux/uaccess.h>

#include "lrtbf.h"

#define STRUCT_MAX 4096 /* of any future caller */

static int chardev_open(struct inode *inode, struct file *file)
{
	/* what the misc device left there */
	struct lrtbf_node *node = container_of(file->private_data, struct lrtbf_node, misc);
	struct lrtbf_run *run = ERR_PTR(-EBUSY);

	mutex_lock(&node->lock);
	if (node->runs_now < node->runs_max)
		run = lrtbf_run_new(node);
	if (!IS_ERR(run)) {
		node->runs_now++;
		kref_get(&node->ref);
		file->private_data = run;
	}
	mutex_unlock(&node->lock);
	return IS_ERR(run) ? PTR_ERR(run) : nonseekable_open(inode, file);
}

static int chardev_release(struct inode *inode, struct file *file)
{
	struct lrtbf_run *run = file->private_data;
	struct lrtbf_node *node = run->node;

	mutex_lock(&node->lock);
	lrtbf_run_stop(run, LRTBF_STOP_ASKED);
	list_del(&run->link);
	node->runs_now--;
	mutex_unlock(&node->lock);
	lrtbf_run_free(run);
	lrtbf_node_put(node);
	return 0;
}

/* Bytes; 0: it does not run, and nothing is left; -errno. */
static ssize_t chardev_read_once(struct lrtbf_run *run, char __user *buffer, size_t size)
{
	/* before the buffer is looked at: what came before the end is in it then */
	bool active = smp_load_acquire(&run->active);
	ssize_t n;

	if (mutex_lock_interruptible(&run->read_lock))
		return -ERESTARTSYS;
	n = lrtbf_records_copy(&run->records, buffer, size);
	mutex_unlock(&run->read_lock);
	return n || !active ? n : -EAGAIN;
}

static ssize_t chardev_read(struct file *file, char __user *buffer, size_t size, loff_t *offset)
{
	struct lrtbf_run *run = file->private_data;
	ssize_t n;
	int r;

	if (size < sizeof(struct lrtbf_record))
		return -EINVAL;
	for (;;) {
		n = chardev_read_once(run, buffer, size);
		if (n != -EAGAIN || file->f_flags & O_NONBLOCK)
			return n;
		r = wait_event_interruptible(run->readers, lrtbf_run_readable(run));
		if (r)
			return r;
	}
}

static __poll_t chardev_poll(struct file *file, poll_table *table)
{
	struct lrtbf_run *run = file->private_data;
	__poll_t mask = 0;

	poll_wait(file, &run->readers, table);
	if (lrtbf_run_readable(run))
		mask |= EPOLLIN | EPOLLRDNORM;
	if (!READ_ONCE(run->active))
		mask |= EPOLLHUP;
	return mask;
}

/*
 * The caller's struct, whose size he states twice. What only he knows must be 0; what only we know
 * is 0.
 */
static int chardev_get(void *value, size_t size, size_t size_v1, unsigned int request,
		       const void __user *user)
{
	size_t user_size = _IOC_SIZE(request);
	u32 stated;

	if (user_size < size_v1 || user_size > STRUCT_MAX)
		return -EINVAL;
	if (get_user(stated, (const u32 __user *)user))
		return -EFAULT;
	if (stated != user_size)
		return -EINVAL;
	return copy_struct_from_user(value, size, user, user_size);
}

static int chardev_put(void __user *user, unsigned int request, const void *value, size_t size)
{
	size_t user_size = _IOC_SIZE(request);

	if (copy_to_user(user, value, min(size, user_size)))
		return -EFAULT;
	if (user_size > size && clear_user(user + size, user_size - size))
		return -EFAULT;
	return 0;
}

/* The struct's head says how long it is there, not how long it is here. */
#define chardev_put_sized(user, request, value)                                                    \
	((value)->size = _IOC_SIZE(request), chardev_put(user, request, value, sizeof(*(value))))

static int chardev_caps(struct lrtbf_run *run, unsigned int request, void __user *user)
{
	struct lrtbf_caps caps;
	int r;

	/* nothing is read from it but the size */
	r = chardev_get(&caps, sizeof(caps), sizeof(caps), request, user);
	if (r)
		return r;
	mutex_lock(&run->node->lock);
	caps = run->node->caps;
	mutex_unlock(&run->node->lock);
	return chardev_put_sized(user, request, &caps);
}

static int chardev_setup(struct lrtbf_run *run, unsigned int request, const void __user *user)
{
	struct lrtbf_setup setup;
	int r;

	r = chardev_get(&setup, sizeof(setup), sizeof(setup), request, user);
	if (r)
		return r;
	mutex_lock(&run->node->lock);
	r = lrtbf_run_setup(run, &setup);
	mutex_unlock(&run->node->lock);
	return r;
}

static int chardev_start(struct lrtbf_run *run)
{
	int r;

	mutex_lock(&run->node->lock);
	r = lrtbf_run_start(run);
	mutex_unlock(&run->node->lock);
	return r;
}

static int chardev_stop(struct lrtbf_run *run)
{
	mutex_lock(&run->node->lock);
	lrtbf_run_stop(run, LRTBF_STOP_ASKED);
	mutex_unlock(&run->node->lock);
	return 0;
}

static int chardev_counters(struct lrtbf_run *run, unsigned int request, void __user *user)
{
	struct lrtbf_counters counters;
	unsigned long flags;
	int r;

	r = chardev_get(&counters, sizeof(counters), sizeof(counters), request, user);
	if (r)
		return r;
	raw_spin_lock_irqsave(&run->raw, flags);
	counters = run->counters;
	raw_spin_unlock_irqrestore(&run->raw, flags);
	return chardev_put_sized(user, request, &counters);
}

static int chardev_wait(struct lrtbf_run *run, unsigned int request, void __user *user)
{
	struct lrtbf_wait wait;
	int r;

	r = chardev_get(&wait, sizeof(wait), sizeof(wait), request, user);
	if (r)
		return r;
	if (wait.reserved)
		return -EINVAL;
	r = lrtbf_target_wait(run, &wait);
	return r ? r : chardev_put_sized(user, request, &wait);
}

static long chardev_ioctl(struct file *file, unsigned int request, unsigned long argument)
{
	struct lrtbf_run *run = file->private_data;
	void __user *user = (void __user *)argument;

	switch (request) {
	case LRTBF_START:
		return chardev_start(run);
	case LRTBF_STOP:
		return chardev_stop(run);
	case LRTBF_ANSWER:
		return lrtbf_target_answer(run);
	default:
		break;
	}
	/* the size in the request is the caller's */
	switch (request & ~(_IOC_SIZEMASK << _IOC_SIZESHIFT)) {
	case LRTBF_CAPS & ~(_IOC_SIZEMASK << _IOC_SIZESHIFT):
		return chardev_caps(run, request, user);
	case LRTBF_SETUP & ~(_IOC_SIZEMASK << _IOC_SIZESHIFT):
		return chardev_setup(run, request, user);
	case LRTBF_COUNTERS & ~(_IOC_SIZEMASK << _IOC_SIZESHIFT):
		return chardev_counters(run, request, user);
	case LRTBF_WAIT & ~(_IOC_SIZEMASK << _IOC_SIZESHIFT):
		return chardev_wait(run, request, user);
	default:
		return -ENOTTY;
	}
}

const struct file_operations lrtbf_chardev = {
	.owner = THIS_MODULE,
	.open = chardev_open,
	.release = chardev_release,
	.read = chardev_read,
	.poll = chardev_poll,
	.unlocked_ioctl = chardev_ioctl,
	.compat_ioctl = compat_ptr_ioctl, /* all structs are the same for 32-bit callers */
};
