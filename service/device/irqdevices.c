/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Devices are known by where they are in /sys/devices, and lie in a table by that path: what hangs
 * on one is found by cutting words off the end of its own path. No link is followed for it, so a
 * captured tree is read as it was, wherever it lies.
 */
#include "irqdevices-internal.h"

#include <string.h>

static void irqdevice_free(void *data)
{
	struct irqdevice *device = data;

	g_free(device->path);
	g_array_unref(device->tags);
	g_free(device);
}

struct irqdevice *irqdevices_get(struct irqdevices *d, const char *path)
{
	struct irqdevice *device = g_hash_table_lookup(d->by_path, path);

	if (device)
		return device;
	device = g_new0(struct irqdevice, 1);
	device->path = g_strdup(path);
	device->tags = g_array_new(FALSE, FALSE, sizeof(struct rule_tag));
	g_hash_table_insert(d->by_path, device->path, device);
	return device;
}

struct irqdevice *irqdevices_above(const struct irqdevices *d, const char *path)
{
	g_autofree char *rest = g_strdup(path);
	struct irqdevice *device;
	char *slash;

	while (!(device = g_hash_table_lookup(d->by_path, rest))) {
		slash = strrchr(rest, '/');
		if (!slash)
			return NULL;
		*slash = '\0';
	}
	return device;
}

static void device_list_free(void *list)
{
	g_ptr_array_unref(list);
}

void irqdevices_add_line(struct irqdevices *d, struct irqdevice *device, unsigned irq)
{
	GPtrArray *devices = g_hash_table_lookup(d->by_irq, GUINT_TO_POINTER(irq));

	if (!devices) {
		devices = g_ptr_array_new();
		g_hash_table_insert(d->by_irq, GUINT_TO_POINTER(irq), devices);
	}
	device->lined = true;
	if (!g_ptr_array_find(devices, device, NULL))
		g_ptr_array_add(devices, device);
}

static bool tags_have(const GArray *tags, guint from, enum rule_key key, const char *value)
{
	for (guint i = from; i < tags->len; i++) {
		const struct rule_tag *tag = &g_array_index(tags, struct rule_tag, i);

		if (tag->key == key && strcmp(tag->value, value) == 0)
			return true;
	}
	return false;
}

void irqdevice_add_tag(struct irqdevices *d, struct irqdevice *device, enum rule_key key,
		       const char *value)
{
	if (tags_have(device->tags, 0, key, value))
		return;
	g_array_append_val(
		device->tags,
		((struct rule_tag){ .key = key,
				    .value = g_string_chunk_insert_const(d->strings, value) }));
}

struct irqdevices *irqdevices_read(const struct roottree *tree, const GPtrArray *lines)
{
	struct irqdevices *d = g_new0(struct irqdevices, 1);

	d->by_path = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, irqdevice_free);
	d->by_irq = g_hash_table_new_full(NULL, NULL, NULL, device_list_free);
	d->interfaces = g_ptr_array_new();
	d->strings = g_string_chunk_new(4096);
	irqsysfs_read(d, tree, lines);
	return d;
}

struct irqdevices *irqdevices_free(struct irqdevices *d)
{
	if (!d)
		return NULL;
	g_hash_table_unref(d->by_irq);
	g_hash_table_unref(d->by_path);
	g_ptr_array_unref(d->interfaces);
	g_string_chunk_free(d->strings);
	g_free(d);
	return NULL;
}

void irqdevices_add_tags(const struct irqdevices *d, unsigned irq, GStringChunk *strings,
			 GArray *tags)
{
	const GPtrArray *devices = g_hash_table_lookup(d->by_irq, GUINT_TO_POINTER(irq));
	guint from = tags->len;

	for (guint i = 0; devices && i < devices->len; i++) {
		const struct irqdevice *device = devices->pdata[i];

		for (guint k = 0; k < device->tags->len; k++) {
			struct rule_tag tag = g_array_index(device->tags, struct rule_tag, k);

			if (tags_have(tags, from, tag.key, tag.value))
				continue;
			tag.value = g_string_chunk_insert_const(strings, tag.value);
			g_array_append_val(tags, tag);
		}
	}
}

const char *irqdevices_napi_interface(const struct irqdevices *d, const char *comm,
				      const struct kthread_name *what, GStringChunk *strings)
{
	const char *name = comm + 5, *found = NULL;
	size_t size = what->interface_size;

	if (name[size]) /* its end is there */
		return g_string_chunk_insert_len(strings, name, size);
	for (guint i = 0; d && i < d->interfaces->len; i++) {
		const char *interface = d->interfaces->pdata[i];

		if (strncmp(interface, name, size) != 0)
			continue;
		if (found)
			return NULL;
		found = interface;
	}
	return found ? g_string_chunk_insert(strings, found) : NULL;
}
