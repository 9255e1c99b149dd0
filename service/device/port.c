/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Nothing of an event is used to know a port by: everything is read from where the kernel has it,
 * so an event that is lost, empty or early does no harm.
 *
 * On the bus parport there are ports and what is registered on them ("lp.0"), and until Linux 6.x
 * ports have no parent there. The device below is found by what else hangs on it: ppdev's or lp's
 * device of the port, else the address that it was given.
 */
#include "port.h"

#include "irqtable.h"
#include "proc-parport.h"

#include <errno.h>
#include <string.h>

#define PORT_NAME_MAX 31
#define PROC_PARPORT  "proc/sys/dev/parport"

static const char *const port_states[_PORT_STATE_MAX] = {
	[PORT_ABSENT] = "absent", [PORT_PRESENT] = "present",	  [PORT_BUSY] = "busy",
	[PORT_READY] = "ready",	  [PORT_MEASURING] = "measuring",
};

const char *port_state_to_string(enum port_state s)
{
	return port_states[s];
}

bool port_name_valid(const char *name)
{
	size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789");

	return n > 0 && n <= PORT_NAME_MAX && name[n] == '\0' && g_ascii_isalpha(*name) &&
	       strcmp(name, "default") != 0;
}

int port_name_compare(const char *x, const char *y)
{
	size_t n = strlen(x), m = strlen(y);

	return n != m ? (n < m ? -1 : 1) : strcmp(x, y);
}

/* --- which there are --- */

static void port_names_add(GPtrArray *names, const struct roottree *t, const char *folder)
{
	g_auto(rootdir_t) dir = { 0 };
	g_autoptr(GPtrArray) found = NULL;

	rootdir_open(t, folder, &dir);
	found = rootdir_list(&dir, ".");
	for (guint i = 0; i < found->len; i++)
		if (port_name_valid(found->pdata[i]) &&
		    !g_ptr_array_find_with_equal_func(names, found->pdata[i], g_str_equal, NULL))
			g_ptr_array_add(names, g_strdup(found->pdata[i]));
}

static gint port_names_compare(gconstpointer a, gconstpointer b)
{
	return port_name_compare(*(char *const *)a, *(char *const *)b);
}

GPtrArray *port_names(const struct roottree *t)
{
	GPtrArray *names = g_ptr_array_new_with_free_func(g_free);

	port_names_add(names, t, "sys/bus/parport/devices");
	port_names_add(names, t, PROC_PARPORT);
	g_ptr_array_sort(names, port_names_compare);
	return names;
}

/* --- where it is --- */

/* @link as found in @folder, both of sysfs, as a path below /sys. g_free(); NULL: leads out. */
static char *port_resolve(const char *folder, const char *link)
{
	g_autofree char *base = g_build_filename("/", folder, NULL);
	g_autofree char *path = g_canonicalize_filename(link, base);

	return g_str_has_prefix(path, "/sys/devices/") ? g_strdup(path + strlen("/sys")) : NULL;
}

/* Where the link @name of @folder leads. g_free(); NULL: no such link. */
static char *port_follow(const struct roottree *t, const char *folder, const char *name)
{
	g_auto(rootdir_t) dir = { 0 };
	char link[4096];

	rootdir_open(t, folder, &dir);
	return rootdir_readlink(&dir, name, link, sizeof(link)) ? port_resolve(folder, link) : NULL;
}

/* The driver of a device, by the last word of its link. */
static char *port_read_driver(const struct roottree *t, const char *device)
{
	g_autofree char *folder = g_strconcat("sys", device, NULL);
	g_auto(rootdir_t) dir = { 0 };
	char link[4096];

	rootdir_open(t, folder, &dir);
	return rootdir_readlink(&dir, "driver", link, sizeof(link)) ? g_path_get_basename(link)
								    : NULL;
}

