/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * What org.lrtbf1.Manager says about interrupts: its methods and properties for them, and what
 * those of a single thread or line share with it.
 */
#include <glib.h>
#include <systemd/sd-bus.h>

struct bus;

int irqs_method_list_irqs(sd_bus_message *m, void *userdata, sd_bus_error *error);
int irqs_method_list_threads(sd_bus_message *m, void *userdata, sd_bus_error *error);
int irqs_method_list_irq_rules(sd_bus_message *m, void *userdata, sd_bus_error *error);
int irqs_method_check_irq_rules(sd_bus_message *m, void *userdata, sd_bus_error *error);
int irqs_method_apply_irq_policy(sd_bus_message *m, void *userdata, sd_bus_error *error);
int irqs_method_restore_irq_policy(sd_bus_message *m, void *userdata, sd_bus_error *error);
int irqs_method_open_irq_capture(sd_bus_message *m, void *userdata, sd_bus_error *error);

/* Before anybody can ask: what the properties are then. */
void irqs_publish(struct bus *b);
int irqs_property_watching(sd_bus *bus, const char *path, const char *interface,
			   const char *property, sd_bus_message *reply, void *userdata,
			   sd_bus_error *error);
int irqs_property_paused(sd_bus *bus, const char *path, const char *interface, const char *property,
			 sd_bus_message *reply, void *userdata, sd_bus_error *error);

/*
 * Answer a call that has changed something: @r and @message of the model, @changes (GPtrArray of
 * struct irq_change) when it went well. For an authority_then_t's `return`.
 */
int irqs_answer(sd_bus_message *call, int r, const char *message, const GPtrArray *changes,
		sd_bus_error *error);
