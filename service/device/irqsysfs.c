/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * First the devices that have lines, then what hangs on them: a line may be its device's only by
 * way of a child (a virtio network card's interrupts are its PCI parent's). A PCI device without
 * lines ends the way up: what is below it is not its bridge's business.
 *
 * An interface may have been renamed, and another one may have got its name, since the action was
 * called after it: actions are looked at only where no device says whose the line is.
 */
#include "irqdevices-internal.h"

#include <stdlib.h>
#include <string.h>

#include "cleanup.h"

#define PATH_SIZE 2048

struct sysentry { /* a device as a bus or class lists it */
	char *group, *name, *path;
	bool is_class;
};

struct sysreader {
	struct irqdevices *d;
	struct rootdir sys, proc_parport;
	GHashTable *actions; /* action -> GArray of the numbers of lines that have it */
	GPtrArray *entries;  /* of struct sysentry */
};

static void sysentry_free(void *data)
{
	struct sysentry *e = data;

	g_free(e->group);
	g_free(e->name);
	g_free(e->path);
	g_free(e);
}

/* Where @target, a link in folder @dir, points below /sys; NULL: out of it. */
static char *path_resolve(const char *dir, const char *target)
{
	g_autoptr(GString) path = g_string_new(dir);

	while (g_str_has_prefix(target, "../")) {
		const char *slash = strrchr(path->str, '/');

		if (path->len == 0)
			return NULL;
		g_string_truncate(path, slash ? (gsize)(slash - path->str) : 0);
		target += 3;
	}
	if (*target == '/' || strstr(target, "../"))
		return NULL;
	if (path->len > 0)
		g_string_append_c(path, '/');
	g_string_append(path, target);
	return g_string_free(g_steal_pointer(&path), FALSE);
}

/* What a folder in /sys/bus or /sys/class lists; nearly all are links. */
static void reader_list(struct sysreader *r, const char *group, const char *folder, bool is_class)
{
	g_autoptr(GPtrArray) names = rootdir_list(&r->sys, folder);

	for (guint i = 0; i < names->len; i++) {
		g_autofree char *entry = g_build_filename(folder, names->pdata[i], NULL);
		char target[PATH_SIZE];
		struct sysentry *e;
		char *path;

		if (!rootdir_readlink(&r->sys, entry, target, sizeof(target)))
			continue;
		path = path_resolve(folder, target);
		if (!path)
			continue;
		e = g_new0(struct sysentry, 1);
		e->group = g_strdup(group);
		e->name = g_strdup(names->pdata[i]);
		e->path = path;
		e->is_class = is_class;
		g_ptr_array_add(r->entries, e);
	}
}

static void reader_list_all(struct sysreader *r)
{
	/* thousands on a big machine, and never a device with an interrupt */
	static const char *const no_devices[] = { "clockevents", "clocksource",	 "container",
						  "cpu",	 "event_source", "memory",
						  "node",	 "workqueue",	 NULL };
	g_autoptr(GPtrArray) buses = rootdir_list(&r->sys, "bus");
	g_autoptr(GPtrArray) classes = rootdir_list(&r->sys, "class");

	for (guint i = 0; i < buses->len; i++) {
		g_autofree char *folder = NULL;

		if (g_strv_contains(no_devices, buses->pdata[i]))
			continue;
		folder = g_build_filename("bus", buses->pdata[i], "devices", NULL);
		reader_list(r, buses->pdata[i], folder, false);
	}
	for (guint i = 0; i < classes->len; i++) {
		g_autofree char *folder = g_build_filename("class", classes->pdata[i], NULL);

		reader_list(r, classes->pdata[i], folder, true);
	}
}

/* The driver bound to the device at @path; NULL: none. */
static char *reader_driver(const struct sysreader *r, const char *path)
{
	g_autofree char *link = g_build_filename(path, "driver", NULL);
	char target[PATH_SIZE];

	if (!rootdir_readlink(&r->sys, link, target, sizeof(target)))
		return NULL;
	return g_path_get_basename(target);
}

static bool number_parse(const char *text, unsigned *ret)
{
	guint64 value;

	if (!g_ascii_string_to_unsigned(text, 10, 0, G_MAXINT, &value, NULL))
		return false;
	*ret = value;
	return true;
}

static bool reader_number(const struct sysreader *r, const char *path, const char *file,
			  unsigned *ret)
{
	g_autofree char *name = g_build_filename(path, file, NULL);
	char text[32];

	return rootdir_line(&r->sys, name, text, sizeof(text)) > 0 && number_parse(text, ret);
}

