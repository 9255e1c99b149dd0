/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * org.lrtbf1.Irq at /org/lrtbf1/irq/N: one fallback vtable for every line of the table. Lines come
 * and go with their devices, so the table is looked into at each call.
 */
#include "bus-internal.h"

#include "absent.h"
#include "errors.h"
#include "irqpolicy.h"
#include "irqs.h"
#include "options.h"
#include <errno.h>
#include <string.h>

/* Look-up */

static bool irq_path_parse(const char *path, unsigned *ret)
{
	const char *element = path + strlen(BUS_IRQ_PATH "/");
	guint64 irq;

	/* a line has one object: no second one with zeros before its number */
	if ((element[0] == '0' && element[1]) ||
	    !g_ascii_string_to_unsigned(element, 10, 0, INT32_MAX, &irq, NULL))
		return false;
	*ret = (unsigned)irq;
	return true;
}

static int irq_look_up(const char *path, void *userdata, void **ret_found, sd_bus_error *error)
{
	struct irq_table *table = NULL;
	struct bus *b = userdata;
	bool there;
	unsigned irq;
	int r;

	if (!g_str_has_prefix(path, BUS_IRQ_PATH "/") ||
	    strchr(path + strlen(BUS_IRQ_PATH "/"), '/'))
		return 0;
	if (!irq_path_parse(path, &irq))
		return bus_error_setf(error, ENODEV, "There is no interrupt line \"%.64s\".",
				      path + strlen(BUS_IRQ_PATH "/"));
	r = irqtable_read(b->model.root, &table);
	if (r < 0)
		return bus_error_setf(error, EIO, "The table of interrupts cannot be read: %s.",
				      g_strerror(-r));
	there = irqtable_line(table, irq) != NULL;
	irqtable_free(table);
	if (!there)
		return bus_error_setf(error, ENODEV, "There is no interrupt line %u.", irq);
	b->irq = (struct irq_view){ .bus = b, .irq = irq };
	*ret_found = &b->irq;
	return 1;
}

/* A call that waits for authority */

struct irq_call {
	struct bus *bus;
	unsigned irq;
	char *cpus; /* SetAffinity only */
};

static void irq_call_free(gpointer data)
{
	struct irq_call *c = data;

	g_free(c->cpus);
	g_free(c);
}

static int irq_call_check(const struct irq_view *v, const char *cpus, sd_bus_message *m,
			  authority_then_t then, sd_bus_error *error)
{
	struct irq_call *c = g_new0(struct irq_call, 1);
	struct authority_request request = {
		.action = ACTION_IRQS,
		.owner = AUTHORITY_NO_OWNER,
		.then = then,
		.data = c,
		.free = irq_call_free,
	};

	c->bus = v->bus;
	c->irq = v->irq;
	c->cpus = g_strdup(cpus);
	return authority_check(c->bus->authority, m, &request, error);
}

/* SetAffinity */

static int irq_set_affinity_go(sd_bus_message *call, uid_t caller, void *data, sd_bus_error *error)
{
	g_autoptr(GPtrArray) changes = NULL;
	g_autofree char *message = NULL;
	struct irq_call *c = data;
	int r;

	r = irqpolicy_set_line(c->bus->model.irqpolicy, c->irq, c->cpus, caller, &changes,
			       &message);
	return irqs_answer(call, r, message, changes, error);
}

static int irq_method_set_affinity(sd_bus_message *m, void *userdata, sd_bus_error *error)
{
	const char *cpus;
	int r;

	r = sd_bus_message_read_basic(m, 's', &cpus);
	if (r < 0)
		return bus_error_argument(error, r);
	r = options_read_none(m, error);
	if (r < 0)
		return r;
	if (strlen(cpus) > OPTION_VALUE_MAX)
		return bus_error_setf(error, EINVAL, "A list of CPUs has at most %d bytes.",
				      OPTION_VALUE_MAX);
	return irq_call_check(userdata, cpus, m, irq_set_affinity_go, error);
}

/* Restore */

static int irq_restore_go(sd_bus_message *call, uid_t caller, void *data, sd_bus_error *error)
{
	g_autoptr(GPtrArray) changes = NULL;
	g_autofree char *message = NULL;
	struct irq_call *c = data;
	int r;

	r = irqpolicy_restore_line(c->bus->model.irqpolicy, c->irq, &changes, &message);
	return irqs_answer(call, r, message, changes, error);
}

static int irq_method_restore(sd_bus_message *m, void *userdata, sd_bus_error *error)
{
	int r;

	r = options_read_none(m, error);
	return r < 0 ? r : irq_call_check(userdata, NULL, m, irq_restore_go, error);
}

static int irq_property_irq(sd_bus *bus, const char *path, const char *interface,
			    const char *property, sd_bus_message *reply, void *userdata,
			    sd_bus_error *error)
{
	uint32_t irq = ((const struct irq_view *)userdata)->irq;

	return sd_bus_message_append_basic(reply, 'u', &irq);
}

static const sd_bus_vtable irq_vtable[] = {
	SD_BUS_VTABLE_START(0),
	SD_BUS_METHOD_WITH_ARGS("SetAffinity", SD_BUS_ARGS("s", cpus, "a{sv}", options),
				SD_BUS_RESULT("aa{sv}", changes), irq_method_set_affinity,
				SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_METHOD_WITH_ARGS("Restore", SD_BUS_ARGS("a{sv}", options),
				SD_BUS_RESULT("aa{sv}", changes), irq_method_restore,
				SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_PROPERTY("Irq", "u", irq_property_irq, 0, SD_BUS_VTABLE_PROPERTY_CONST),
	SD_BUS_VTABLE_END,
};

static int irq_find(sd_bus *bus, const char *path, const char *interface, void *userdata,
		    void **ret_found, sd_bus_error *error)
{
	int r = irq_look_up(path, userdata, ret_found, error);

	return absent_answer(bus, path, interface, irq_vtable, r, error);
}

int irq_publish(struct bus *b)
{
	return sd_bus_add_fallback_vtable(b->bus, NULL, BUS_IRQ_PATH, BUS_IRQ_IFACE, irq_vtable,
					  irq_find, b);
}
