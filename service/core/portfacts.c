/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why the sentences are made from the JSON and not from the region: a report of last year has
 * nothing else, and it must read like one of today.
 */
#include "portfacts.h"

#include "duration.h"
#include "policy.h"

#include <inttypes.h>
#include <string.h>

#define PORTFACTS_THREADS_MAX 4 /* named in a sentence; all are in the JSON */

static const char *const stop_names[_REGION_STOP_MAX] = {
	[REGION_STOP_ASKED] = "asked",	 [REGION_STOP_COUNT] = "count",
	[REGION_STOP_LOSSES] = "losses", [REGION_STOP_DETACHED] = "detached",
	[REGION_STOP_STORM] = "storm",	 [REGION_STOP_SUSPEND] = "suspend",
};

static const struct portfacts_count {
	const char *name;
	size_t offset;
	bool largest; /* not a sum */
} portfacts_counts[] = {
	{ "pulses", offsetof(struct region_port, pulses) },
	{ "answers", offsetof(struct region_port, answers) },
	{ "samples", offsetof(struct region_port, samples) },
	{ "lost", offsetof(struct region_port, lost) },
	{ "late", offsetof(struct region_port, late) },
	{ "discarded", offsetof(struct region_port, discarded) },
	{ "strays", offsetof(struct region_port, strays) },
	{ "interrupts", offsetof(struct region_port, interrupts) },
	{ "missed", offsetof(struct region_port, missed) },
	{ "lost_records", offsetof(struct region_port, lost_records) },
	{ "off_ns", offsetof(struct region_port, off_ns) },
	{ "off_max_ns", offsetof(struct region_port, off_max_ns), true },
};

/* --- the object --- */

static json_t *portfacts_word(const char *word)
{
	return word && *word ? json_string(word) : json_null();
}

static json_t *portfacts_ns(uint64_t ns)
{
	return ns > 0 ? json_integer((json_int_t)MIN(ns, INT64_MAX)) : json_null();
}

static json_t *portfacts_new(const struct region_port *p)
{
	json_t *o = json_object();

	json_object_set_new(o, "port", portfacts_word(p->port));
	json_object_set_new(o, "irq", p->irq >= 0 ? json_integer(p->irq) : json_null());
	json_object_set_new(o, "role", portfacts_word(role_to_string(p->role)));
	json_object_set_new(o, "answer", portfacts_word(role_answer_to_string(p->answer)));
	json_object_set_new(o, "receive", portfacts_word(role_receive_to_string(p->receive)));
	json_object_set_new(o, "context", json_array());
	json_object_set_new(o, "resolution_ns", portfacts_ns(p->resolution_ns));
	json_object_set_new(o, "timeout_ns", portfacts_ns(p->timeout_ns));
	json_object_set_new(o, "stop", json_null());
	json_object_set_new(o, "threads", json_array());
	for (size_t i = 0; i < G_N_ELEMENTS(portfacts_counts); i++)
		json_object_set_new(o, portfacts_counts[i].name, json_integer(0));
	return o;
}

static void portfacts_add_count(json_t *o, const struct portfacts_count *count,
				const struct region_port *p)
{
	uint64_t n = MIN(*(const uint64_t *)((const char *)p + count->offset), INT64_MAX);
	uint64_t before = (uint64_t)json_integer_value(json_object_get(o, count->name));

	n = count->largest ? MAX(n, before) : MIN(n + before, INT64_MAX);
	json_object_set_new(o, count->name, json_integer((json_int_t)n));
}

static bool portfacts_has_word(const json_t *array, const char *word)
{
	const json_t *w;
	size_t i;

	json_array_foreach ((json_t *)array, i, w)
		if (g_strcmp0(json_string_value(w), word) == 0)
			return true;
	return false;
}

static void portfacts_add_context(json_t *o, const struct region_port *p)
{
	static const struct {
		uint32_t bit;
		const char *word;
	} contexts[] = {
		{ REGION_CONTEXT_HARDIRQ, "hardirq" },
		{ REGION_CONTEXT_THREAD, "thread" },
	};
	json_t *array = json_object_get(o, "context");

	for (size_t i = 0; i < G_N_ELEMENTS(contexts); i++)
		if (p->context & contexts[i].bit && !portfacts_has_word(array, contexts[i].word))
			json_array_append_new(array, json_string(contexts[i].word));
}

