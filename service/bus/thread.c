/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * org.lrtbf1.Thread at /org/lrtbf1/thread/TID_STARTTIME: one fallback vtable for every kernel
 * thread that rules may name. Whose object a path is, is looked up anew at each call, and once more
 * by the model when authority has answered: the number may be another's by then.
 */
#include "bus-internal.h"

#include "absent.h"
#include "cleanup.h"
#include "dict.h"
#include "errors.h"
#include "irqpolicy.h"
#include "irqs.h"
#include "options.h"
#include "policy.h"
#include <errno.h>
#include <string.h>

static const struct option_spec thread_attributes[] = {
	{ "policy", 's' },   { "priority", 'u' },      { "nice", 'i' },
	{ "affinity", 's' }, { "reset_on_fork", 'b' }, { NULL },
};

static const struct option_spec thread_set_options[] = { { "override", 's' }, { NULL } };

char *thread_path(pid_t tid, uint64_t start_ticks)
{
	return g_strdup_printf(BUS_THREAD_PATH "/%d_%" G_GUINT64_FORMAT, (int)tid, start_ticks);
}

/* Look-up */

/* Only the one way in which thread_path() writes it, so that a thread has one object. */
static bool thread_path_parse(const char *path, pid_t *ret_tid, uint64_t *ret_start_ticks)
{
	const char *element = path + strlen(BUS_THREAD_PATH "/");
	g_auto(GStrv) parts = g_strsplit(element, "_", 3);
	g_autofree char *again = NULL;
	guint64 tid, start_ticks;

	if (g_strv_length(parts) != 2 ||
	    !g_ascii_string_to_unsigned(parts[0], 10, 1, INT32_MAX, &tid, NULL) ||
	    !g_ascii_string_to_unsigned(parts[1], 10, 0, UINT64_MAX, &start_ticks, NULL))
		return false;
	again = thread_path((pid_t)tid, start_ticks);
	if (strcmp(again, path) != 0)
		return false;
	*ret_tid = (pid_t)tid;
	*ret_start_ticks = start_ticks;
	return true;
}

static int thread_take(struct bus *b, const struct irq_thread *t, uint64_t start_ticks,
		       sd_bus_error *error)
{
	if (t->start_ticks != start_ticks)
		return bus_error_setf(error, ENODEV,
				      "That thread has ended: its number %d is another one's now.",
				      (int)t->tid);
	if (!kthread_kind_namable(t->what.kind))
		return bus_error_setf(
			error, ENODEV,
			"Thread %d (%s) is none that may be changed: see ListThreads.", (int)t->tid,
			t->name);
	b->thread = (struct thread_view){ .bus = b, .tid = t->tid, .start_ticks = start_ticks };
	g_strlcpy(b->thread.name, t->name, sizeof(b->thread.name));
	return 0;
}

static int thread_look_up(const char *path, void *userdata, void **ret_found, sd_bus_error *error)
{
	struct irq_thread t = { 0 };
	struct bus *b = userdata;
	uint64_t start_ticks;
	pid_t tid;
	int r;

	if (!g_str_has_prefix(path, BUS_THREAD_PATH "/") ||
	    strchr(path + strlen(BUS_THREAD_PATH "/"), '/'))
		return 0;
	if (!thread_path_parse(path, &tid, &start_ticks))
		return bus_error_setf(error, ENODEV, "There is no thread \"%.64s\".",
				      path + strlen(BUS_THREAD_PATH "/"));
	r = irqtable_read_thread(b->model.root, tid, &t);
	if (r == -EPERM)
		return bus_error_setf(error, ENODEV, "%d is no kernel thread.", (int)tid);
	if (r < 0)
		return bus_error_setf(error, ENODEV, "There is no thread %d.", (int)tid);
	r = thread_take(b, &t, start_ticks, error);
	irq_thread_done(&t);
	if (r < 0)
		return r;
	*ret_found = &b->thread;
	return 1;
}

/* A call that waits for authority */

struct thread_call {
	struct bus *bus;
	pid_t tid;
	uint64_t start_ticks;
	struct irq_wish wish; /* Set only */
	char *affinity;	      /* of the wish */
};

