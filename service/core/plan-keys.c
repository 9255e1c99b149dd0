/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why one table: a key's range must be the same whether it comes from the file, from a drop-in or
 * from the command line, and a plan that is written out must be read back as the same plan. Three
 * lists would agree on the day they are written.
 */
#include "plan-keys.h"

#include "conffile.h"
#include "conftree.h"
#include "cpulist.h"
#include "duration.h"
#include "message.h"
#include "policy.h"
#include "rule.h"
#include "textline.h"

#include <errno.h>
#include <string.h>

#define US UINT64_C(1000)
#define MS (1000 * US)
#define S  (1000 * MS)
#define H  (3600 * S)

#define KEY(key_name, key_kind, field, ...)                                                        \
	{                                                                                          \
		.name = key_name, .kind = key_kind, .offset = offsetof(struct plan, field),        \
		__VA_ARGS__                                                                        \
	}

/* In the order in which a plan is written. */
const struct plan_key plan_keys[] = {
	KEY("description", PLAN_TEXT, description, .max = 1024),
	KEY("label", PLAN_TEXT, label, .max = 128, .override = true),
	KEY("instrument", PLAN_INSTRUMENT, instrument),
	KEY("duration", PLAN_DURATION, duration_ns, PLAN_DURATION_MIN_NS, PLAN_DURATION_MAX_NS,
	    true),
	KEY("role", PLAN_ROLE, role),
	KEY("port", PLAN_PORT, port, .override = true),
	KEY("answer", PLAN_ANSWER, answer),
	KEY("receive", PLAN_RECEIVE, receive),
	KEY("strobe", PLAN_BOOL, strobe),
	KEY("virtual", PLAN_BOOL, virtual_port),
	KEY("interval", PLAN_DURATION, interval_ns, US, H, true),
	KEY("timeout", PLAN_DURATION, timeout_ns, US, 5 * S),
	KEY("warm_up", PLAN_DURATION, warmup_ns, 0, H, true),
	KEY("break", PLAN_DURATION, break_ns, 0, H, true),
	KEY("within", PLAN_DURATION, within_ns, 0, H),
	KEY("dither", PLAN_DURATION, dither_ns, 0, H),
	KEY("work", PLAN_DURATION, work_ns, US, 100 * MS),
	KEY("cpus", PLAN_CPUS, cpus, .max = 4096, .override = true),
	KEY("policy", PLAN_POLICY, policy, .override = true),
	KEY("fallback_policy", PLAN_FALLBACK, fallback_policy),
	/* 99 is left to the thread that ends the measurement */
	KEY("priority", PLAN_INTEGER, priority, 1, 98, true),
	KEY("nice", PLAN_INTEGER, nice, (uint64_t)-20, 19),
	/* the kernel refuses a budget under 1024 ns: sched(7) */
	KEY("runtime", PLAN_DURATION, dl_runtime_ns, 1024, H),
	KEY("deadline", PLAN_DURATION, dl_deadline_ns, 1024, H),
	KEY("period", PLAN_DURATION, dl_period_ns, 1024, H),
	KEY("dma_latency", PLAN_LATENCY, dma_latency_us, 0, 2000000000, true),
	KEY("lock_memory", PLAN_BOOL, lock_memory),
	KEY("checkpoint", PLAN_DURATION, checkpoint_ns, S, H),
	KEY("settle", PLAN_DURATION, settle_ns, 0, H),
	KEY("repeat", PLAN_INTEGER, repeat, 1, PLAN_REPEAT_MAX),
	KEY("baseline", PLAN_NAME, baseline),
	KEY("schedule_enabled", PLAN_BOOL, schedule.enabled, .schedule = true),
	KEY("persistent", PLAN_BOOL, schedule.persistent, .schedule = true),
	KEY("wake_system", PLAN_BOOL, schedule.wake_system, .schedule = true),
	KEY("on_boot", PLAN_DURATION, schedule.on_boot_ns, S, PLAN_DURATION_MAX_NS,
	    .schedule = true),
	KEY("randomized_delay", PLAN_DURATION, schedule.randomized_delay_ns, 0,
	    PLAN_DURATION_MAX_NS, .schedule = true),
	KEY("accuracy", PLAN_DURATION, schedule.accuracy_ns, US, 24 * H, .schedule = true),
	KEY("start_within", PLAN_DURATION, schedule.start_within_ns, S, PLAN_DURATION_MAX_NS,
	    .schedule = true),
	{ NULL },
};

