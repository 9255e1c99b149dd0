/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why the text is kept: a session may wait for hours and its plan's file may change or go
 * meanwhile, and a result must say years later what was asked for. So a plan carries text that
 * makes an equal plan again. Its own file's words are the best such text; with drop-ins no single
 * file says it, and plan_format() writes what they come to.
 */
#include "plan-keys.h"

#include "conffile.h"
#include "conftree.h"
#include "policy.h"
#include "rule.h"
#include "textline.h"

#include <errno.h>
#include <string.h>

static void plan_stage_free(gpointer data)
{
	struct plan_stage *s = data;

	g_free(s->name);
	g_free(s->load);
	g_free(s);
}

struct plan_stage *plan_stage_new(const char *name, const char *load, uint64_t duration_ns)
{
	struct plan_stage *s = g_new0(struct plan_stage, 1);

	s->name = g_strdup(name);
	s->load = g_strdup(load);
	s->duration_ns = duration_ns;
	return s;
}

static struct plan *plan_new(const char *name, const char *file)
{
	struct plan *p = g_new0(struct plan, 1);

	p->name = g_strdup(name);
	p->file = g_strdup(file);
	p->description = g_strdup("");
	p->instrument = g_strdup("timer");
	p->policy = SCHED_FIFO;
	p->fallback_policy = -1;
	p->interval_ns = 1000000;
	p->duration_ns = 10000000000;
	p->warmup_ns = 100000000; /* the first samples pay for cold caches and page tables */
	p->work_ns = 100000;
	p->cpus = g_strdup("all");
	p->lock_memory = true;
	p->checkpoint_ns = 10000000000;
	p->settle_ns = 1000000000;
	p->repeat = 1;
	p->stages = g_ptr_array_new_with_free_func(plan_stage_free);
	p->limits = g_array_new(FALSE, FALSE, sizeof(struct limit));
	p->irq_rules = rules_new();
	schedule_init(&p->schedule);
	return p;
}

void plan_free(struct plan *p)
{
	if (!p)
		return;
	g_free(p->name);
	g_free(p->file);
	g_free(p->description);
	g_free(p->instrument);
	g_free(p->port);
	g_free(p->cpus);
	g_ptr_array_unref(p->stages);
	g_array_unref(p->limits);
	g_ptr_array_unref(p->irq_rules);
	schedule_done(&p->schedule);
	g_free(p->label);
	g_free(p->baseline);
	g_free(p->text);
	g_free(p);
}

static void *plan_stage_copy(const void *data, void *unused)
{
	const struct plan_stage *s = data;
	struct plan_stage *copy = plan_stage_new(s->name, s->load, s->duration_ns);

	copy->line = s->line;
	return copy;
}

struct plan *plan_copy(const struct plan *p)
{
	struct plan *copy = g_memdup2(p, sizeof(*p));

	copy->name = g_strdup(p->name);
	copy->file = g_strdup(p->file);
	copy->description = g_strdup(p->description);
	copy->instrument = g_strdup(p->instrument);
	copy->port = g_strdup(p->port);
	copy->cpus = g_strdup(p->cpus);
	copy->stages = g_ptr_array_copy(p->stages, (GCopyFunc)plan_stage_copy, NULL);
	copy->limits = g_array_copy(p->limits);
	copy->irq_rules = rules_copy(p->irq_rules);
	schedule_copy(&copy->schedule, &p->schedule);
	copy->label = g_strdup(p->label);
	copy->baseline = g_strdup(p->baseline);
	copy->text = g_strdup(p->text);
	return copy;
}

static void plan_take_text(struct conf_group *g, struct plan *p, const struct plan_key *k)
{
	g_autofree char *why = NULL;
	const char *text;

	if (conf_take_string(g, k->name, &text) == 0 && plan_key_set(p, k, text, &why) < 0)
		(void)conf_complain(g, k->name, "%s", why);
}

