/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why every refusal is asked about before it becomes a sentence: the module can only say a number,
 * and whoever measures wants to know whether to load a module, to stop lp or to buy another card.
 *
 * Why reading never blocks: the thread that reads must see its end and the module's counters even
 * when nothing comes. It waits with a time in ppoll(), which a signal ends too.
 */
#include "lrtbfdev.h"

#include "cleanup.h"
#include "message.h"
#include "now.h"
#include "policy.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>

G_STATIC_ASSERT((int)REGION_STOP_ASKED == LRTBF_STOP_ASKED);
G_STATIC_ASSERT((int)REGION_STOP_COUNT == LRTBF_STOP_COUNT);
G_STATIC_ASSERT((int)REGION_STOP_LOSSES == LRTBF_STOP_LOSSES);
G_STATIC_ASSERT((int)REGION_STOP_DETACHED == LRTBF_STOP_DETACHED);
G_STATIC_ASSERT((int)REGION_STOP_STORM == LRTBF_STOP_STORM);
G_STATIC_ASSERT((int)REGION_STOP_SUSPEND == LRTBF_STOP_SUSPEND);
G_STATIC_ASSERT((int)REGION_CONTEXT_HARDIRQ == LRTBF_CONTEXT_HARDIRQ);
G_STATIC_ASSERT((int)REGION_CONTEXT_THREAD == LRTBF_CONTEXT_THREAD);

static const uint32_t lrtbfdev_roles[_ROLE_MAX] = {
	[ROLE_LOOPBACK] = LRTBF_ROLE_LOOPBACK,	   [ROLE_LOGGER] = LRTBF_ROLE_LOGGER,
	[ROLE_TARGET] = LRTBF_ROLE_TARGET,	   [ROLE_IRQ] = LRTBF_ROLE_TIMER_IRQ,
	[ROLE_KTHREAD] = LRTBF_ROLE_TIMER_KTHREAD,
};

static const uint32_t lrtbfdev_answers[_ROLE_ANSWER_MAX] = {
	[ROLE_ANSWER_HANDLER] = LRTBF_ANSWER_HANDLER,
	[ROLE_ANSWER_KTHREAD] = LRTBF_ANSWER_KTHREAD,
	[ROLE_ANSWER_USER] = LRTBF_ANSWER_USER,
};

static const uint32_t lrtbfdev_receives[_ROLE_RECEIVE_MAX] = {
	[ROLE_RECEIVE_POLL] = LRTBF_RECEIVE_POLL,
	[ROLE_RECEIVE_IRQ] = LRTBF_RECEIVE_IRQ,
};

static const uint32_t lrtbfdev_flags[_ROLE_PULSE_MAX] = {
	[ROLE_PULSE_STROBE] = LRTBF_SETUP_STROBE,
	[ROLE_PULSE_VIRTUAL] = LRTBF_SETUP_VIRTUAL,
};

/* --- open --- */

static char *lrtbfdev_path(const struct lrtbfdev *d, const char *port)
{
	return g_strdup_printf("%s/lrtbf%s%s", d->dir, *port ? "-" : "", port);
}

/* "parport0, parport1": ports that the module has; "" for none. g_free(). */
static char *lrtbfdev_ports(const struct lrtbfdev *d)
{
	g_autoptr(GDir) dir = g_dir_open(d->dir, 0, NULL);
	GString *ports = g_string_new(NULL);
	const char *name;

	while (dir && (name = g_dir_read_name(dir)))
		if (g_str_has_prefix(name, "lrtbf-") && role_port_valid(name + strlen("lrtbf-")))
			g_string_append_printf(ports, "%s%s", ports->len ? ", " : "",
					       name + strlen("lrtbf-"));
	return g_string_free(ports, FALSE);
}

static int lrtbfdev_absent(const struct lrtbfdev *d, char **ret_message)
{
	g_autofree char *module = lrtbfdev_path(d, ""), *ports = lrtbfdev_ports(d);

	if (access(module, F_OK) < 0)
		return message_fail(ret_message, -ENODEV,
				    "The kernel module lrtbf is not loaded (there is no %s): "
				    "modprobe lrtbf.",
				    module);
	if (*ports)
		return message_fail(ret_message, -ENODEV, "There is no port %s; there are: %s.",
				    d->order->port, ports);
	return message_fail(ret_message, -ENODEV,
			    "There is no port %s and no other: modprobe parport_pc, or see whether "
			    "the firmware has the port switched off.",
			    d->order->port);
}