static void thread_call_free(gpointer data)
{
	struct thread_call *c = data;

	if (!c)
		return;
	g_free(c->affinity);
	g_free(c);
}

static struct thread_call *thread_call_new(const struct thread_view *v)
{
	struct thread_call *c = g_new0(struct thread_call, 1);

	c->bus = v->bus;
	c->tid = v->tid;
	c->start_ticks = v->start_ticks;
	return c;
}

static int thread_call_check(struct thread_call *c, sd_bus_message *m, authority_then_t then,
			     sd_bus_error *error)
{
	struct authority_request request = {
		.action = ACTION_IRQS,
		.owner = AUTHORITY_NO_OWNER,
		.then = then,
		.data = c,
		.free = thread_call_free,
	};

	return authority_check(c->bus->authority, m, &request, error);
}

/* Set */

static int thread_read_policy(const char *word, struct irq_wish *w, sd_bus_error *error)
{
	int policy;

	if (!word)
		return 0;
	policy = policy_from_string(word);
	if (!policy_is_realtime(policy) && !policy_is_ordinary(policy))
		return bus_error_setf(error, EINVAL,
				      "\"%.64s\" is no policy for a thread: other, batch, idle, "
				      "fifo and rr are.",
				      word);
	w->has_policy = true;
	w->policy = policy;
	return 0;
}

static int thread_read_numbers(const json_t *attributes, struct irq_wish *w, sd_bus_error *error)
{
	uint64_t priority = options_integer(attributes, "priority", 0);
	int32_t nice = options_i32(attributes, "nice", 0);

	if (priority > 99)
		return bus_error_set(error, EINVAL,
				     "A priority is 1 to 99 with fifo and rr, and 0 with others.");
	if (nice < -20 || nice > 19)
		return bus_error_set(error, EINVAL, "A nice value is -20 to 19.");
	w->has_priority = options_has(attributes, "priority");
	w->priority = (int)priority;
	w->has_nice = options_has(attributes, "nice");
	w->nice = nice;
	return 0;
}

static int thread_read_override(const char *words, struct irq_wish *w, sd_bus_error *error)
{
	g_auto(GStrv) list = g_strsplit(words ?: "", ",", -1);

	for (char **word = list; *word; word++) {
		int override = rule_override_from_string(g_strstrip(*word));

		if (override < 0)
			return bus_error_setf(error, EINVAL,
					      "\"%.64s\" is no guard: softirq, rcu and measuring "
					      "are.",
					      *word);
		w->override |= (unsigned) override;
	}
	return 0;
}

static int thread_read_attributes(sd_bus_message *m, struct thread_call *c, sd_bus_error *error)
{
	g_autoptr(json_t) attributes = NULL;
	struct irq_wish *w = &c->wish;
	int r;

	r = options_read(m, thread_attributes, &attributes, error);
	if (r >= 0)
		r = thread_read_policy(options_string(attributes, "policy"), w, error);
	if (r >= 0)
		r = thread_read_numbers(attributes, w, error);
	if (r < 0)
		return r;
	c->affinity = g_strdup(options_string(attributes, "affinity"));
	w->has_affinity = c->affinity != NULL;
	w->affinity = c->affinity;
	w->reset_on_fork = options_bool(attributes, "reset_on_fork", false);
	if (options_has(attributes, "reset_on_fork") && !w->has_policy)
		return bus_error_set(error, EINVAL, "reset_on_fork goes with a policy.");
	if (!w->has_policy && !w->has_priority && !w->has_nice && !w->has_affinity)
		return bus_error_set(error, EINVAL,
				     "There is nothing to set: give a policy, priority, nice value "
				     "or affinity.");
	return 0;
}

static int thread_read_set(sd_bus_message *m, struct thread_call *c, sd_bus_error *error)
{
	g_autoptr(json_t) options = NULL;
	int r;

	r = thread_read_attributes(m, c, error);
	if (r >= 0)
		r = options_read(m, thread_set_options, &options, error);
	if (r >= 0)
		r = thread_read_override(options_string(options, "override"), &c->wish, error);
	return r;
}