static void plan_take_integer(struct conf_group *g, const struct plan_key *k, int *field)
{
	int64_t value;

	if (conf_take_integer(g, k->name, (int64_t)k->min, (int64_t)k->max, &value) == 0)
		*field = value;
}

static void plan_take_key(struct conf_group *g, struct plan *p, const struct plan_key *k)
{
	void *field = (char *)p + k->offset;

	switch (k->kind) {
	case PLAN_DURATION:
		(void)conf_take_duration(g, k->name, k->min, k->max, field);
		break;
	case PLAN_INTEGER:
		plan_take_integer(g, k, field);
		break;
	case PLAN_BOOL:
		(void)conf_take_bool(g, k->name, field);
		break;
	case PLAN_LATENCY:
		if (conf_is_string(g, k->name))
			plan_take_text(g, p, k);
		else
			plan_take_integer(g, k, field);
		break;
	case PLAN_TEXT:
	case PLAN_INSTRUMENT:
	case PLAN_POLICY:
	case PLAN_FALLBACK:
	case PLAN_CPUS:
	case PLAN_PORT:
	case PLAN_NAME:
	case PLAN_ROLE:
	case PLAN_ANSWER:
	case PLAN_RECEIVE:
		plan_take_text(g, p, k);
		break;
	}
}

int plan_stage_name_check(const char *name, char **ret_message)
{
	if (*name && strlen(name) <= PLAN_NAME_MAX && text_is_line(name))
		return 0;
	if (ret_message)
		*ret_message = g_strdup_printf("a stage's name is one line of at most %d bytes",
					       PLAN_NAME_MAX);
	return -EINVAL;
}

static void plan_take_stage(struct conf_group *g, struct plan *p)
{
	const char *load = NULL, *name = NULL;
	uint64_t duration_ns = p->duration_ns;
	struct plan_stage *s;

	if (conf_take_string(g, "load", &load) == 1)
		(void)conf_complain(g, NULL, "a stage needs a load: load = \"none\" for none");
	(void)conf_take_duration(g, "duration", PLAN_DURATION_MIN_NS, PLAN_DURATION_MAX_NS,
				 &duration_ns);
	if (load && !conftree_name_valid(load))
		(void)conf_complain(g, "load",
				    "\"%.64s\" is no load's name: small letters, digits and _",
				    load);
	if (conf_take_string(g, "name", &name) == 0) {
		g_autofree char *why = NULL;

		if (plan_stage_name_check(name, &why) < 0)
			(void)conf_complain(g, "name", "%s", why);
	}
	if (!load)
		return;
	for (guint i = 0; i < p->stages->len; i++) {
		const struct plan_stage *other = p->stages->pdata[i];

		if (strcmp(other->name, name ?: load) == 0)
			(void)conf_complain(
				g, name ? "name" : "load",
				"two stages are called \"%.64s\"; give one of them another "
				"name, such as name = \"%.56s_again\"",
				name ?: load, name ?: load);
	}
	s = plan_stage_new(name ?: load, load, duration_ns);
	s->line = conf_line(g, "load");
	g_ptr_array_add(p->stages, s);
}

static void plan_take_stages(struct conf_group *g, struct plan *p)
{
	g_autofree struct conf_group **groups = NULL;
	size_t n = 0;
	int r;

	r = conf_take_groups(g, "stages", &groups, &n);
	if (r == 0 && (n == 0 || n > PLAN_STAGES_MAX)) {
		(void)conf_complain(g, "stages", "\"stages\" has %zu of them; it takes 1 to %d", n,
				    PLAN_STAGES_MAX);
		return;
	}
	for (size_t i = 0; i < n; i++)
		plan_take_stage(groups[i], p);
	if (r == 1)
		g_ptr_array_add(p->stages, plan_stage_new("none", "none", p->duration_ns));
}

