/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Devices that come, go, are renamed, bound or unbound: told of without saying which, since whoever
 * hears of it looks at all lines, or ports. Owned by threadwatch.c and ports.c, event loop's thread
 * only; each has its own, because each wants to sleep through what only the other cares for.
 *
 * From udevd where it runs (its events come once names and nodes are final), else from the kernel.
 * Only subsystems that interrupts belong to, or that rules know devices by; no "change", which
 * batteries and disks send all the time and which moves no interrupt. CPUs that go offline or come
 * online are told apart, since the kernel moves what was bound to them.
 */
#include <systemd/sd-event.h>

struct uevents;

enum uevents_what {
	UEVENTS_DEVICE, /* or events were lost */
	UEVENTS_CPU,
};

/* Once for each such event. */
typedef void (*uevents_news_t)(enum uevents_what what, void *userdata);

enum uevents_of {
	UEVENTS_INTERRUPTS, /* whatever has an interrupt, or is a name of rules */
	UEVENTS_PORTS,	    /* parallel ports and what may have them; ours among the misc devices */
};

/* -errno: devices cannot be followed here. */
int uevents_new(sd_event *event, enum uevents_of of, uevents_news_t news, void *userdata,
		struct uevents **ret);
struct uevents *uevents_free(struct uevents *u);