/* Message interrupts; false: it has none. */
static bool reader_msi(struct sysreader *r, const struct sysentry *e)
{
	g_autofree char *folder = g_build_filename(e->path, "msi_irqs", NULL);
	g_autoptr(GArray) numbers = rootdir_numbers(&r->sys, folder);

	for (guint i = 0; i < numbers->len; i++) {
		unsigned irq = g_array_index(numbers, unsigned, i);
		g_autofree char *file = g_strdup_printf("%s/%u", folder, irq);

		irqdevices_add_line(r->d, irqdevices_get(r->d, e->path), irq);
		rootdir_note(&r->sys, ROOTTREE_FILE, file, "msi\n", 4);
	}
	return numbers->len > 0;
}

/* Its irq file names a line while it uses messages, too, and when nobody drives it. */
static void reader_pci(struct sysreader *r, const struct sysentry *e)
{
	struct irqdevice *device = irqdevices_get(r->d, e->path);
	g_autofree char *driver = NULL;
	unsigned irq;

	irqdevice_add_tag(r->d, device, RULE_PCI, e->name);
	if (reader_msi(r, e))
		return;
	driver = reader_driver(r, e->path);
	if (driver && reader_number(r, e->path, "irq", &irq) && irq > 0)
		irqdevices_add_line(r->d, device, irq);
}

/* Lines "irq 4" of the device's resources. */
static void reader_pnp(struct sysreader *r, const struct sysentry *e)
{
	g_autofree char *driver = reader_driver(r, e->path);
	g_autofree char *file = g_build_filename(e->path, "resources", NULL);
	g_auto(GStrv) lines = NULL;
	char text[4096];
	unsigned irq;

	if (!driver || rootdir_line(&r->sys, file, text, sizeof(text)) <= 0)
		return;
	lines = g_strsplit(text, "\n", -1);
	for (char **l = lines; *l; l++)
		if (g_str_has_prefix(*l, "irq ") && number_parse(*l + 4, &irq))
			irqdevices_add_line(r->d, irqdevices_get(r->d, e->path), irq);
}

static void reader_named(struct sysreader *r, const struct sysentry *e)
{
	const GArray *numbers = g_hash_table_lookup(r->actions, e->name);

	for (guint i = 0; numbers && i < numbers->len; i++)
		irqdevices_add_line(r->d, irqdevices_get(r->d, e->path),
				    g_array_index(numbers, unsigned, i));
}

static void reader_bus_device(struct sysreader *r, const struct sysentry *e)
{
	static const char *const with_messages[] = { "platform", "amba", "fsl-mc", NULL };

	if (strcmp(e->group, "pci") == 0) {
		reader_pci(r, e);
		return;
	}
	if (strcmp(e->group, "pnp") == 0)
		reader_pnp(r, e);
	if (g_strv_contains(with_messages, e->group))
		(void)reader_msi(r, e); /* none is as good */
	reader_named(r, e);
}

/* The first driver from @path upwards. */
static void reader_add_driver_above(struct sysreader *r, struct irqdevice *device, const char *path)
{
	g_autofree char *rest = g_strdup(path);
	char *slash;

	while ((slash = strrchr(rest, '/'))) {
		g_autofree char *driver = reader_driver(r, rest);

		if (driver) {
			irqdevice_add_tag(r->d, device, RULE_DRIVER, driver);
			return;
		}
		*slash = '\0';
	}
}

/* A serial port says its line, and of an unused one what it would be: its type is then 0. */
static void reader_tty(struct sysreader *r, const struct sysentry *e)
{
	struct irqdevice *device;
	unsigned irq, type;

	if (!reader_number(r, e->path, "irq", &irq) || irq == 0)
		return;
	if (reader_number(r, e->path, "type", &type) && type == 0)
		return;
	device = irqdevices_get(r->d, e->path);
	irqdevices_add_line(r->d, device, irq);
	reader_add_driver_above(r, device, e->path);
}

/* An interface that hangs on no device with a line, and has an action's name. */
static void reader_lone_interface(struct sysreader *r, const struct sysentry *e)
{
	const GArray *numbers = g_hash_table_lookup(r->actions, e->name);
	struct irqdevice *device;

	if (!numbers || irqdevices_above(r->d, e->path))
		return;
	device = irqdevices_get(r->d, e->path);
	reader_add_driver_above(r, device, e->path);
	for (guint i = 0; i < numbers->len; i++) {
		unsigned irq = g_array_index(numbers, unsigned, i);

		if (!g_hash_table_contains(r->d->by_irq, GUINT_TO_POINTER(irq)))
			irqdevices_add_line(r->d, device, irq);
	}
}