static void plan_take_limits(struct conf_group *g, struct plan *p)
{
	g_auto(GStrv) limits = NULL;

	if (conf_take_strings(g, "limits", &limits) != 0)
		return;
	if (g_strv_length(limits) > PLAN_LIMITS_MAX) {
		(void)conf_complain(g, "limits", "\"limits\" has over %d of them", PLAN_LIMITS_MAX);
		return;
	}
	for (unsigned i = 0; limits[i]; i++) {
		g_autofree char *why = NULL;
		struct limit l;

		if (limit_parse(limits[i], &l, &why) < 0)
			(void)conf_complain_at(g, "limits", i, "%s", why);
		else
			g_array_append_val(p->limits, l);
	}
}

/* A rule that is refused refuses the plan: it is counted with the other problems. */
static void plan_take_rules(struct conf_group *g, struct plan *p, GPtrArray *problems)
{
	g_autofree char *name = g_strdup_printf("plan:%s", p->name);

	g_ptr_array_unref(p->irq_rules);
	p->irq_rules = rules_take(g, "irq_rules", name, problems);
}

/* Keys that the instrument or policy makes meaningless: refused, so that nobody believes in them.
 */
static void plan_refuse_idle_keys(struct conf_group *g, const struct plan *p)
{
	static const char *const deadline_keys[] = { "runtime", "deadline", "period" };
	static const char *const role_keys[] = { "role",   "port",    "answer", "receive",
						 "strobe", "virtual", "timeout" };
	const struct plan_instrument *i = plan_instrument(p->instrument);

	if (!i->interval && conf_has(g, "interval"))
		(void)conf_complain(g, "interval",
				    "the instrument %s has no interval: its passes "
				    "follow each other",
				    p->instrument);
	if (i->interval && !plan_has_interval(p) && conf_has(g, "interval"))
		(void)conf_complain(g, "interval",
				    "a target has no interval: it answers when the logger asks");
	if (!i->dither && conf_has(g, "dither"))
		(void)conf_complain(g, "dither", "the instrument %s has no interval to dither",
				    p->instrument);
	for (size_t n = 0; n < G_N_ELEMENTS(role_keys); n++)
		if (i->role == ROLE_NONE && conf_has(g, role_keys[n]))
			(void)conf_complain(g, role_keys[n],
					    "\"%s\" belongs to the instruments parport and ktimer, "
					    "and the instrument here is %s",
					    role_keys[n], p->instrument);
	if (!i->work && conf_has(g, "work"))
		(void)conf_complain(g, "work", "the instrument %s does no work between samples",
				    p->instrument);
	for (size_t n = 0; n < G_N_ELEMENTS(deadline_keys); n++)
		if (p->policy != SCHED_DEADLINE && conf_has(g, deadline_keys[n]))
			(void)conf_complain(
				g, deadline_keys[n],
				"\"%s\" belongs to policy deadline, and the policy here is %s",
				deadline_keys[n], policy_to_string(p->policy));
}

static void plan_refuse_idle_schedule(struct conf_group *g, const struct plan *p)
{
	for (const struct plan_key *k = plan_keys; k->name; k++)
		if (k->schedule && k->offset != offsetof(struct plan, schedule.enabled) &&
		    !schedule_is_set(&p->schedule) && !conf_has(g, "schedule") &&
		    conf_has(g, k->name))
			(void)conf_complain(g, k->name,
					    "\"%s\" belongs to a schedule, and this plan has none",
					    k->name);
	if (p->schedule.persistent && p->schedule.on_boot_ns > 0 && !conf_has(g, "schedule"))
		(void)conf_complain(g, "persistent",
				    "\"persistent\" catches up with times of the key schedule; "
				    "on_boot comes with every boot");
}

static void plan_take(struct conf_group *g, struct plan *p, GPtrArray *problems)
{
	for (const struct plan_key *k = plan_keys; k->name; k++)
		plan_take_key(g, p, k);
	if (policy_is_realtime(p->policy) && p->priority == 0)
		p->priority = PLAN_PRIORITY_DEFAULT;
	plan_fill_role(p);
	if (!plan_has_interval(p))
		p->interval_ns = 0;
	plan_take_stages(g, p);
	plan_take_limits(g, p);
	plan_take_rules(g, p, problems);
	schedule_take(g, "schedule", &p->schedule);
	retention_take(g, problems, &p->keep);
	plan_refuse_idle_keys(g, p);
	plan_refuse_idle_schedule(g, p);
}