/* "/devices/pnp0/00:04/ppdev/parport0" -> "/devices/pnp0/00:04"; NULL: it hangs on nothing. */
static char *port_device_above(const char *path, unsigned words)
{
	g_autofree char *rest = g_strdup(path);

	while (words--)
		*strrchr(rest, '/') = '\0';
	return g_str_has_prefix(rest, "/devices/") && !g_str_has_prefix(rest, "/devices/virtual/")
		       ? g_steal_pointer(&rest)
		       : NULL;
}

/* lp numbers its devices by itself: those of this port are registered on it as "lp.N". */
static char *port_printer(const struct roottree *t, const char *name)
{
	g_autofree char *folder = g_strconcat("sys/devices/", name, NULL);
	g_autoptr(GPtrArray) on = NULL;
	g_auto(rootdir_t) dir = { 0 };

	rootdir_open(t, folder, &dir);
	on = rootdir_list(&dir, ".");
	for (guint i = 0; i < on->len; i++)
		if (g_str_has_prefix(on->pdata[i], "lp."))
			return g_strconcat("lp", (char *)on->pdata[i] + 3, NULL);
	return NULL;
}

static bool port_device_has(const struct roottree *t, const char *device, const char *file,
			    uint64_t base)
{
	g_autofree char *folder = g_strconcat("sys", device, NULL);
	g_autofree char *text = NULL;
	g_auto(rootdir_t) dir = { 0 };
	size_t size;

	rootdir_open(t, folder, &dir);
	text = rootdir_read_whole(&dir, file, 16384, &size);
	return text && resource_begins(text, base);
}

/* A device of a parallel port's driver on bus @bus that was given @base. g_free(). */
static char *port_device_of_base(const struct roottree *t, const char *bus, const char *file,
				 uint64_t base)
{
	g_autofree char *folder = g_strdup_printf("sys/bus/%s/devices", bus);
	g_autofree char *legacy = g_strdup_printf("parport_pc.%" G_GUINT64_FORMAT, base);
	g_autoptr(GPtrArray) devices = NULL;
	g_auto(rootdir_t) dir = { 0 };

	rootdir_open(t, folder, &dir);
	devices = rootdir_list(&dir, ".");
	for (guint i = 0; i < devices->len; i++) {
		g_autofree char *device = port_follow(t, folder, devices->pdata[i]);
		g_autofree char *driver = device ? port_read_driver(t, device) : NULL;

		/* parport_pc, parport_cs, parport_serial; not whatever else has that address */
		if (driver && strstr(driver, "parport") &&
		    (strcmp(devices->pdata[i], legacy) == 0 ||
		     port_device_has(t, device, file, base)))
			return g_steal_pointer(&device);
	}
	return NULL;
}

static char *port_device_by_address(const struct roottree *t, uint64_t base)
{
	return base == 0 ? NULL
			 : port_device_of_base(t, "pnp", "resources", base)
				   ?: port_device_of_base(t, "pci", "resource", base)
				   ?: port_device_of_base(t, "platform", "resource", base);
}

static char *port_find_device(const struct roottree *t, const struct port *p)
{
	g_autofree char *own = port_follow(t, "sys/bus/parport/devices", p->name);
	g_autofree char *printer = port_printer(t, p->name);
	g_autofree char *path = NULL;
	char *device = own ? port_device_above(own, 1) : NULL;

	if (!device && (path = port_follow(t, "sys/class/ppdev", p->name)))
		device = port_device_above(path, 2);
	if (!device && !path && printer && (path = port_follow(t, "sys/class/printer", printer)))
		device = port_device_above(path, 2);
	return device ?: port_device_by_address(t, p->base);
}

/* --- what it is --- */

static void port_setting(const struct rootdir *dir, const char *name, char *buf, size_t size)
{
	if (rootdir_line(dir, name, buf, size) < 0)
		*buf = '\0';
}

static void port_read_settings(const struct rootdir *dir, struct port *p)
{
	char text[64];

	port_setting(dir, "base-addr", text, sizeof(text));
	p->base = proc_parport_base(text);
	port_setting(dir, "irq", text, sizeof(text));
	p->irq = proc_parport_irq(text);
}