static bool path_is_virtual(const char *path)
{
	return g_str_has_prefix(path, "devices/virtual/");
}

static void reader_find_lines(struct sysreader *r)
{
	for (guint i = 0; i < r->entries->len; i++) {
		const struct sysentry *e = r->entries->pdata[i];

		if (!e->is_class)
			reader_bus_device(r, e);
		else if (strcmp(e->group, "tty") == 0 && !path_is_virtual(e->path))
			reader_tty(r, e);
	}
	for (guint i = 0; i < r->entries->len; i++) {
		const struct sysentry *e = r->entries->pdata[i];

		if (e->is_class && strcmp(e->group, "net") == 0 && !path_is_virtual(e->path))
			reader_lone_interface(r, e);
	}
}

static void reader_hang(struct sysreader *r, const struct sysentry *e)
{
	bool net = e->is_class && strcmp(e->group, "net") == 0;
	struct irqdevice *device;

	if (net)
		g_ptr_array_add(r->d->interfaces, g_string_chunk_insert(r->d->strings, e->name));
	if (path_is_virtual(e->path))
		return;
	device = irqdevices_above(r->d, e->path);
	if (!device || !device->lined)
		return;
	irqdevice_add_tag(r->d, device, RULE_SUBSYSTEM, e->group);
	if (net)
		irqdevice_add_tag(r->d, device, RULE_INTERFACE, e->name);
	if (!e->is_class) {
		g_autofree char *driver = reader_driver(r, e->path);

		if (driver)
			irqdevice_add_tag(r->d, device, RULE_DRIVER, driver);
	}
}

/* It is no device of sysfs' on every kernel: its settings say the line, "7" or "none". */
static void reader_parports(struct sysreader *r)
{
	g_autoptr(GPtrArray) names = rootdir_list(&r->proc_parport, ".");

	for (guint i = 0; i < names->len; i++) {
		g_autofree char *file = g_build_filename(names->pdata[i], "irq", NULL);
		g_autofree char *path = g_build_filename("parport", names->pdata[i], NULL);
		struct irqdevice *device;
		char text[32];
		unsigned irq;

		if (rootdir_line(&r->proc_parport, file, text, sizeof(text)) <= 0 ||
		    !number_parse(text, &irq))
			continue;
		device = irqdevices_get(r->d, path);
		irqdevice_add_tag(r->d, device, RULE_PARPORT, names->pdata[i]);
		irqdevice_add_tag(r->d, device, RULE_SUBSYSTEM, "parport");
		irqdevices_add_line(r->d, device, irq);
	}
}

static GHashTable *lines_by_action(const GPtrArray *lines)
{
	GHashTable *actions =
		g_hash_table_new_full(g_str_hash, g_str_equal, NULL, (GDestroyNotify)g_array_unref);

	for (guint i = 0; i < lines->len; i++) {
		const struct irq_line *l = lines->pdata[i];

		for (char **a = l->actions; *a; a++) {
			GArray *numbers = g_hash_table_lookup(actions, *a);

			if (!numbers) {
				numbers = g_array_new(FALSE, FALSE, sizeof(unsigned));
				g_hash_table_insert(actions, *a, numbers);
			}
			g_array_append_val(numbers, l->irq);
		}
	}
	return actions;
}

void irqsysfs_read(struct irqdevices *d, const struct roottree *tree, const GPtrArray *lines)
{
	struct sysreader r = { .d = d };

	rootdir_open(tree, "sys", &r.sys);
	rootdir_open(tree, "proc/sys/dev/parport", &r.proc_parport);
	r.entries = g_ptr_array_new_with_free_func(sysentry_free);
	reader_list_all(&r);
	reader_parports(&r);
	if (r.entries->len > 0) {
		r.actions = lines_by_action(lines);
		reader_find_lines(&r);
		g_hash_table_unref(r.actions);
	}
	for (guint i = 0; i < r.entries->len; i++)
		reader_hang(&r, r.entries->pdata[i]);
	g_ptr_array_unref(r.entries);
	rootdir_close(&r.sys);
	rootdir_close(&r.proc_parport);
}
