/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table is read once more with everything it reads written down, so that an archive cannot lack
 * a file that the table depends on, nor be of two moments. Files of user processes are not recorded
 * by who reads them.
 */
#include "capture.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "irqtable.h"
#include "message.h"
#include "roottree.h"
#include "tar.h"

struct capture_entry {
	enum roottree_kind kind;
	GBytes *bytes;
};

static void capture_entry_free(void *data)
{
	struct capture_entry *e = data;

	g_bytes_unref(e->bytes);
	g_free(e);
}

/* What was read twice is kept as it was read first. */
static void capture_record(enum roottree_kind kind, const char *path, const void *bytes,
			   size_t size, void *userdata)
{
	GHashTable *entries = userdata;
	struct capture_entry *e;

	/* a link out of the tree would be one out of where it is unpacked */
	if (g_hash_table_contains(entries, path) ||
	    (kind == ROOTTREE_LINK && *(const char *)bytes == '/'))
		return;
	e = g_new0(struct capture_entry, 1);
	e->kind = kind;
	e->bytes = g_bytes_new(bytes, size);
	g_hash_table_insert(entries, g_strdup(path), e);
}

static gint path_compare(gconstpointer a, gconstpointer b)
{
	return strcmp(a, b);
}

static void *capture_pack(GHashTable *entries, size_t *ret_size)
{
	struct tar *tar = tar_new(g_get_real_time() / G_USEC_PER_SEC);
	GList *paths = g_list_sort(g_hash_table_get_keys(entries), path_compare);
	void *archive;

	for (GList *p = paths; p; p = p->next) {
		const struct capture_entry *e = g_hash_table_lookup(entries, p->data);
		gsize size;
		const char *bytes = g_bytes_get_data(e->bytes, &size);
		g_autofree char *target = NULL;

		switch (e->kind) {
		case ROOTTREE_FILE:
			tar_add_file(tar, p->data, bytes, size);
			break;
		case ROOTTREE_LINK:
			target = g_strndup(bytes, size);
			tar_add_link(tar, p->data, target);
			break;
		case ROOTTREE_FOLDER:
			tar_add_folder(tar, p->data);
			break;
		}
	}
	g_list_free(paths);
	archive = tar_finish(tar, ret_size);
	tar_free(tar);
	return archive;
}

int capture_table(const char *root, void **ret_bytes, size_t *ret_size, char **ret_message)
{
	g_autoptr(GHashTable) entries =
		g_hash_table_new_full(g_str_hash, g_str_equal, g_free, capture_entry_free);
	struct irq_table *table = NULL;
	struct roottree tree;
	int r = roottree_open(root, &tree);

	if (r == 0) {
		tree.record = capture_record;
		tree.userdata = entries;
		r = irqtable_read_tree(&tree, irqtable_check_own(root, NULL) == 0, &table);
		roottree_close(&tree);
	}
	if (r < 0)
		return message_fail(ret_message, r,
				    "The table of interrupts in %s cannot be captured: %s.", root,
				    r == -EBADMSG ? "/proc/interrupts is none" : g_strerror(-r));
	irqtable_free(table);
	*ret_bytes = capture_pack(entries, ret_size);
	return 0;
}
