/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Devices that come, go, are renamed, bound or unbound: told of without saying which, since whoever
 * hears of it looks at all lines. Owned by threadwatch.c, event loop's thread only.
 *
 * From udevd where it runs (its events come once names and nodes are final), else from the kernel.
 * Only subsystems that interrupts belong to, or that rules know devices by; no "change", which
 * batteries and disks send all the time and which moves no interrupt.
 */
#include <systemd/sd-event.h>

struct uevents;

/* Once for each such event, and when events were lost. */
typedef void (*uevents_news_t)(void *userdata);

/* -errno: devices cannot be followed here. */
int uevents_new(sd_event *event, uevents_news_t news, void *userdata, struct uevents **ret);
struct uevents *uevents_free(struct uevents *u);
