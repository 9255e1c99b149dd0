/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The store's insides, for store.c (life, writes) and read.c (reads). */
#include "worker.h"

#include "store.h"

struct store {
	/* fixed */
	char *path;		 /* of the database file */
	sd_event_source *source; /* NULL: no event loop */
	int wake_fd;
	store_news_t news;
	void *userdata;
	struct worker *worker;
	sqlite3 *reader; /* the event loop's thread alone */
	/* changes; the event loop's thread alone */
	int64_t next_row;
	char *told; /* trouble that was told last; NULL: told that all is well */
	char *lent; /* what store_trouble() returned */
};

/* What waits for @id over what the database has. */
void store_overlay(struct store *s, const char *id, struct overlay *ret);
/* The same for every session that has something waiting: id -> struct overlay. */
GHashTable *store_overlays(struct store *s);