const struct plan_instrument plan_instruments[] = {
	{ "timer", .interval = true, .dither = true, .grid = true, .roles = 1 << ROLE_NONE },
	{ "cpuloop", .work = true, .roles = 1 << ROLE_NONE },
	{ "parport", .interval = true, .role = ROLE_LOOPBACK,
	  .roles = 1 << ROLE_LOOPBACK | 1 << ROLE_LOGGER | 1 << ROLE_TARGET },
	{ "ktimer", .interval = true, .grid = true, .role = ROLE_IRQ,
	  .roles = 1 << ROLE_IRQ | 1 << ROLE_KTHREAD },
	{ NULL },
};

const struct plan_instrument *plan_instrument(const char *name)
{
	for (size_t i = 0; plan_instruments[i].name; i++)
		if (strcmp(plan_instruments[i].name, name) == 0)
			return &plan_instruments[i];
	return NULL;
}

bool plan_has_interval(const struct plan *p)
{
	return plan_instrument(p->instrument)->interval && p->role != ROLE_TARGET;
}

void plan_fill_role(struct plan *p)
{
	if (p->role == ROLE_NONE)
		p->role = plan_instrument(p->instrument)->role;
	if (p->role == ROLE_TARGET && p->answer == ROLE_ANSWER_NONE)
		p->answer = ROLE_ANSWER_HANDLER;
	if (p->role == ROLE_LOGGER && p->receive == ROLE_RECEIVE_NONE)
		p->receive = ROLE_RECEIVE_POLL;
	if (role_of_port(p->role) && !p->port)
		p->port = g_strdup(PLAN_PORT_DEFAULT);
}

static int plan_set_duration(const struct plan_key *k, const char *text, uint64_t *field,
			     char **ret_message)
{
	g_autofree char *why = NULL;
	uint64_t value;

	if (duration_parse(text, 0, &value, &why) < 0)
		return message_fail(ret_message, -EINVAL, "\"%s\": %s", k->name, why);
	if (value < k->min || value > k->max) {
		g_autofree char *is = duration_format(value);
		g_autofree char *min = duration_format(k->min);
		g_autofree char *max = duration_format(k->max);

		return message_fail(ret_message, -EINVAL, "\"%s\" is %s; it takes %s to %s",
				    k->name, is, min, max);
	}
	*field = value;
	return 0;
}

static int plan_set_integer(const struct plan_key *k, const char *text, int *field,
			    char **ret_message)
{
	g_autofree char *why = NULL;
	int64_t value;

	if (integer_parse(text, (int64_t)k->min, (int64_t)k->max, &value, &why) < 0)
		return message_fail(ret_message, -EINVAL, "\"%s\": %s", k->name, why);
	*field = value;
	return 0;
}

/* A whole number of microseconds, with or without the unit; "none". */
static int plan_set_latency(const struct plan_key *k, const char *text, int *field,
			    char **ret_message)
{
	g_autofree char *why = NULL;
	uint64_t ns;

	if (strcmp(text, "none") == 0) {
		*field = -1;
		return 0;
	}
	if (duration_parse(text, US, &ns, &why) < 0)
		return message_fail(ret_message, -EINVAL, "\"%s\": %s; or \"none\"", k->name, why);
	if (ns % US || ns / US > k->max)
		return message_fail(ret_message, -EINVAL,
				    "\"%s\" takes whole microseconds from 0 to %" G_GUINT64_FORMAT
				    ", or \"none\" to leave the idle states alone",
				    k->name, k->max);
	*field = ns / US;
	return 0;
}

static int plan_set_policy(const struct plan_key *k, const char *text, int *field,
			   char **ret_message)
{
	int policy = policy_from_string(text);

	if (k->kind == PLAN_FALLBACK && strcmp(text, "none") == 0) {
		*field = -1;
		return 0;
	}
	if (policy < 0)
		return message_fail(ret_message, -EINVAL,
				    "there is no policy \"%.32s\"; there are other, batch, idle, "
				    "fifo, rr and deadline",
				    text);
	if (k->kind == PLAN_FALLBACK && !policy_is_ordinary(policy))
		return message_fail(ret_message, -EINVAL,
				    "\"%s\" takes other, batch or idle: what %s needs is what may "
				    "not be permitted",
				    k->name, text);
	*field = policy;
	return 0;
}

static int plan_set_instrument(const char *text, char **field, char **ret_message)
{
	g_autoptr(GString) known = NULL;

	if (plan_instrument(text)) {
		g_free(*field);
		*field = g_strdup(text);
		return 0;
	}
	known = g_string_new(NULL);
	for (size_t i = 0; plan_instruments[i].name; i++)
		g_string_append_printf(known, "%s%s", i ? ", " : "", plan_instruments[i].name);
	return message_fail(ret_message, -EINVAL, "there is no instrument \"%.32s\"; there are: %s",
			    text, known->str);
}

