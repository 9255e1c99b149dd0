/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The subsystems are a filter in the kernel when the events come from udevd, and in libudev when
 * they come from the kernel. The queue is enlarged because a bus that is scanned sends thousands of
 * events at once; one that runs over all the same (ENOBUFS) is news by itself, and not the end.
 */
#include "uevents.h"

#include <errno.h>
#include <glib.h>
#include <libudev.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#define UEVENTS_QUEUE (4 * 1024 * 1024) /* bytes */
#define UEVENTS_BATCH 64		/* events before the event loop gets its turn */

static const char *const uevents_interrupts[] = {
	"ac97_bus", "acpi", "amba",	"auxiliary",   "bcma", "block",	   "cpu",    "gpio",
	"hid",	    "i2c",  "ieee1394", "mdio",	       "mmc",  "mmc_host", "net",    "nvme",
	"parport",  "pci",  "pcmcia",	"platform",    "pnp",  "rtc",	   "scsi",   "sdio",
	"serio",    "spi",  "ssb",	"thunderbolt", "tty",  "usb",	   "virtio", NULL,
};
static const char *const uevents_ports[] = { "misc", "parport", "ppdev", "printer", NULL };
static const char *const *const uevents_subsystems[] = {
	[UEVENTS_INTERRUPTS] = uevents_interrupts,
	[UEVENTS_PORTS] = uevents_ports,
};
static const char *const uevents_actions[] = { "add", "remove", "move", "bind", "unbind", NULL };
static const char *const uevents_cpu_actions[] = { "online", "offline", NULL };

struct uevents {
	uevents_news_t news;
	void *userdata;
	struct udev *udev;
	struct udev_monitor *monitor;
	sd_event_source *io;
};

static bool uevents_is_cpu(struct udev_device *d)
{
	const char *subsystem = udev_device_get_subsystem(d);

	return subsystem && strcmp(subsystem, "cpu") == 0;
}

static void uevents_tell(const struct uevents *u, struct udev_device *d)
{
	const char *action = udev_device_get_action(d);
	bool cpu = uevents_is_cpu(d);

	if (action && g_strv_contains(cpu ? uevents_cpu_actions : uevents_actions, action))
		u->news(cpu ? UEVENTS_CPU : UEVENTS_DEVICE, u->userdata);
}

/* 1: one event is done; 0: no more now; -errno: the monitor is of no use any more. */
static int uevents_receive(struct uevents *u)
{
	struct udev_device *d;

	errno = 0;
	d = udev_monitor_receive_device(u->monitor);
	if (!d && errno == ENOBUFS) {
		u->news(UEVENTS_DEVICE, u->userdata);
		return 1;
	}
	if (!d)
		return errno == EBADF || errno == ENOTSOCK ? -errno : 0;
	uevents_tell(u, d);
	udev_device_unref(d);
	return 1;
}

static int on_uevents(sd_event_source *s, int fd, uint32_t revents, void *userdata)
{
	int r = 1;

	for (int i = 0; i < UEVENTS_BATCH && r > 0; i++)
		r = uevents_receive(userdata);
	return r < 0 ? r : 0;
}

static int uevents_listen(struct uevents *u, enum uevents_of of, const char *from)
{
	int r = 0;

	u->monitor = udev_monitor_new_from_netlink(u->udev, from);
	if (!u->monitor)
		return errno ? -errno : -ENOMEM;
	for (const char *const *s = uevents_subsystems[of]; *s && r >= 0; s++)
		r = udev_monitor_filter_add_match_subsystem_devtype(u->monitor, *s, NULL);
	/* needs CAP_NET_ADMIN; without it the queue is as small as it is */
	(void)udev_monitor_set_receive_buffer_size(u->monitor, UEVENTS_QUEUE);
	return r < 0 ? r : udev_monitor_enable_receiving(u->monitor);
}

int uevents_new(sd_event *event, enum uevents_of of, uevents_news_t news, void *userdata,
		struct uevents **ret)
{
	struct uevents *u = g_new0(struct uevents, 1);
	int r;

	u->news = news;
	u->userdata = userdata;
	u->udev = udev_new();
	r = u->udev ? 0 : -ENOMEM;
	if (r >= 0)
		r = uevents_listen(u, of,
				   access("/run/udev/control", F_OK) == 0 ? "udev" : "kernel");
	if (r >= 0)
		r = sd_event_add_io(event, &u->io, udev_monitor_get_fd(u->monitor), EPOLLIN,
				    on_uevents, u);
	if (r < 0) {
		uevents_free(u);
		return r;
	}
	*ret = u;
	return 0;
}

struct uevents *uevents_free(struct uevents *u)
{
	if (!u)
		return NULL;
	sd_event_source_disable_unref(u->io);
	udev_monitor_unref(u->monitor);
	udev_unref(u->udev);
	g_free(u);
	return NULL;
}
