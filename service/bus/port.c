/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * org.lrtbf1.Port at /org/lrtbf1/port/NAME: one fallback vtable for all ports, enumerated. Looking
 * an object up looks at who holds the port, since no event tells of that; what is found then is
 * told as any other news.
 */
#include "bus-internal.h"

#include "absent.h"
#include "dict.h"
#include "errors.h"
#include "log.h"
#include "ports.h"
#include "porttrial.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

char *port_path(const char *name)
{
	return g_strconcat(BUS_PORT_PATH "/", name, NULL);
}

/* --- look-up --- */

static int port_look_up(const char *path, void *userdata, void **ret_found, sd_bus_error *error)
{
	struct bus *b = userdata;
	const char *name;

	if (!g_str_has_prefix(path, BUS_PORT_PATH "/"))
		return 0;
	name = path + strlen(BUS_PORT_PATH "/");
	if (strchr(name, '/'))
		return 0;
	ports_refresh(b->model.ports);
	b->port.bus = b;
	b->port.port = ports_find(b->model.ports, name);
	if (!b->port.port)
		return bus_error_setf(error, ENODEV, "There is no parallel port \"%.64s\".", name);
	*ret_found = &b->port;
	return 1;
}

static int port_enumerate(sd_bus *bus, const char *prefix, void *userdata, char ***ret_nodes,
			  sd_bus_error *error)
{
	struct bus *b = userdata;
	const GPtrArray *all;
	char **nodes; /* sd-bus frees it */

	ports_refresh(b->model.ports);
	all = ports_all(b->model.ports);
	nodes = calloc(all->len + 1, sizeof(*nodes));
	if (!nodes)
		return -ENOMEM;
	for (guint i = 0; i < all->len; i++) {
		g_autofree char *path = port_path(((const struct port *)all->pdata[i])->name);

		nodes[i] = strdup(path);
	}
	*ret_nodes = nodes;
	return 0;
}

/* --- properties --- */

static int port_property_string(sd_bus *bus, const char *path, const char *interface,
				const char *property, sd_bus_message *reply, void *userdata,
				sd_bus_error *error)
{
	const struct port *p = ((const struct port_view *)userdata)->port;
	const char *value = NULL;

	if (strcmp(property, "Name") == 0)
		value = p->name;
	else if (strcmp(property, "State") == 0)
		value = port_state_to_string(p->state);
	else if (strcmp(property, "Holder") == 0)
		value = p->holder;
	else if (strcmp(property, "Driver") == 0)
		value = p->driver;
	else if (strcmp(property, "Device") == 0)
		value = p->device;
	else if (strcmp(property, "Role") == 0)
		value = p->role;
	return dict_text(reply, value ?: "");
}

static int port_property_base(sd_bus *bus, const char *path, const char *interface,
			      const char *property, sd_bus_message *reply, void *userdata,
			      sd_bus_error *error)
{
	const struct port_view *v = userdata;

	return sd_bus_message_append_basic(reply, 't', &v->port->base);
}

static int port_property_irq(sd_bus *bus, const char *path, const char *interface,
			     const char *property, sd_bus_message *reply, void *userdata,
			     sd_bus_error *error)
{
	int32_t irq = ((const struct port_view *)userdata)->port->irq;

	return sd_bus_message_append_basic(reply, 'i', &irq);
}

static int port_property_thread(sd_bus *bus, const char *path, const char *interface,
				const char *property, sd_bus_message *reply, void *userdata,
				sd_bus_error *error)
{
	const struct port_view *v = userdata;
	pid_t tid = 0;
	g_autofree char *name = port_thread(v->bus->model.root, v->port, &tid);
	uint32_t id = (uint32_t)tid;

	return strcmp(property, "Thread") == 0 ? dict_text(reply, name ?: "")
					       : sd_bus_message_append_basic(reply, 'u', &id);
}

#define CONSTANT SD_BUS_VTABLE_PROPERTY_CONST
#define CHANGES	 SD_BUS_VTABLE_PROPERTY_EMITS_CHANGE

static const sd_bus_vtable port_vtable[] = {
	SD_BUS_VTABLE_START(0),
	SD_BUS_METHOD_WITH_ARGS("Test", SD_BUS_ARGS("a{sv}", options),
				SD_BUS_RESULT("a{sv}", result), porttrial_method_test,
				SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_PROPERTY("Name", "s", port_property_string, 0, CONSTANT),
	SD_BUS_PROPERTY("State", "s", port_property_string, 0, CHANGES),
	SD_BUS_PROPERTY("Holder", "s", port_property_string, 0, CHANGES),
	SD_BUS_PROPERTY("Base", "t", port_property_base, 0, CHANGES),
	SD_BUS_PROPERTY("Irq", "i", port_property_irq, 0, CHANGES),
	SD_BUS_PROPERTY("Thread", "s", port_property_thread, 0, 0),
	SD_BUS_PROPERTY("ThreadId", "u", port_property_thread, 0, 0),
	SD_BUS_PROPERTY("Driver", "s", port_property_string, 0, CHANGES),
	SD_BUS_PROPERTY("Device", "s", port_property_string, 0, CHANGES),
	SD_BUS_PROPERTY("Role", "s", port_property_string, 0, CHANGES),
	SD_BUS_VTABLE_END,
};

static int port_find(sd_bus *bus, const char *path, const char *interface, void *userdata,
		     void **ret_found, sd_bus_error *error)
{
	int r = port_look_up(path, userdata, ret_found, error);

	return absent_answer(bus, path, interface, port_vtable, r, error);
}

int port_publish(struct bus *b)
{
	int r;

	if (!b->model.ports)
		return 0;
	r = sd_bus_add_fallback_vtable(b->bus, NULL, BUS_PORT_PATH, BUS_PORT_IFACE, port_vtable,
				       port_find, b);
	if (r < 0)
		return r;
	return sd_bus_add_node_enumerator(b->bus, NULL, BUS_PORT_PATH, port_enumerate, b);
}

/* --- news --- */

static int port_changed(struct bus *b, const char *path, unsigned what)
{
	static const struct {
		unsigned bit;
		const char *name;
	} properties[] = {
		{ PORT_CHANGE_STATE, "State" },	  { PORT_CHANGE_HOLDER, "Holder" },
		{ PORT_CHANGE_BASE, "Base" },	  { PORT_CHANGE_IRQ, "Irq" },
		{ PORT_CHANGE_DRIVER, "Driver" }, { PORT_CHANGE_DEVICE, "Device" },
		{ PORT_CHANGE_ROLE, "Role" },
	};
	const char *names[G_N_ELEMENTS(properties) + 1] = { NULL };
	size_t n = 0;

	for (size_t i = 0; i < G_N_ELEMENTS(properties); i++)
		if (what & properties[i].bit)
			names[n++] = properties[i].name;
	return n ? sd_bus_emit_properties_changed_strv(b->bus, path, BUS_PORT_IFACE, (char **)names)
		 : 0;
}

void bus_port_news(struct bus *b, enum ports_news news, const struct port *p, unsigned what)
{
	g_autofree char *path = port_path(p->name);
	int r = 0;

	if (!b->authority)
		return; /* nothing is shown yet: who looks later sees it as it is then */
	switch (news) {
	case PORTS_ADDED:
		r = sd_bus_emit_object_added(b->bus, path);
		break;
	case PORTS_CHANGED:
		r = port_changed(b, path, what);
		break;
	case PORTS_REMOVED:
		r = sd_bus_emit_object_removed(b->bus, path);
		break;
	}
	if (r < 0)
		log_debug("News of a port could not be told, ignoring: %s", g_strerror(-r));
}
