/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "method.h"

#include "cpulist.h"
#include "policy.h"
#include "role.h"

#include <string.h>

#define METHOD_SCHEDULED "scheduled" /* by its schedule: no part of how */

static json_t *method_word(const char *word)
{
	return word ? json_string(word) : json_null();
}

/* Of what is measured through the kernel module; where handlers ran comes with the stages. */
static void method_describe_role(const struct plan *p, json_t *m)
{
	uint64_t timeout_ns = p->timeout_ns ?: role_timeout_ns((uint32_t)p->role, p->interval_ns);

	if (p->role == ROLE_NONE)
		return;
	json_object_set_new(m, "role", method_word(role_to_string((uint32_t)p->role)));
	json_object_set_new(m, "port", method_word(p->port));
	json_object_set_new(m, "answer", method_word(role_answer_to_string((uint32_t)p->answer)));
	json_object_set_new(m, "receive",
			    method_word(role_receive_to_string((uint32_t)p->receive)));
	json_object_set_new(m, "strobe", json_boolean(p->strobe));
	json_object_set_new(m, "virtual", json_boolean(p->virtual_port));
	json_object_set_new(m, "timeout_ns",
			    timeout_ns ? json_integer((json_int_t)timeout_ns) : json_null());
	json_object_set_new(m, "context", json_array());
}

/* Every key of @a has the same value in @b. */
static bool method_within(const json_t *a, const json_t *b)
{
	const char *key;
	json_t *value;

	json_object_foreach ((json_t *)a, key, value) {
		if (strcmp(key, METHOD_SCHEDULED) != 0 &&
		    !json_equal(value, json_object_get(b, key)))
			return false;
	}
	return true;
}

bool method_same(const json_t *a, const json_t *b)
{
	return method_within(a, b) && method_within(b, a);
}

void method_describe(const struct session *s)
{
	const struct plan *p = s->plan;
	json_t *m = s->r->method;
	g_autofree char *cpus = cpulist_format(&s->cpus);

	json_object_set_new(m, "instrument", json_string(p->instrument));
	json_object_set_new(m, "policy", json_string(policy_to_string(s->r->policy)));
	json_object_set_new(m, "priority", json_integer(s->r->priority));
	json_object_set_new(m, "nice", json_integer(p->nice));
	json_object_set_new(m, "interval_ns", json_integer((json_int_t)s->r->interval_ns));
	json_object_set_new(m, "warmup_ns", json_integer((json_int_t)p->warmup_ns));
	json_object_set_new(m, "dither_ns", json_integer((json_int_t)p->dither_ns));
	json_object_set_new(m, "dma_latency_us",
			    p->dma_latency_us < 0 ? json_null() : json_integer(p->dma_latency_us));
	json_object_set_new(m, "lock_memory", json_boolean(p->lock_memory));
	json_object_set_new(m, "cpus", json_string(cpus));
	if (s->peer)
		json_object_set_new(m, "loads", json_string("peer"));
	method_describe_role(p, m);
	if (strcmp(p->instrument, "cpuloop") == 0)
		json_object_set_new(m, "work_ns", json_integer((json_int_t)p->work_ns));
}