static int plan_set_text(const struct plan_key *k, const char *text, char **field,
			 char **ret_message)
{
	if (strlen(text) > k->max)
		return message_fail(ret_message, -EINVAL,
				    "\"%s\" is longer than %" G_GUINT64_FORMAT " bytes", k->name,
				    k->max);
	if (!g_utf8_validate(text, -1, NULL))
		return message_fail(ret_message, -EINVAL, "\"%s\" is not UTF-8 text", k->name);
	if (!text_is_line(text))
		return message_fail(ret_message, -EINVAL,
				    "\"%s\" is one line without control characters", k->name);
	g_free(*field);
	*field = g_strdup(text);
	return 0;
}

static int plan_set_port(const struct plan_key *k, const char *text, char **field,
			 char **ret_message)
{
	if (!role_port_valid(text))
		return message_fail(ret_message, -EINVAL,
				    "\"%s\" takes the name of a port, such as \"parport0\": "
				    "small letters, digits, _ and -, at most %d, and no path",
				    k->name, ROLE_PORT_MAX);
	g_free(*field);
	*field = g_strdup(text);
	return 0;
}

static int plan_set_name(const struct plan_key *k, const char *text, char **field,
			 char **ret_message)
{
	if (!conftree_name_valid(text))
		return message_fail(ret_message, -EINVAL,
				    "\"%s\" takes a name of small letters, digits and _", k->name);
	g_free(*field);
	*field = g_strdup(text);
	return 0;
}

/* One of a few words, whose number is kept. */
static int plan_set_word(const struct plan_key *k, const char *text, int *field, char **ret_message)
{
	const char *words;
	int value;

	switch (k->kind) {
	case PLAN_ROLE:
		value = role_from_string(text);
		words = "loopback, logger, target; irq, kthread";
		break;
	case PLAN_ANSWER:
		value = role_answer_from_string(text);
		words = "handler, kthread, user";
		break;
	default:
		value = role_receive_from_string(text);
		words = "poll, irq";
	}
	if (value < 0)
		return message_fail(ret_message, -EINVAL,
				    "\"%s\" cannot be \"%.32s\"; it takes one of: %s", k->name,
				    text, words);
	*field = value;
	return 0;
}

static int plan_set_cpus(const struct plan_key *k, const char *text, char **field,
			 char **ret_message)
{
	g_autofree char *why = NULL;

	if (strlen(text) > k->max)
		return message_fail(ret_message, -EINVAL, "\"%s\" is too long", k->name);
	/* which CPUs there are is known when a session starts */
	if (cpulist_check_syntax(text, &why) < 0)
		return message_fail(ret_message, -EINVAL, "\"%s\": %s", k->name, why);
	g_free(*field);
	*field = g_strdup(text);
	return 0;
}

int plan_key_set(struct plan *p, const struct plan_key *k, const char *text, char **ret_message)
{
	void *field = (char *)p + k->offset;

	switch (k->kind) {
	case PLAN_DURATION:
		return plan_set_duration(k, text, field, ret_message);
	case PLAN_INTEGER:
		return plan_set_integer(k, text, field, ret_message);
	case PLAN_TEXT:
		return plan_set_text(k, text, field, ret_message);
	case PLAN_INSTRUMENT:
		return plan_set_instrument(text, field, ret_message);
	case PLAN_POLICY:
	case PLAN_FALLBACK:
		return plan_set_policy(k, text, field, ret_message);
	case PLAN_CPUS:
		return plan_set_cpus(k, text, field, ret_message);
	case PLAN_LATENCY:
		return plan_set_latency(k, text, field, ret_message);
	case PLAN_PORT:
		return plan_set_port(k, text, field, ret_message);
	case PLAN_NAME:
		return plan_set_name(k, text, field, ret_message);
	case PLAN_ROLE:
	case PLAN_ANSWER:
	case PLAN_RECEIVE:
		return plan_set_word(k, text, field, ret_message);
	case PLAN_BOOL: /* no override takes one, and files have them typed */
		break;
	}
	g_assert_not_reached();
}

static char *plan_quote_duration(uint64_t ns)
{
	g_autofree char *text = duration_format(ns);

	return conf_quote(text);
}

static char *plan_quote_word(const char *word)
{
	return word ? conf_quote(word) : NULL;
}

static bool plan_schedule_key_applies(const struct plan *p, const struct plan_key *k)
{
	const void *field = (const char *)p + k->offset;

	if (k->offset == offsetof(struct plan, schedule.enabled))
		return !p->schedule.enabled;
	if (!schedule_is_set(&p->schedule))
		return false;
	return k->kind == PLAN_BOOL ? *(const bool *)field : *(const uint64_t *)field > 0;
}

