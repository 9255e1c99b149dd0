/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * A scratch folder taken away beside the event loop, for a load may have left a million files in
 * it. Owned by a nanny; event loop's thread.
 */
#include <systemd/sd-event.h>

struct broom;

/* Called once, from the event loop. @r: as scratch_remove(). The broom may be freed in it. */
typedef void (*broom_done_t)(int r, void *userdata);

/* Remove folder @name of @dir. -errno: nothing was begun. */
int broom_start(sd_event *event, const char *dir, const char *name, broom_done_t done,
		void *userdata, struct broom **ret);
/* Not told any more; the removal goes on, as long as the process lives. Returns NULL. */
struct broom *broom_free(struct broom *b);