static void port_set_holder(const struct rootdir *dir, struct port *p)
{
	char text[128];

	port_setting(dir, "devices/active", text, sizeof(text));
	g_free(p->holder);
	p->holder = proc_parport_active(text);
}

static void port_set_state(struct port *p)
{
	if (p->role || g_strcmp0(p->holder, PORT_MODULE) == 0)
		p->state = PORT_MEASURING;
	else if (p->holder)
		p->state = PORT_BUSY;
	else
		p->state = p->node ? PORT_READY : PORT_PRESENT;
}

bool port_announced(const struct roottree *t, const char *name)
{
	g_autofree char *folder = g_build_filename(PROC_PARPORT, name, NULL);
	g_auto(rootdir_t) proc = { 0 };

	rootdir_open(t, folder, &proc);
	return proc.fd >= 0;
}

static bool port_is_there(const struct roottree *t, const char *name, const struct rootdir *proc)
{
	g_autofree char *sys = g_build_filename("sys/bus/parport/devices", name, NULL);
	g_auto(rootdir_t) dir = { 0 };

	rootdir_open(t, sys, &dir);
	return dir.fd >= 0 || proc->fd >= 0;
}

/* The module's misc device, as sysfs has it: whether its file is there yet is udev's business. */
static char *port_find_node(const struct roottree *t, const char *name)
{
	g_autofree char *folder = g_strdup_printf("sys/class/misc/" PORT_MODULE "-%s", name);
	g_auto(rootdir_t) dir = { 0 };

	rootdir_open(t, folder, &dir);
	return dir.fd >= 0 ? g_strdup_printf("/dev/" PORT_MODULE "-%s", name) : NULL;
}

int port_read(const struct roottree *t, const char *name, struct port *ret)
{
	g_autofree char *folder = g_build_filename(PROC_PARPORT, name, NULL);
	g_auto(rootdir_t) proc = { 0 };

	rootdir_open(t, folder, &proc);
	if (!port_is_there(t, name, &proc))
		return -ENOENT;
	*ret = (struct port){ .name = g_strdup(name) };
	port_read_settings(&proc, ret);
	port_set_holder(&proc, ret);
	ret->node = port_find_node(t, name);
	ret->device = port_find_device(t, ret);
	ret->driver = ret->device ? port_read_driver(t, ret->device) : NULL;
	port_set_state(ret);
	return 0;
}

int port_read_holder(const struct roottree *t, struct port *p)
{
	g_autofree char *folder = g_build_filename(PROC_PARPORT, p->name, NULL);
	g_auto(rootdir_t) proc = { 0 };

	rootdir_open(t, folder, &proc);
	if (!port_is_there(t, p->name, &proc))
		return -ENOENT;
	port_set_holder(&proc, p);
	port_set_state(p);
	return 0;
}

void port_done(struct port *p)
{
	g_free(p->name);
	g_free(p->holder);
	g_free(p->driver);
	g_free(p->device);
	g_free(p->node);
	*p = (struct port){ .irq = -1 };
}

/* --- its thread --- */

/* Of a shared line's threads the one that is called after the port, as far as the name goes. */
static const struct irq_thread *port_pick_thread(const struct irq_line *l, const struct port *p)
{
	g_autofree char *name = g_strdup_printf("irq/%u-%s", l->irq, p->name);

	for (guint i = 0; i < l->threads->len; i++) {
		const struct irq_thread *t = l->threads->pdata[i];

		if (*t->name && g_str_has_prefix(name, t->name))
			return t;
	}
	return NULL;
}

char *port_thread(const char *root, const struct port *p, pid_t *ret_tid)
{
	struct irq_table *table = NULL;
	const struct irq_line *line;
	const struct irq_thread *t;
	char *name = NULL;

	if (p->irq < 0 || irqtable_read(root, &table) < 0)
		return NULL;
	line = irqtable_line(table, (unsigned)p->irq);
	t = line ? port_pick_thread(line, p) : NULL;
	if (t) {
		name = g_utf8_make_valid(t->name, -1);
		*ret_tid = t->tid;
	}
	irqtable_free(table);
	return name;
}