static void portfacts_add_thread(json_t *o, int cpu, const struct region_port *p)
{
	json_t *t;

	if (p->tid <= 0)
		return;
	t = json_object();
	json_object_set_new(t, "cpu", json_integer(cpu));
	json_object_set_new(t, "tid", json_integer(p->tid));
	json_object_set_new(t, "name", portfacts_word(p->name));
	json_object_set_new(t, "policy", portfacts_word(policy_to_string(p->policy)));
	json_object_set_new(t, "priority", json_integer(p->priority));
	json_array_append_new(json_object_get(o, "threads"), t);
}

/* Of several the one that says most: what was not asked for. */
static void portfacts_add_stop(json_t *o, const struct region_port *p)
{
	const char *before = json_string_value(json_object_get(o, "stop"));

	if (p->stop != REGION_STOP_NONE && (!before || strcmp(before, "asked") == 0))
		json_object_set_new(o, "stop", json_string(stop_names[p->stop]));
}

json_t *portfacts_add(json_t *facts, int cpu, const struct region_port *p)
{
	if (!p->known)
		return facts;
	if (!facts)
		facts = portfacts_new(p);
	for (size_t i = 0; i < G_N_ELEMENTS(portfacts_counts); i++)
		portfacts_add_count(facts, &portfacts_counts[i], p);
	portfacts_add_context(facts, p);
	portfacts_add_thread(facts, cpu, p);
	portfacts_add_stop(facts, p);
	return facts;
}

/* --- the sentences --- */

static const char *facts_word(const json_t *facts, const char *key)
{
	return json_string_value(json_object_get(facts, key)) ?: "";
}

static json_int_t facts_count(const json_t *facts, const char *key)
{
	return json_integer_value(json_object_get(facts, key));
}

static bool facts_is(const json_t *facts, const char *key, const char *word)
{
	return strcmp(facts_word(facts, key), word) == 0;
}

/* What was measured, between which two moments. */
static char *facts_what(const json_t *facts)
{
	if (facts_is(facts, "role", "irq"))
		return g_strdup(
			"Kernel timers: from the time that was asked for to their interrupt "
			"handler.");
	if (facts_is(facts, "role", "kthread"))
		return g_strdup("Kernel timers: from the time that was asked for to the kernel "
				"thread that they wake.");
	if (facts_is(facts, "role", "loopback"))
		return g_strdup("Loopback: from a pulse to the handler of the interrupt that it "
				"raises on the same port.");
	if (facts_is(facts, "role", "target"))
		return g_strdup_printf(
			"Target, answering from %s: from the interrupt's handler to the answer.",
			facts_is(facts, "answer", "handler")   ? "the handler itself"
			: facts_is(facts, "answer", "kthread") ? "a kernel thread"
							       : "a thread of user space");
	if (!facts_is(facts, "role", "logger"))
		return NULL; /* of a newer release */
	if (facts_is(facts, "receive", "irq"))
		return g_strdup("Logger, receiving by interrupt: two latencies in one figure, the "
				"target's and this machine's own.");
	return g_strdup("Logger, polling with interrupts off: from a pulse to the target's answer, "
			"without this machine's latency.");
}

static char *facts_port(const json_t *facts)
{
	json_int_t resolution = facts_count(facts, "resolution_ns");
	const json_t *irq = json_object_get(facts, "irq");
	GString *s;

	if (!*facts_word(facts, "port"))
		return NULL;
	s = g_string_new(NULL);
	g_string_append_printf(s, "Port %s", facts_word(facts, "port"));
	if (json_is_integer(irq))
		g_string_append_printf(s, ", interrupt %" JSON_INTEGER_FORMAT,
				       json_integer_value(irq));
	if (resolution > 0) {
		g_autofree char *ns = duration_format((uint64_t)resolution);

		g_string_append_printf(s, "; resolution %s, of the accesses to it", ns);
	}
	g_string_append_c(s, '.');
	return g_string_free(s, FALSE);
}

static void facts_append_thread(GString *s, const json_t *t)
{
	g_string_append_printf(s, "%s%s (%" JSON_INTEGER_FORMAT ")", s->len ? ", " : "",
			       facts_word(t, "name"), facts_count(t, "tid"));
	if (*facts_word(t, "policy"))
		g_string_append_printf(s, " %s", facts_word(t, "policy"));
	if (facts_count(t, "priority") > 0)
		g_string_append_printf(s, " %" JSON_INTEGER_FORMAT, facts_count(t, "priority"));
}