/* Keys that other keys' values rule out are not written: they would be refused. */
static bool plan_key_applies(const struct plan *p, const struct plan_key *k)
{
	const struct plan_instrument *i = plan_instrument(p->instrument);

	if (k->schedule)
		return plan_schedule_key_applies(p, k);
	if (k->offset == offsetof(struct plan, interval_ns))
		return plan_has_interval(p);
	if (k->offset == offsetof(struct plan, dither_ns))
		return i->dither;
	if (k->offset == offsetof(struct plan, timeout_ns))
		return p->timeout_ns > 0;
	if (k->offset == offsetof(struct plan, strobe))
		return p->strobe;
	if (k->offset == offsetof(struct plan, virtual_port))
		return p->virtual_port;
	if (k->offset == offsetof(struct plan, work_ns))
		return i->work;
	if (k->offset == offsetof(struct plan, priority))
		return policy_is_realtime(p->policy);
	if (k->offset == offsetof(struct plan, nice))
		return p->nice != 0;
	if (k->offset == offsetof(struct plan, repeat))
		return p->repeat > 1;
	if (k->offset == offsetof(struct plan, fallback_policy))
		return p->fallback_policy >= 0;
	if (k->offset == offsetof(struct plan, dl_runtime_ns) ||
	    k->offset == offsetof(struct plan, dl_deadline_ns) ||
	    k->offset == offsetof(struct plan, dl_period_ns))
		return p->policy == SCHED_DEADLINE;
	return true;
}

char *plan_key_text(const struct plan *p, const struct plan_key *k)
{
	const void *field = (const char *)p + k->offset;

	if (!plan_key_applies(p, k))
		return NULL;
	switch (k->kind) {
	case PLAN_DURATION:
		return plan_quote_duration(*(const uint64_t *)field);
	case PLAN_INTEGER:
		return g_strdup_printf("%d", *(const int *)field);
	case PLAN_BOOL:
		return g_strdup(*(const bool *)field ? "true" : "false");
	case PLAN_TEXT:
	case PLAN_INSTRUMENT:
	case PLAN_CPUS: {
		const char *text = *(char *const *)field;

		return text ? conf_quote(text) : NULL;
	}
	case PLAN_POLICY:
	case PLAN_FALLBACK:
		return conf_quote(policy_to_string(*(const int *)field));
	case PLAN_PORT:
	case PLAN_NAME:
		return *(char *const *)field ? conf_quote(*(char *const *)field) : NULL;
	case PLAN_ROLE:
		return plan_quote_word(role_to_string(*(const int *)field));
	case PLAN_ANSWER:
		return plan_quote_word(role_answer_to_string(*(const int *)field));
	case PLAN_RECEIVE:
		return plan_quote_word(role_receive_to_string(*(const int *)field));
	case PLAN_LATENCY:
		if (*(const int *)field < 0)
			return g_strdup("\"none\"");
		return g_strdup_printf("%d", *(const int *)field);
	}
	g_assert_not_reached();
}

static void plan_append_stages(GString *out, const struct plan *p)
{
	g_string_append(out, "stages = (");
	for (guint i = 0; i < p->stages->len; i++) {
		const struct plan_stage *s = p->stages->pdata[i];
		g_autofree char *name = conf_quote(s->name);
		g_autofree char *load = conf_quote(s->load);
		g_autofree char *duration = plan_quote_duration(s->duration_ns);

		g_string_append_printf(out, "%s\n\t{ name = %s; load = %s; duration = %s; }",
				       i ? "," : "", name, load, duration);
	}
	g_string_append(out, "\n);\n");
}

static void plan_append_limits(GString *out, const struct plan *p)
{
	g_string_append(out, "limits = [");
	for (guint i = 0; i < p->limits->len; i++) {
		const struct limit *l = &g_array_index(p->limits, struct limit, i);

		g_string_append_printf(out, "%s\"%s\"", i ? ", " : " ", l->text);
	}
	g_string_append(out, " ];\n");
}

char *plan_format(const struct plan *p)
{
	GString *out = g_string_new(NULL);

	for (const struct plan_key *k = plan_keys; k->name; k++) {
		g_autofree char *value = plan_key_text(p, k);

		if (value)
			g_string_append_printf(out, "%s = %s;\n", k->name, value);
	}
	plan_append_stages(out, p);
	if (p->limits->len > 0)
		plan_append_limits(out, p);
	if (p->schedule.calendars->len > 0) {
		g_autofree char *schedule = schedule_format(&p->schedule);

		g_string_append_printf(out, "schedule = %s;\n", schedule);
	}
	if (p->irq_rules->len > 0) {
		g_autofree char *rules = rules_format(p->irq_rules);

		g_string_append_printf(out, "irq_rules = %s;\n", rules);
	}
	if (p->keep.given) {
		g_autofree char *keep = retention_format(&p->keep);

		g_string_append_printf(out, "keep = %s;\n", keep);
	}
	return g_string_free(out, FALSE);
}