static void plan_take_conflict(struct conf_group *g, const struct plan *p)
{
	g_autofree char *why = NULL;
	const char *key = plan_conflict(p, &why);

	if (key)
		(void)conf_complain(g, key, "%s", why);
}

static struct plan *plan_from_conf(struct conf *c, const char *name, const char *file,
				   GPtrArray *problems, guint before)
{
	struct plan *p = plan_new(name, file);

	if (conf_empty(c))
		(void)problem_add(
			problems, file, 0,
			"is empty; a plan says at least one thing, such as duration = \"10s\"");
	plan_take(conf_root(c), p, problems);
	/* values that were refused would conflict by what stands in for them */
	if (problems->len == before)
		plan_take_conflict(conf_root(c), p);
	conf_done(c);
	if (problems->len == before)
		return p;
	plan_free(p);
	return NULL;
}

struct plan *plan_parse(const char *name, const char *text, size_t size, const char *file,
			GPtrArray *problems)
{
	guint before = problems->len;
	struct conf *c = conf_parse(text, size, file, problems);
	struct plan *p;

	if (!c)
		return NULL;
	p = plan_from_conf(c, name, file, problems, before);
	conf_free(c);
	if (p)
		p->text = g_strndup(text, size);
	return p;
}

struct plan *plan_from_file(const struct conftree_file *f, GPtrArray *problems)
{
	struct plan *p = NULL;
	guint before = problems->len;
	struct conf *c;

	c = conftree_file_parse(f, problems);
	if (c)
		p = plan_from_conf(c, f->name, f->path, problems, before);
	conf_free(c);
	if (p)
		p->text = f->dropins->len > 0 ? plan_format(p) : g_strndup(f->text, f->size);
	return p;
}

const char *plan_baseline(const struct plan *p)
{
	return p->baseline ?: p->name;
}

void plan_order(const struct plan *p, const struct plan_stage *s, int policy, const cpu_set_t *cpus,
		struct order *ret)
{
	const struct plan_instrument *i = plan_instrument(p->instrument);

	order_init(ret);
	g_strlcpy(ret->instrument, p->instrument, sizeof(ret->instrument));
	ret->policy = policy;
	ret->priority = policy_is_realtime(policy) ? p->priority : 0;
	ret->nice = policy == SCHED_OTHER || policy == SCHED_BATCH ? p->nice : 0;
	ret->dma_latency_us = p->dma_latency_us;
	ret->interval_ns = plan_has_interval(p) ? p->interval_ns : 0;
	ret->duration_ns = s->duration_ns;
	ret->warmup_ns = p->warmup_ns;
	ret->break_ns = p->break_ns;
	ret->within_ns = p->within_ns;
	ret->dither_ns = i->dither ? p->dither_ns : 0;
	ret->work_ns = i->work ? p->work_ns : 0;
	if (policy == SCHED_DEADLINE) {
		ret->dl_runtime_ns = p->dl_runtime_ns;
		ret->dl_deadline_ns = p->dl_deadline_ns;
		ret->dl_period_ns = p->dl_period_ns;
	}
	ret->lock_memory = p->lock_memory;
	ret->role = (uint32_t)p->role;
	ret->answer = (uint32_t)p->answer;
	ret->receive = (uint32_t)p->receive;
	ret->pulse = role_pulse(p->strobe, p->virtual_port);
	ret->timeout_ns = p->timeout_ns ?: role_timeout_ns(ret->role, ret->interval_ns);
	g_strlcpy(ret->port, p->port ?: "", sizeof(ret->port));
	ret->cpus = *cpus;
}