/* Where the second moment's time was taken. */
static char *facts_context(const json_t *facts)
{
	const json_t *context = json_object_get(facts, "context");
	const json_t *threads = json_object_get(facts, "threads"), *t;
	g_autoptr(GString) s = g_string_new(NULL);
	bool hard = portfacts_has_word(context, "hardirq");
	const char *what = *facts_word(facts, "port") ? "handler ran" : "time was taken";
	size_t i;

	json_array_foreach ((json_t *)threads, i, t)
		if (i < PORTFACTS_THREADS_MAX)
			facts_append_thread(s, t);
	if (i > PORTFACTS_THREADS_MAX)
		g_string_append_printf(s, " and %zu more", i - PORTFACTS_THREADS_MAX);
	if (facts_is(facts, "receive", "poll"))
		return s->len ? g_strdup_printf("It polled in thread %s.", s->str) : NULL;
	if (s->len && hard)
		return g_strdup_printf("The %s in hard interrupt context, and in thread %s.", what,
				       s->str);
	if (s->len)
		return g_strdup_printf("The %s in thread %s.", what, s->str);
	return hard ? g_strdup_printf("The %s in hard interrupt context.", what) : NULL;
}

static void facts_append_count(GString *s, const json_t *facts, const char *key, const char *text)
{
	g_string_append_printf(s, "%s%" JSON_INTEGER_FORMAT " %s", s->len ? ", " : "",
			       facts_count(facts, key), text);
}

static char *facts_counts(const json_t *facts)
{
	GString *s = g_string_new(NULL);

	if (facts_is(facts, "role", "target")) {
		facts_append_count(s, facts, "interrupts", "interrupts");
		facts_append_count(s, facts, "answers", "answers");
	} else if (*facts_word(facts, "port")) {
		facts_append_count(s, facts, "pulses", "pulses");
		facts_append_count(s, facts, "samples", "answered in time");
		facts_append_count(s, facts, "lost", "lost");
		facts_append_count(s, facts, "late", "late");
		facts_append_count(s, facts, "discarded", "discarded");
		facts_append_count(s, facts, "strays", "strays");
	} else {
		facts_append_count(s, facts, "samples", "wake-ups");
	}
	facts_append_count(s, facts, "missed",
			   facts_is(facts, "role", "target") ? "missed" : "periods missed");
	if (facts_count(facts, "lost_records") > 0)
		facts_append_count(s, facts, "lost_records", "records not read in time");
	g_string_append(s, " (warm-up included).");
	return g_string_free(s, FALSE);
}

static char *facts_off(const json_t *facts)
{
	uint64_t off_ns = (uint64_t)facts_count(facts, "off_ns");
	uint64_t max_ns = (uint64_t)facts_count(facts, "off_max_ns");
	g_autofree char *off = duration_format(off_ns);
	g_autofree char *max = duration_format(max_ns);

	if (off_ns == 0)
		return NULL;
	return g_strdup_printf("Interrupts were off for %s, at most %s at a time.", off, max);
}

static char *facts_stop(const json_t *facts)
{
	static const struct {
		const char *word, *text;
	} stops[] = {
		{ "losses", "It ended because many answers in a row were lost." },
		{ "detached", "It ended because the port was removed." },
		{ "storm", "It ended because too many interrupts came; the line was masked." },
		{ "suspend", "It ended because the machine went to sleep." },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(stops); i++)
		if (facts_is(facts, "stop", stops[i].word))
			return g_strdup(stops[i].text);
	return NULL;
}

char **portfacts_lines(const json_t *facts)
{
	static char *(*const lines[])(const json_t *) = {
		facts_what, facts_port, facts_context, facts_counts, facts_off, facts_stop,
	};
	GPtrArray *all = g_ptr_array_new();

	for (size_t i = 0; json_is_object(facts) && i < G_N_ELEMENTS(lines); i++) {
		char *line = lines[i](facts);

		if (line)
			g_ptr_array_add(all, line);
	}
	g_ptr_array_add(all, NULL);
	return (char **)g_ptr_array_free(all, FALSE);
}