static int lrtbfdev_open_refused(const struct lrtbfdev *d, int error, char **ret_message)
{
	g_autofree char *path = lrtbfdev_path(d, d->order->port);

	switch (error) {
	case ENOENT:
	case ENODEV:
	case ENXIO:
		return lrtbfdev_absent(d, ret_message);
	case EBUSY:
		return message_fail(ret_message, -EBUSY, "%s is in use by another measurement.",
				    path);
	case EACCES:
	case EPERM:
		return message_fail(ret_message, -EPERM,
				    "%s may not be opened: run as root, or give the daemon's unit "
				    "access to it (DeviceAllow=char-misc).",
				    path);
	default:
		return message_fail(ret_message, -EIO, "%s cannot be opened: %s.", path,
				    g_strerror(error));
	}
}

static int lrtbfdev_ask_caps(struct lrtbfdev *d, char **ret_message)
{
	struct lrtbf_caps caps = { .size = sizeof(caps) };

	if (ioctl(d->fd, LRTBF_CAPS, &caps) < 0)
		return message_fail(ret_message, -ENODEV,
				    "The kernel module does not say what it can do: %s. Is "
				    "another module's device in its place?",
				    g_strerror(errno));
	if (caps.abi != LRTBF_ABI)
		return message_fail(ret_message, -ENODEV,
				    "The kernel module speaks version %u of its interface, "
				    "lrtbf-measure version %d: install both from one release.",
				    caps.abi, LRTBF_ABI);
	caps.port[sizeof(caps.port) - 1] = '\0';
	d->caps = caps;
	return 0;
}

static int lrtbfdev_check_role(const struct lrtbfdev *d, char **ret_message)
{
	const struct order *o = d->order;

	if (d->caps.roles >> lrtbfdev_roles[o->role] & 1)
		return 0;
	if (role_of_port(o->role) && d->caps.irq < 0)
		return message_fail(ret_message, -ENODEV,
				    "Port %s has no interrupt, and the role %s needs one; a logger "
				    "that polls does not.",
				    o->port, role_to_string(o->role));
	return message_fail(ret_message, -ENODEV, "This device cannot have the role %s.",
			    role_to_string(o->role));
}

static int lrtbfdev_set_up(struct lrtbfdev *d, char **ret_message)
{
	const struct order *o = d->order;
	struct lrtbf_setup setup = {
		.size = sizeof(setup),
		.role = lrtbfdev_roles[o->role],
		.answer = lrtbfdev_answers[o->answer],
		.receive = lrtbfdev_receives[o->receive],
		.period_ns = o->interval_ns,
		.timeout_ns = o->timeout_ns,
		.priority = o->priority,
		.cpu = d->cpu,
		.flags = lrtbfdev_flags[o->pulse],
	};

	if (ioctl(d->fd, LRTBF_SETUP, &setup) == 0)
		return 0;
	return message_fail(ret_message, -EIO, "The kernel module refuses the role %s so: %s.",
			    role_to_string(o->role), g_strerror(errno));
}

int lrtbfdev_open(struct lrtbfdev *d, const char *dir, const struct order *o, int cpu,
		  char **ret_message)
{
	g_autofree char *path = NULL;
	int r;

	*d = (struct lrtbfdev){ .fd = -1, .dir = dir, .order = o, .cpu = cpu };
	path = lrtbfdev_path(d, o->port);
	d->fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (d->fd < 0)
		return lrtbfdev_open_refused(d, errno, ret_message);
	r = lrtbfdev_ask_caps(d, ret_message);
	if (r == 0)
		r = lrtbfdev_check_role(d, ret_message);
	if (r == 0)
		r = lrtbfdev_set_up(d, ret_message);
	if (r < 0)
		lrtbfdev_close(d);
	return r;
}

void lrtbfdev_close(struct lrtbfdev *d)
{
	if (d->fd >= 0)
		(void)close(d->fd); /* nothing was written */
	d->fd = -1;
}

/* --- start and stop --- */

/* Who has the port, if that can be read: "lp". g_free(). */
static char *lrtbfdev_holder(const struct lrtbfdev *d)
{
	g_autofree char *path =
		g_strdup_printf("/proc/sys/dev/parport/%s/devices/active", d->order->port);
	char *text = NULL;

	if (!g_file_get_contents(path, &text, NULL, NULL))
		return g_strdup("none");
	return g_strstrip(text);
}

