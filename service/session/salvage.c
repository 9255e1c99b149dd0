/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why this is not left to the next start: there may be none before the machine goes down, and the
 * regions are in memory. After a clean stop there are no regions, and not even the database is
 * opened.
 */
#include "salvage.h"

#include "clock.h"
#include "recover.h"
#include "regionfile.h"
#include "store.h"

#define SALVAGE_FLUSH_NS (10 * NSEC_PER_SEC)

bool salvage_needed(const struct salvage_place *p)
{
	g_autoptr(GPtrArray) files = regionfile_list(p->runtime_dir, regionfile_tag(p->state_dir));

	return files->len > 0;
}

static int salvage_into(const struct salvage_place *p, struct store *store, unsigned *ret_regions,
			char **ret_message)
{
	const struct session_place place = {
		.store = store,
		.measure_path = p->measure_path ?: "",
		.runtime_dir = p->runtime_dir,
		.root = "/",
		.tag = regionfile_tag(p->state_dir),
	};
	g_autoptr(GPtrArray) queued = NULL;
	g_autoptr(GPtrArray) regions = NULL;
	int r;

	r = recover(&place, &queued, &regions, ret_message);
	if (r == 0)
		r = store_flush(store, SALVAGE_FLUSH_NS, ret_message);
	if (r < 0)
		return r;
	for (guint i = 0; i < regions->len; i++)
		(void)unlink(regions->pdata[i]); /* tried again at the next start */
	*ret_regions = regions->len;
	return 0;
}

int salvage(const struct salvage_place *p, unsigned *ret_regions, char **ret_message)
{
	struct store *store = NULL;
	int r;

	r = store_open(p->state_dir, NULL, NULL, NULL, &store, ret_message);
	if (r < 0)
		return r;
	r = salvage_into(p, store, ret_regions, ret_message);
	store_close(store);
	return r;
}
