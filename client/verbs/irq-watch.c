/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The signals are subscribed before the service is asked whether it is there, so that nothing which
 * it says after its answer is missed. Each line is written out at once: the reader of a pipe waits
 * for it.
 */
#include "args.h"
#include "client.h"
#include "figures-json.h"
#include "irqchange.h"
#include "text.h"
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <systemd/sd-event.h>

struct irq_watch {
	struct client *c;
	sd_event *event;
	sd_bus_slot *slots[3];
};

/* "2026-11-30 02:00:00.123" */
static char *irq_watch_time(int64_t usec)
{
	g_autofree char *seconds = text_time(usec);

	return g_strdup_printf("%s.%03d", seconds, (int)(usec / 1000 % 1000));
}

static char *irq_watch_text(const struct irq_watch *w, const json_t *change, int64_t now_usec)
{
	g_autofree char *line = irqchange_line(change, false, w->c->terminal.utf8);
	g_autofree char *time = irq_watch_time(now_usec), *by = irqchange_by(change);
	int64_t after = field_number(change, "after_ns", 0);
	g_autofree char *latency = text_latency(MAX(after, 0));
	g_autofree char *clean = text_clean(by, w->c->terminal.utf8);

	return g_strdup_printf("%s  %s%s%s%s%s", time, line, *clean ? ", by " : "", clean,
			       after > 0 ? ", after " : "", after > 0 ? latency : "");
}

static void irq_watch_print(struct irq_watch *w, json_t *changes)
{
	json_t *change = json_array_get(changes, 0);
	int64_t now = g_get_real_time();
	g_autofree char *line = NULL;

	if (!json_is_object(change))
		return;
	irqchange_complete(changes);
	if (w->c->json) {
		json_object_set_new(change, "at_usec", json_integer(now));
		line = json_text(change, false);
	} else {
		line = irq_watch_text(w, change, now);
	}
	printf("%s\n", line);
	if (fflush(stdout) != 0) /* said in main() */
		(void)sd_event_exit(w->event, OUTCOME_ERROR);
}

static int on_irq_watch_event(sd_bus_message *m, void *userdata, sd_bus_error *unused)
{
	json_t *arguments;

	if (variant_read_all(m, &arguments) < 0)
		return 0; /* not what the interface says: the next one may be */
	irq_watch_print(userdata, arguments);
	json_decref(arguments);
	return 0;
}

static void irq_watch_vanished(struct irq_watch *w)
{
	say("lrtbfd has gone away.");
	(void)sd_event_exit(w->event, OUTCOME_NO_DAEMON);
}

static int on_irq_watch_owner(sd_bus_message *m, void *userdata, sd_bus_error *unused)
{
	const char *name, *before, *after;

	if (sd_bus_message_read(m, "sss", &name, &before, &after) >= 0 && *before && !*after)
		irq_watch_vanished(userdata);
	return 0;
}

static int on_irq_watch_disconnected(sd_bus_message *m, void *userdata, sd_bus_error *unused)
{
	irq_watch_vanished(userdata);
	return 0;
}

static int on_irq_watch_interrupt(sd_event_source *s, const struct signalfd_siginfo *si,
				  void *userdata)
{
	struct irq_watch *w = userdata;

	(void)sd_event_exit(w->event, OUTCOME_DONE);
	return 0;
}

static int irq_watch_subscribe(struct irq_watch *w)
{
	static const struct {
		const char *rule;
		sd_bus_message_handler_t handler;
	} matches[] = {
		{ "type='signal',sender='" CLIENT_SERVICE "',path='" CLIENT_PATH "',"
		  "interface='" CLIENT_MANAGER "',member='IrqEvent'",
		  on_irq_watch_event },
		{ "type='signal',sender='org.freedesktop.DBus',interface='org.freedesktop.DBus',"
		  "member='NameOwnerChanged',arg0='" CLIENT_SERVICE "'",
		  on_irq_watch_owner },
		{ "type='signal',sender='org.freedesktop.DBus.Local',"
		  "path='/org/freedesktop/DBus/Local',interface='org.freedesktop.DBus.Local',"
		  "member='Disconnected'",
		  on_irq_watch_disconnected },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(matches); i++) {
		int r = sd_bus_add_match(w->c->bus, &w->slots[i], matches[i].rule,
					 matches[i].handler, w);

		if (r < 0)
			return r;
	}
	G_STATIC_ASSERT(G_N_ELEMENTS(matches) == G_N_ELEMENTS(w->slots));
	return 0;
}

static int irq_watch_loop(struct irq_watch *w)
{
	json_t *manager;
	int r = sd_bus_attach_event(w->c->bus, w->event, SD_EVENT_PRIORITY_NORMAL);

	(void)sd_bus_set_close_on_exit(w->c->bus, 0);
	if (r >= 0)
		r = irq_watch_subscribe(w);
	if (r < 0)
		return client_fail(NULL, r);
	r = client_properties(w->c, CLIENT_PATH, CLIENT_MANAGER, &manager);
	if (r)
		return r;
	json_decref(manager);
	if (w->c->terminal.tty && !w->c->json)
		say("Watching; Ctrl-C ends it.");
	r = sd_event_loop(w->event);
	return r < 0 ? client_fail(NULL, r) : r;
}

static int irq_watch_begin(struct irq_watch *w, sigset_t *ret_before)
{
	sigset_t mask;
	int r = sd_event_new(&w->event);

	sigemptyset(&mask);
	sigaddset(&mask, SIGINT);
	if (r >= 0 && sigprocmask(SIG_BLOCK, &mask, ret_before) < 0)
		r = -errno;
	if (r >= 0)
		r = sd_event_add_signal(w->event, NULL, SIGINT, on_irq_watch_interrupt, w);
	return r < 0 ? client_fail(NULL, r) : OUTCOME_DONE;
}

static int irq_watch_run(struct client *c, const struct args *a)
{
	struct irq_watch w = { .c = c };
	sigset_t before;
	int r = client_open(c);

	if (r)
		return r;
	sigemptyset(&before);
	r = irq_watch_begin(&w, &before);
	if (!r)
		r = irq_watch_loop(&w);
	for (size_t i = 0; i < G_N_ELEMENTS(w.slots); i++)
		sd_bus_slot_unref(w.slots[i]);
	(void)sd_bus_detach_event(c->bus);
	sd_event_unref(w.event);
	(void)sigprocmask(SIG_SETMASK, &before, NULL);
	return r;
}

const struct verb verb_irq_watch = {
	.name = "irq watch",
	.operands = "",
	.help = "Print each change of interrupt threads as it happens, until Ctrl-C",
	.run = irq_watch_run,
};