static int thread_set_go(sd_bus_message *call, uid_t caller, void *data, sd_bus_error *error)
{
	g_autoptr(GPtrArray) changes = NULL;
	g_autofree char *message = NULL;
	struct thread_call *c = data;
	int r;

	r = irqpolicy_set_thread(c->bus->model.irqpolicy, c->tid, c->start_ticks, &c->wish, caller,
				 &changes, &message);
	return irqs_answer(call, r, message, changes, error);
}

static int thread_method_set(sd_bus_message *m, void *userdata, sd_bus_error *error)
{
	struct thread_call *c = thread_call_new(userdata);
	int r;

	r = thread_read_set(m, c, error);
	if (r < 0) {
		thread_call_free(c);
		return r;
	}
	return thread_call_check(c, m, thread_set_go, error);
}

/* Restore */

static int thread_restore_go(sd_bus_message *call, uid_t caller, void *data, sd_bus_error *error)
{
	g_autoptr(GPtrArray) changes = NULL;
	g_autofree char *message = NULL;
	struct thread_call *c = data;
	int r;

	r = irqpolicy_restore_thread(c->bus->model.irqpolicy, c->tid, c->start_ticks, &changes,
				     &message);
	return irqs_answer(call, r, message, changes, error);
}

static int thread_method_restore(sd_bus_message *m, void *userdata, sd_bus_error *error)
{
	int r;

	r = options_read_none(m, error);
	return r < 0 ? r
		     : thread_call_check(thread_call_new(userdata), m, thread_restore_go, error);
}

/* Properties */

static int thread_property_tid(sd_bus *bus, const char *path, const char *interface,
			       const char *property, sd_bus_message *reply, void *userdata,
			       sd_bus_error *error)
{
	uint32_t tid = (uint32_t)((const struct thread_view *)userdata)->tid;

	return sd_bus_message_append_basic(reply, 'u', &tid);
}

static int thread_property_start_ticks(sd_bus *bus, const char *path, const char *interface,
				       const char *property, sd_bus_message *reply, void *userdata,
				       sd_bus_error *error)
{
	const struct thread_view *v = userdata;

	return sd_bus_message_append_basic(reply, 't', &v->start_ticks);
}

static int thread_property_name(sd_bus *bus, const char *path, const char *interface,
				const char *property, sd_bus_message *reply, void *userdata,
				sd_bus_error *error)
{
	return dict_text(reply, ((const struct thread_view *)userdata)->name);
}

static const sd_bus_vtable thread_vtable[] = {
	SD_BUS_VTABLE_START(0),
	SD_BUS_METHOD_WITH_ARGS("Set", SD_BUS_ARGS("a{sv}", attributes, "a{sv}", options),
				SD_BUS_RESULT("aa{sv}", changes), thread_method_set,
				SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_METHOD_WITH_ARGS("Restore", SD_BUS_ARGS("a{sv}", options),
				SD_BUS_RESULT("aa{sv}", changes), thread_method_restore,
				SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_PROPERTY("Tid", "u", thread_property_tid, 0, SD_BUS_VTABLE_PROPERTY_CONST),
	SD_BUS_PROPERTY("StartTicks", "t", thread_property_start_ticks, 0,
			SD_BUS_VTABLE_PROPERTY_CONST),
	SD_BUS_PROPERTY("Name", "s", thread_property_name, 0, SD_BUS_VTABLE_PROPERTY_CONST),
	SD_BUS_VTABLE_END,
};

static int thread_find(sd_bus *bus, const char *path, const char *interface, void *userdata,
		       void **ret_found, sd_bus_error *error)
{
	int r = thread_look_up(path, userdata, ret_found, error);

	return absent_answer(bus, path, interface, thread_vtable, r, error);
}

int thread_publish(struct bus *b)
{
	return sd_bus_add_fallback_vtable(b->bus, NULL, BUS_THREAD_PATH, BUS_THREAD_IFACE,
					  thread_vtable, thread_find, b);
}