static int lrtbfdev_start_refused(const struct lrtbfdev *d, int error, char **ret_message)
{
	const char *port = *d->order->port ? d->order->port : "timer";
	g_autofree char *holder = NULL;

	switch (error) {
	case EBUSY:
		holder = lrtbfdev_holder(d);
		if (strcmp(holder, "none") == 0)
			return message_fail(ret_message, -EBUSY,
					    "Port %s is held by another driver for itself: see "
					    "/proc/sys/dev/parport/%s/devices.",
					    port, port);
		return message_fail(ret_message, -EBUSY,
				    "Port %s is held by %s: end what uses it, or unload it.", port,
				    holder);
	case ENXIO:
		if (d->caps.irq < 0 && *d->order->port)
			return message_fail(ret_message, -ENODEV,
					    "Port %s has no interrupt, and %s needs one.", port,
					    role_to_string(d->order->role));
		return message_fail(ret_message, -ENODEV, "CPU %d is not online.", d->cpu);
	case ENODEV:
		return message_fail(ret_message, -ENODEV, "Port %s is gone.", port);
	case EOPNOTSUPP:
		return message_fail(ret_message, -ENODEV,
				    "Port %s is one behind USB, which answers too slowly to be "
				    "measured: it needs a port on the board or on a card.",
				    port);
	case EAGAIN:
		return message_fail(ret_message, -EBUSY, "The machine is going to sleep.");
	default:
		return message_fail(ret_message, -EIO, "The kernel module cannot start: %s.",
				    g_strerror(error));
	}
}

int lrtbfdev_start(struct lrtbfdev *d, char **ret_message)
{
	if (ioctl(d->fd, LRTBF_START) < 0)
		return lrtbfdev_start_refused(d, errno, ret_message);
	return 0;
}

void lrtbfdev_stop(struct lrtbfdev *d)
{
	(void)ioctl(d->fd, LRTBF_STOP); /* fails for other devices only */
}

/* --- while it runs --- */

void lrtbfdev_wait(const struct lrtbfdev *d, uint64_t until_ns)
{
	struct pollfd p = { .fd = d->fd, .events = POLLIN };
	uint64_t now = now_ns();
	struct timespec t = now_timespec(until_ns > now ? until_ns - now : 0);

	(void)ppoll(&p, 1, &t, NULL); /* whatever it was, the caller looks */
}

size_t lrtbfdev_read(struct lrtbfdev *d, struct lrtbf_record *records, size_t n)
{
	ssize_t size = read(d->fd, records, n * sizeof(*records));

	return size > 0 ? (size_t)size / sizeof(*records) : 0;
}

bool lrtbfdev_counters(struct lrtbfdev *d, struct lrtbf_counters *ret)
{
	struct lrtbf_counters c = { .size = sizeof(c) };

	if (ioctl(d->fd, LRTBF_COUNTERS, &c) < 0)
		return false;
	*ret = c;
	return true;
}

int lrtbfdev_answer(struct lrtbfdev *d, uint64_t timeout_ns)
{
	struct lrtbf_wait wait = { .size = sizeof(wait), .timeout_ns = timeout_ns };

	if (ioctl(d->fd, LRTBF_WAIT, &wait) < 0 || ioctl(d->fd, LRTBF_ANSWER) < 0)
		return -errno;
	return 0;
}

/* --- facts --- */

static void lrtbfdev_thread(const struct region_port *before, int32_t tid, uint32_t priority,
			    struct region_port *ret)
{
	g_autofree char *path = g_strdup_printf("/proc/%d/comm", tid), *name = NULL;
	struct policy_state s;

	ret->tid = tid;
	ret->priority = (int32_t)priority;
	if (before->tid == tid && before->priority == ret->priority) {
		ret->policy = before->policy;
		g_strlcpy(ret->name, before->name, sizeof(ret->name));
		return;
	}
	ret->policy = priority > 0 ? SCHED_FIFO : SCHED_OTHER;
	if (g_file_get_contents(path, &name, NULL, NULL))
		g_strlcpy(ret->name, g_strstrip(name), sizeof(ret->name));
	/* as it was when it took the time; the policy is not told, and may be rr */
	if (policy_read(tid, &s) == 0 && s.priority == priority)
		ret->policy = s.policy;
}

void lrtbfdev_facts(struct lrtbfdev *d, const struct lrtbf_counters *c, struct region_port *ret)
{
	const struct region_port before = *ret;

	*ret = (struct region_port){
		.known = 1,
		.role = d->order->role,
		.answer = d->order->answer,
		.receive = d->order->receive,
		.context = c->context & (REGION_CONTEXT_HARDIRQ | REGION_CONTEXT_THREAD),
		/* of a newer module: not to be told as another reason */
		.stop = c->stop < _REGION_STOP_MAX ? c->stop : REGION_STOP_NONE,
		.irq = d->caps.irq,
		.resolution_ns = c->resolution_ns,
		.timeout_ns = d->order->timeout_ns,
		.pulses = c->pulses,
		.answers = c->answers,
		.samples = c->samples,
		.lost = c->lost,
		.late = c->late,
		.discarded = c->discarded,
		.strays = c->strays,
		.interrupts = c->interrupts,
		.missed = c->missed,
		.lost_records = c->lost_records,
		.off_ns = c->off_ns,
		.off_max_ns = c->off_max_ns,
	};
	g_strlcpy(ret->port, d->order->port, sizeof(ret->port));
	if (c->thread > 0)
		lrtbfdev_thread(&before, c->thread, c->priority, ret);
}
