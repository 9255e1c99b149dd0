/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The policy of interrupts over a made machine (fake-irqs.h): who gets which value, what is put
 * back, what is left alone, in which order, and what is said of it. Journal, rules and guards are
 * the real ones.
 */
#include "fake-irqs.h"
#include "finding.h"
#include "irqdrift.h"
#include "irqpolicy.h"
#include "tuning.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

struct world {
	struct fake *f;
	char *dir, *irqd, *run;
	const char *config_dirs[2];
	struct irqpolicy *p;
	sd_event *event;
	GPtrArray *news; /* of struct irq_change */
	char *before;	 /* the machine's state */
};

static void on_news(const struct irq_change *c, void *userdata)
{
	struct world *w = userdata;

	if (!w->f->frozen)
		g_ptr_array_add(w->news, irq_change_copy(c));
}

static void world_setup(struct world *w, gconstpointer data)
{
	w->f = fake_new();
	w->dir = g_dir_make_tmp("lrtbf-irqpolicy-XXXXXX", NULL);
	w->irqd = g_build_filename(w->dir, "irq.d", NULL);
	w->run = g_build_filename(w->dir, "run", NULL);
	g_assert_cmpint(g_mkdir(w->irqd, 0755), ==, 0);
	g_assert_cmpint(g_mkdir(w->run, 0755), ==, 0);
	w->config_dirs[0] = w->dir;
	w->news = g_ptr_array_new_with_free_func((GDestroyNotify)irq_change_free);
	g_assert_cmpint(sd_event_new(&w->event), >=, 0);
	fake_add_line(w->f, 5, "eth0", "eth0");
	fake_add_line(w->f, 7, "parport0", NULL);
	fake_add_line(w->f, 9, "timer", NULL);
	fake_add_thread(w->f, 50, "irq/5-eth0");
	fake_add_thread(w->f, 51, "irq/5-s-eth0");
	fake_add_thread(w->f, 52, "irq/7-parport0");
	fake_add_thread(w->f, 20, "ksoftirqd/0");
	fake_add_thread(w->f, 21, "rcuc/0");
	fake_add_thread(w->f, 22, "rcub/0");
	fake_add_thread(w->f, 23, "irq_work/0");
	fake_add_thread(w->f, 24, "ktimers/0");
	fake_add_thread(w->f, 25, "migration/0");
	fake_add_thread(w->f, 26, "napi/eth0-3");
	fake_chrt(w->f, "napi/eth0-3", SCHED_OTHER, 0);
	w->before = fake_state(w->f);
}

static void world_rules(const struct world *w, const char *file, const char *text)
{
	g_autofree char *name = g_strconcat(file, ".conf", NULL);
	g_autofree char *path = g_build_filename(w->irqd, name, NULL);

	g_assert_true(g_file_set_contents(path, text, -1, NULL));
	g_assert_cmpint(g_chmod(path, 0644), ==, 0);
}

static void world_no_rules(const struct world *w, const char *file)
{
	g_autofree char *name = g_strconcat(file, ".conf", NULL);
	g_autofree char *path = g_build_filename(w->irqd, name, NULL);

	g_assert_cmpint(g_unlink(path), ==, 0);
}

static void world_start(struct world *w)
{
	g_autoptr(GPtrArray) problems = problems_new();
	const struct irqpolicy_params params = {
		.event = w->event,
		.root = "/",
		.runtime_dir = w->run,
		.config_dirs = w->config_dirs,
		.problems = problems,
		.news = on_news,
		.userdata = w,
	};
	g_autofree char *text = NULL;

	w->p = irqpolicy_new(&params);
	text = problems_format(problems);
	g_assert_cmpstr(text, ==, "");
}

static void world_stop(struct world *w)
{
	w->p = irqpolicy_free(w->p);
}

/* The process dies: what it has set stays, and its journal. */
static void world_kill(struct world *w)
{
	g_autofree char *path = g_build_filename(w->run, "tuning", NULL);
	g_autofree char *journal = NULL;
	gsize size;

	g_assert_true(g_file_get_contents(path, &journal, &size, NULL));
	w->f->frozen = true;
	world_stop(w);
	w->f->frozen = false;
	g_assert_true(g_file_set_contents(path, journal, (gssize)size, NULL));
	g_assert_cmpint(g_chmod(path, 0600), ==, 0);
}

static void world_reload(struct world *w)
{
	g_autoptr(GPtrArray) problems = problems_new();
	g_autofree char *text = NULL;

	irqpolicy_reload(w->p, problems);
	text = problems_format(problems);
	g_assert_cmpstr(text, ==, "");
}

static void remove_tree(const char *path)
{
	GDir *dir = g_dir_open(path, 0, NULL);

	for (const char *name; dir && (name = g_dir_read_name(dir));) {
		g_autofree char *below = g_build_filename(path, name, NULL);

		remove_tree(below);
	}
	if (dir)
		g_dir_close(dir);
	(void)g_remove(path);
}

static void world_teardown(struct world *w, gconstpointer data)
{
	world_stop(w);
	fake_free(w->f);
	remove_tree(w->dir);
	g_free(w->dir);
	g_free(w->irqd);
	g_free(w->run);
	g_free(w->before);
	g_ptr_array_unref(w->news);
	sd_event_unref(w->event);
}

static void world_assert_as_before(struct world *w)
{
	g_autofree char *now = fake_state(w->f);

	g_assert_cmpstr(now, ==, w->before);
}

/* "set irq/5-eth0 fifo 60; ..." of one outcome. */
static const struct irq_change *change_find(const GPtrArray *changes, enum irq_outcome outcome,
					    const char *name)
{
	for (guint i = 0; i < changes->len; i++) {
		const struct irq_change *c = changes->pdata[i];

		if (c->outcome == outcome && (!name || g_strcmp0(c->name, name) == 0))
			return c;
	}
	return NULL;
}

static guint change_count(const GPtrArray *changes, enum irq_outcome outcome)
{
	guint n = 0;

	for (guint i = 0; i < changes->len; i++)
		n += ((const struct irq_change *)changes->pdata[i])->outcome == outcome;
	return n;
}

static const struct finding *finding_find(const GPtrArray *findings, const char *id)
{
	for (guint i = 0; i < findings->len; i++) {
		const struct finding *f = findings->pdata[i];

		if (strcmp(f->kind->id, id) == 0)
			return f;
	}
	return NULL;
}

static GPtrArray *plan_rules(const char *text)
{
	g_autoptr(GPtrArray) problems = problems_new();
	GPtrArray *rules = rules_parse("plan", text, strlen(text), "plan.conf", problems);

	g_assert_cmpuint(problems->len, ==, 0);
	return rules;
}

static int world_set(struct world *w, const char *name, const struct irq_wish *wish)
{
	const struct fake_thread *t = fake_thread(w->f, name);
	g_autoptr(GPtrArray) changes = NULL;
	g_autofree char *message = NULL;
	int r;

	r = irqpolicy_set_thread(w->p, t->tid, t->start_ticks, wish, 1000, &changes, &message);
	g_assert_true(r >= 0 ? changes && !message : message && !changes);
	return r;
}

static void world_set_fifo(struct world *w, const char *name, int priority)
{
	const struct irq_wish wish = {
		.has_policy = true,
		.policy = SCHED_FIFO,
		.has_priority = true,
		.priority = priority,
	};

	g_assert_cmpint(world_set(w, name, &wish), ==, 0);
}

static void world_unset(struct world *w, const char *name)
{
	const struct fake_thread *t = fake_thread(w->f, name);
	g_autoptr(GPtrArray) changes = NULL;
	g_autofree char *message = NULL;

	g_assert_cmpint(irqpolicy_restore_thread(w->p, t->tid, t->start_ticks, &changes, &message),
			==, 0);
}

#define ETH0_60                                                                                    \
	"rules = ( { match = { interface = \"eth0\"; }; policy = \"fifo\"; priority = 60; } );"
#define PARPORT_90 "( { match = { action = \"parport0\"; }; policy = \"fifo\"; priority = 90; } )"

/* Applying */

static void test_line(struct world *w, gconstpointer data)
{
	g_autoptr(GPtrArray) again = NULL;
	unsigned sets;

	world_rules(w, "10-net", ETH0_60);
	world_start(w);
	fake_assert_policy(w->f, "irq/5-eth0", "fifo 60");
	fake_assert_policy(w->f, "irq/5-s-eth0", "fifo 60");
	fake_assert_policy(w->f, "irq/7-parport0", "fifo 50");
	g_assert_cmpuint(w->f->sets, ==, 2);
	g_assert_cmpuint(change_count(w->news, IRQ_SET), ==, 2);
	sets = w->f->sets;
	again = irqpolicy_apply(w->p, false);
	world_reload(w);
	g_assert_cmpuint(again->len, ==, 0);
	g_assert_cmpuint(w->f->sets, ==, sets); /* what is right is not touched */
	world_stop(w);
	world_assert_as_before(w);
}

/* Who does not want to know what is wrong with the files has the rules that are right all the same.
 */
static void test_problems_dropped(struct world *w, gconstpointer data)
{
	const struct irqpolicy_params params = {
		.root = "/",
		.runtime_dir = w->run,
		.config_dirs = w->config_dirs,
	};
	g_autoptr(GPtrArray) changes = NULL;

	world_rules(w, "a",
		    "rules = ( { match = { irq = 5; }; nice = 99; },"
		    " { match = { irq = 7; }; policy = \"rr\"; priority = 33; } );");
	w->p = irqpolicy_new(&params);
	irqpolicy_reload(w->p, NULL);
	fake_assert_policy(w->f, "irq/7-parport0", "rr 33");
	changes = irqpolicy_preview(w->p, NULL);
	g_assert_cmpuint(changes->len, ==, 0);
	world_stop(w);
}

static void test_unequal(struct world *w, gconstpointer data)
{
	g_autoptr(GPtrArray) changes = NULL;
	const struct irq_change *c;

	world_rules(
		w, "10-net",
		"rules = ( { match = { thread = \"irq/5-eth0\"; }; policy = \"fifo\"; priority = "
		"60; } );");
	world_start(w);
	fake_assert_policy(w->f, "irq/5-s-eth0", "fifo 50");
	g_assert_cmpuint(change_count(w->news, IRQ_UNEQUAL), ==, 1);
	changes = irqpolicy_apply(w->p, true);
	c = change_find(changes, IRQ_UNEQUAL, "eth0");
	g_assert_nonnull(c);
	g_assert_cmpint(c->irq, ==, 5);
	g_assert_nonnull(strstr(c->message, "irq/5-eth0 fifo 60, irq/5-s-eth0 fifo 50"));
	world_reload(w);
	g_assert_cmpuint(change_count(w->news, IRQ_UNEQUAL), ==, 2); /* a reload says it again */
}

static void test_first_match(struct world *w, gconstpointer data)
{
	const struct irq_change *c;

	world_rules(w, "10-a",
		    "rules = ( { name = \"nice\"; match = { irq = 5; }; nice = -5; } );");
	world_rules(
		w, "20-b",
		"rules = ( { match = { action = \"eth*\"; }; nice = 7; policy = \"rr\"; priority "
		"= 33; }, { match = { irq = \"5-9\"; }; affinity = \"all\"; } );");
	world_start(w);
	fake_assert_policy(w->f, "irq/5-eth0", "rr 33");
	g_assert_cmpint(fake_thread(w->f, "irq/5-eth0")->nice, ==, -5);
	fake_assert_policy(w->f, "irq/7-parport0", "fifo 50");
	c = change_find(w->news, IRQ_SET, "irq/5-eth0");
	g_assert_nonnull(c);
	g_assert_cmpuint(c->line, ==, 1);
	g_assert_true(g_str_has_suffix(c->file, "20-b.conf") ||
		      g_str_has_suffix(c->file, "10-a.conf"));
}

static void test_priority_alone(struct world *w, gconstpointer data)
{
	fake_chrt(w->f, "irq/5-eth0", SCHED_RR, 40);
	g_free(w->before);
	w->before = fake_state(w->f);
	world_rules(w, "10-a",
		    "rules = ( { match = { irq = 5; }; priority = 61; }, { match = { kthread = "
		    "\"napi/*\"; }; priority = 9; } );");
	world_start(w);
	fake_assert_policy(w->f, "irq/5-eth0", "rr 61");
	fake_assert_policy(w->f, "irq/5-s-eth0", "fifo 61");
	/* a policy that has no priority: said, not set */
	fake_assert_policy(w->f, "napi/eth0-3", "other");
	g_assert_nonnull(change_find(w->news, IRQ_REFUSED, "napi/eth0-3"));
	/* the policy from before us, not the last rule's */
	world_rules(w, "10-a",
		    "rules = ( { match = { irq = 5; }; policy = \"fifo\"; priority = 62; } );");
	world_reload(w);
	fake_assert_policy(w->f, "irq/5-eth0", "fifo 62");
	world_rules(w, "10-a", "rules = ( { match = { irq = 5; }; priority = 63; } );");
	world_reload(w);
	fake_assert_policy(w->f, "irq/5-eth0", "rr 63");
	world_stop(w);
	world_assert_as_before(w);
}

/* The chain */

static void test_chain(struct world *w, gconstpointer data)
{
	g_autoptr(GPtrArray) rules = plan_rules("rules = " PARPORT_90 ";");
	g_autoptr(GPtrArray) findings = findings_new();

	world_rules(w, "10-port",
		    "rules = ( { match = { action = \"parport0\"; }; policy = \"fifo\"; priority = "
		    "70; } );");
	world_start(w);
	fake_assert_policy(w->f, "irq/7-parport0", "fifo 70");
	world_set_fifo(w, "irq/7-parport0", 80);
	fake_assert_policy(w->f, "irq/7-parport0", "fifo 80");
	world_reload(w);
	fake_assert_policy(w->f, "irq/7-parport0", "fifo 80");
	irqpolicy_session_begin(w->p, rules, 0, findings);
	fake_assert_policy(w->f, "irq/7-parport0", "fifo 90");
	irqpolicy_session_tick(w->p, findings);
	irqpolicy_session_end(w->p, findings);
	g_assert_null(finding_find(findings, "irq-rule"));
	g_assert_null(finding_find(findings, "irq-drift-plan"));
	fake_assert_policy(w->f, "irq/7-parport0", "fifo 80");
	world_unset(w, "irq/7-parport0");
	fake_assert_policy(w->f, "irq/7-parport0", "fifo 70");
	world_rules(w, "10-port", "rules = ( );");
	world_reload(w);
	world_assert_as_before(w);
}

static void test_restore(struct world *w, gconstpointer data)
{
	g_autoptr(GPtrArray) dry = NULL, wet = NULL, apply = NULL;
	g_autofree char *message = NULL;
	int r = 0;

	world_rules(w, "10-net", ETH0_60);
	world_start(w);
	world_set_fifo(w, "irq/7-parport0", 80);
	dry = irqpolicy_restore(w->p, true, &r, &message);
	g_assert_cmpuint(change_count(dry, IRQ_WOULD), ==, 3);
	fake_assert_policy(w->f, "irq/7-parport0", "fifo 80");
	g_assert_false(irqpolicy_paused(w->p));
	wet = irqpolicy_restore(w->p, false, &r, &message);
	g_assert_cmpuint(change_count(wet, IRQ_PUT_BACK), ==, 3);
	world_assert_as_before(w);
	g_assert_true(irqpolicy_paused(w->p));
	g_assert_null(w->f->watcher); /* paused: nobody is interested */
	apply = irqpolicy_apply(w->p, false);
	g_assert_cmpuint(change_count(apply, IRQ_SET), ==, 2); /* by hand is forgotten */
	g_assert_false(irqpolicy_paused(w->p));
	g_assert_nonnull(w->f->watcher);
}

static void test_restore_while_measuring(struct world *w, gconstpointer data)
{
	g_autoptr(GPtrArray) rules = plan_rules("rules = " PARPORT_90 ";");
	g_autoptr(GPtrArray) findings = findings_new();
	g_autofree char *message = NULL;
	const struct irq_wish wish = { .has_policy = true, .policy = SCHED_OTHER };
	int r = 0;

	world_start(w);
	irqpolicy_session_begin(w->p, rules, 0, findings);
	g_assert_null(irqpolicy_restore(w->p, false, &r, &message));
	g_assert_cmpint(r, ==, -EBUSY);
	g_assert_nonnull(message);
	/* nor by hand what the plan sets */
	g_assert_cmpint(world_set(w, "irq/7-parport0", &wish), ==, -EBUSY);
	fake_assert_policy(w->f, "irq/7-parport0", "fifo 90");
	g_assert_cmpint(world_set(w, "irq/5-eth0", &wish), ==, 0);
	fake_assert_policy(w->f, "irq/5-eth0", "other");
	irqpolicy_session_end(w->p, findings);
	fake_assert_policy(w->f, "irq/5-eth0", "other");
	fake_assert_policy(w->f, "irq/7-parport0", "fifo 50");
}

/* Drift */

static void test_drift(struct world *w, gconstpointer data)
{
	g_autoptr(GPtrArray) restore = NULL, apply = NULL;
	const struct irq_change *c;
	struct irq_listing *l = NULL;
	g_autofree char *message = NULL;
	const struct irq_standing *s;
	int r = 0;

	world_rules(w, "10-net", ETH0_60);
	world_start(w);
	fake_chrt(w->f, "irq/5-eth0", SCHED_FIFO, 77);
	world_reload(w);
	fake_assert_policy(w->f, "irq/5-eth0", "fifo 77");
	g_assert_cmpuint(change_count(w->news, IRQ_DRIFTED), ==, 1);
	c = change_find(w->news, IRQ_DRIFTED, "irq/5-eth0");
	g_assert_cmpstr(c->old, ==, "fifo 60");
	g_assert_cmpstr(c->new, ==, "fifo 77");

	g_assert_cmpint(irqpolicy_list(w->p, &l, &message), ==, 0);
	for (guint i = 0; i < l->table->threads->len; i++) {
		const struct irq_thread *t = l->table->threads->pdata[i];

		s = g_hash_table_lookup(l->standings, t);
		if (strcmp(t->name, "irq/5-eth0") == 0) {
			g_assert_true(s && s->drifted);
			g_assert_nonnull(strstr(s->drift, "fifo 77 instead of fifo 60"));
		} else if (strcmp(t->name, "irq/5-s-eth0") == 0) {
			g_assert_true(s && !s->drifted);
			g_assert_cmpstr(s->rule, ==, "10-net/1");
		} else {
			g_assert_null(s);
		}
	}
	irq_listing_free(l);

	apply = irqpolicy_apply(w->p, false);
	fake_assert_policy(w->f, "irq/5-eth0", "fifo 60");
	g_assert_nonnull(change_find(apply, IRQ_SET, "irq/5-eth0"));
	fake_chrt(w->f, "irq/5-eth0", SCHED_RR, 3);
	restore = irqpolicy_restore(w->p, false, &r, &message);
	fake_assert_policy(w->f, "irq/5-eth0", "rr 3");
	fake_assert_policy(w->f, "irq/5-s-eth0", "fifo 50");
	g_assert_nonnull(change_find(restore, IRQ_DRIFTED, "irq/5-eth0"));
	world_stop(w);
	fake_assert_policy(w->f, "irq/5-eth0", "rr 3");
}

/* Found right, so there was nothing to set and the journal knows nothing: it is drift all the same.
 */
static void test_drift_of_kept(struct world *w, gconstpointer data)
{
	fake_chrt(w->f, "irq/5-eth0", SCHED_FIFO, 60);
	fake_chrt(w->f, "irq/5-s-eth0", SCHED_FIFO, 60);
	world_rules(w, "10-net", ETH0_60);
	world_start(w);
	g_assert_cmpuint(w->f->sets, ==, 0);
	fake_chrt(w->f, "irq/5-eth0", SCHED_FIFO, 61);
	world_reload(w);
	fake_assert_policy(w->f, "irq/5-eth0", "fifo 61");
	g_assert_cmpuint(change_count(w->news, IRQ_DRIFTED), ==, 1);
	/* the rules follow it: then it is right */
	world_rules(w, "10-net",
		    "rules = ( { match = { interface = \"eth0\"; }; policy = \"fifo\"; priority = "
		    "61; } );");
	world_reload(w);
	fake_assert_policy(w->f, "irq/5-s-eth0", "fifo 61");
	g_assert_cmpuint(change_count(w->news, IRQ_DRIFTED), ==, 1);
	world_stop(w);
	fake_assert_policy(w->f, "irq/5-eth0", "fifo 61");
	fake_assert_policy(w->f, "irq/5-s-eth0", "fifo 60");
}

static void test_drift_of_affinity(struct world *w, gconstpointer data)
{
	g_autoptr(GPtrArray) findings = findings_new();
	g_autoptr(GPtrArray) rules =
		plan_rules("rules = ( { match = { thread = \"irq/5-*\"; }; affinity = \"0\"; } );");
	const struct finding *f;

	g_strlcpy(fake_line(w->f, 5)->affinity, "1000", 32);
	world_start(w);
	irqpolicy_session_begin(w->p, rules, 0, findings);
	g_assert_cmpstr(fake_line(w->f, 5)->affinity, ==, "0");
	g_assert_cmpuint(findings->len, ==, 0);
	g_strlcpy(fake_line(w->f, 5)->affinity, "1001", 32);
	irqpolicy_session_tick(w->p, findings);
	irqpolicy_session_tick(w->p, findings);
	f = finding_find(findings, "irq-drift-plan");
	g_assert_true(f && f->kind->weight == FINDING_INCONCLUSIVE);
	g_assert_cmpuint(findings->len, ==, 1);
	g_assert_cmpuint(change_count(w->news, IRQ_DRIFTED), ==, 1);
	irqpolicy_session_end(w->p, findings);
	g_assert_cmpuint(findings->len, ==, 1);
	g_assert_cmpuint(change_count(w->news, IRQ_DRIFTED), ==, 1); /* told once */
	g_assert_cmpstr(fake_line(w->f, 5)->affinity, ==, "1001");
}

/* Sessions */

static void test_tick_is_cheap(struct world *w, gconstpointer data)
{
	g_autoptr(GPtrArray) findings = findings_new();
	const struct finding *f;
	unsigned reads;

	world_rules(w, "10-net", ETH0_60);
	world_start(w);
	irqpolicy_session_begin(w->p, NULL, 80, findings);
	reads = w->f->reads;
	irqpolicy_session_tick(w->p, findings);
	g_assert_cmpuint(findings->len, ==, 0);
	fake_chrt(w->f, "irq/5-eth0", SCHED_FIFO, 3);
	irqpolicy_session_tick(w->p, findings);
	g_assert_cmpuint(w->f->reads, ==, reads);
	f = finding_find(findings, "irq-drift");
	g_assert_true(f && f->kind->weight == FINDING_WARNS);
	g_assert_nonnull(strstr(f->text, "irq/5-eth0"));
	irqpolicy_session_end(w->p, findings);
	fake_assert_policy(w->f, "irq/5-eth0", "fifo 3");
}

/* What "check" asks: as a session would find it, and nothing is set or told. */
static void test_find_without_a_session(struct world *w, gconstpointer data)
{
	g_autoptr(GPtrArray) good = findings_new(), drifted = findings_new();
	g_autoptr(GPtrArray) paused = findings_new(), changes = NULL;
	g_autofree char *message = NULL;
	int r;

	world_rules(w, "10-net", ETH0_60);
	world_start(w);
	irqpolicy_find(w->p, good);
	g_assert_cmpuint(good->len, ==, 0);
	fake_chrt(w->f, "irq/5-eth0", SCHED_FIFO, 3);
	irqpolicy_find(w->p, drifted);
	g_assert_nonnull(finding_find(drifted, "irq-drift"));
	g_assert_null(finding_find(drifted, "irq-paused"));
	g_assert_cmpuint(change_count(w->news, IRQ_DRIFTED), ==, 0);
	fake_assert_policy(w->f, "irq/5-eth0", "fifo 3");
	changes = irqpolicy_restore(w->p, false, &r, &message);
	irqpolicy_find(w->p, paused);
	g_assert_nonnull(finding_find(paused, "irq-paused"));
	g_assert_true(irqpolicy_paused(w->p));
}

/* irqbalance is looked for when there is something to say, and once for all of it. */
static void test_tick_searches_once(struct world *w, gconstpointer data)
{
	g_autoptr(GPtrArray) findings = findings_new();
	g_autoptr(GPtrArray) rules =
		plan_rules("rules = ( { match = { irq = \"5,7\"; }; affinity = \"0\"; } );");

	world_start(w);
	irqpolicy_session_begin(w->p, rules, 0, findings);
	g_strlcpy(fake_line(w->f, 5)->affinity, "1001", 32);
	g_strlcpy(fake_line(w->f, 7)->affinity, "1001", 32);
	w->f->searches = 0;
	for (int i = 0; i < 5; i++)
		irqpolicy_session_tick(w->p, findings);
	g_assert_cmpuint(findings->len, ==, 2);
	g_assert_cmpuint(w->f->searches, ==, 1);
	irqpolicy_session_end(w->p, findings);
}

static void test_measuring(struct world *w, gconstpointer data)
{
	g_autoptr(GPtrArray) findings = findings_new();
	g_autoptr(GPtrArray) rules = plan_rules(
		"rules = ( { match = { action = \"parport0\"; }; policy = \"fifo\"; priority = 90; "
		"override = [ \"measuring\" ]; }, { name = \"napi\"; match = { kthread = "
		"\"napi/*\"; }; policy = \"fifo\"; priority = 80; }, { name = \"none\"; match = { "
		"interface = \"wlan*\"; }; nice = 3; }, { name = \"never\"; match = { action = "
		"\"timer\"; }; policy = \"other\"; } );");
	struct irq_wish wish = {
		.has_policy = true,
		.policy = SCHED_RR,
		.has_priority = true,
		.priority = 81,
	};

	world_rules(
		w, "10-net",
		"rules = ( { match = { interface = \"eth0\"; }; policy = \"fifo\"; priority = 85; "
		"} );");
	world_start(w);
	irqpolicy_session_begin(w->p, rules, 80, findings);
	fake_assert_policy(w->f, "irq/7-parport0", "fifo 90"); /* the plan says so */
	fake_assert_policy(w->f, "irq/5-eth0", "fifo 85");     /* was there */
	fake_assert_policy(w->f, "napi/eth0-3", "other");      /* equal is too high */
	g_assert_nonnull(finding_find(findings, "irq-rule"));
	g_assert_nonnull(finding_find(findings, "irq-rule-waits"));
	g_assert_cmpuint(findings->len, ==, 3); /* never, and what waits */
	g_assert_cmpint(world_set(w, "napi/eth0-3", &wish), ==, -EBUSY);
	wish.priority = 86;
	g_assert_cmpint(world_set(w, "irq/5-eth0", &wish), ==, -EKEYREJECTED);
	fake_assert_policy(w->f, "irq/5-eth0", "fifo 85");
	wish.override = OVERRIDE_MEASURING;
	g_assert_cmpint(world_set(w, "irq/5-eth0", &wish), ==, 0);
	fake_assert_policy(w->f, "irq/5-eth0", "rr 86");
	/* a thread that comes while it measures */
	fake_end_thread(w->f, "irq/5-s-eth0");
	fake_add_thread(w->f, 99, "irq/5-s-eth0");
	irqpolicy_session_tick(w->p, findings);
	irqpolicy_session_end(w->p, findings);
	fake_assert_policy(w->f, "irq/5-s-eth0", "fifo 85"); /* nobody measures any more */
	fake_assert_policy(w->f, "irq/7-parport0", "fifo 50");
}

/* Guards */

#define CHAIN(soft, rcu, work)                                                                     \
	"rules = ( { match = { kthread = \"ksoftirqd/*\"; }; policy = \"fifo\"; priority = " soft  \
	"; }, { match = { kthread = \"ktimers/*\"; }; policy = \"fifo\"; priority = " soft         \
	"; }, { match = { kthread = \"rcu*\"; }; policy = \"fifo\"; priority = " rcu               \
	"; }, { match = { kthread = \"irq_work/*\"; }; policy = \"fifo\"; priority = " work        \
	"; } );"

static void test_together(struct world *w, gconstpointer data)
{
	world_rules(w, "10-chain", CHAIN("7", "8", "9"));
	world_start(w); /* the made machine looks at every step */
	fake_assert_policy(w->f, "ksoftirqd/0", "fifo 7");
	fake_assert_policy(w->f, "ktimers/0", "fifo 7");
	fake_assert_policy(w->f, "rcuc/0", "fifo 8");
	fake_assert_policy(w->f, "rcub/0", "fifo 8");
	fake_assert_policy(w->f, "irq_work/0", "fifo 9");
	world_rules(w, "10-chain", CHAIN("2", "3", "4"));
	world_reload(w);
	fake_assert_policy(w->f, "rcub/0", "fifo 3");
	world_rules(w, "10-chain", CHAIN("5", "6", "7"));
	world_reload(w);
	fake_assert_policy(w->f, "irq_work/0", "fifo 7");
	world_stop(w);
	world_assert_as_before(w);
}

static void test_forbidden(struct world *w, gconstpointer data)
{
	const struct irq_change *c;

	world_rules(w, "10-chain", CHAIN("9", "8", "9"));
	world_start(w);
	fake_assert_policy(w->f, "ksoftirqd/0", "fifo 1");
	fake_assert_policy(w->f, "rcuc/0", "fifo 8");
	fake_assert_policy(w->f, "irq_work/0", "fifo 9");
	c = change_find(w->news, IRQ_REFUSED, "ksoftirqd/0");
	g_assert_true(c && strstr(c->message, "softirq"));
	g_assert_cmpuint(change_count(w->news, IRQ_REFUSED), ==, 2);
}

/* The kernel refuses the uppermost: those below it may not go up then. */
static void test_refused_in_the_middle(struct world *w, gconstpointer data)
{
	fake_thread(w->f, "irq_work/0")->refuse = -EPERM;
	world_rules(w, "10-chain", CHAIN("7", "8", "9"));
	world_start(w);
	world_assert_as_before(w);
	g_assert_cmpuint(change_count(w->news, IRQ_REFUSED), ==, 5);
	g_assert_cmpuint(w->f->sets, ==, 1); /* the others were not even tried */
}

/* What was allowed beside others is not when they are gone. */
static void test_forbidden_afterwards(struct world *w, gconstpointer data)
{
	world_start(w);
	world_set_fifo(w, "irq_work/0", 5);
	world_set_fifo(w, "rcuc/0", 3);
	world_unset(w, "irq_work/0");
	fake_assert_policy(w->f, "irq_work/0", "fifo 1");
	fake_assert_policy(w->f, "rcuc/0", "fifo 1");
}

/* What stays as it is makes no way for who moves. */
static void test_forbidden_by_hand(struct world *w, gconstpointer data)
{
	const struct irq_wish wish = {
		.has_policy = true,
		.policy = SCHED_FIFO,
		.has_priority = true,
		.priority = 2,
	};

	world_rules(w, "10-chain", CHAIN("4", "5", "6"));
	world_start(w);
	g_assert_cmpint(world_set(w, "irq_work/0", &wish), ==, -EKEYREJECTED);
	fake_assert_policy(w->f, "irq_work/0", "fifo 6");
	fake_assert_policy(w->f, "rcuc/0", "fifo 5");
}

/* A rule that is refused does not leave what the one before it had set. */
static void test_changed_and_forbidden(struct world *w, gconstpointer data)
{
	g_autoptr(GPtrArray) again = NULL;
	const struct irq_change *c;

	world_rules(w, "10-chain", CHAIN("7", "8", "9"));
	world_start(w);
	fake_assert_policy(w->f, "ksoftirqd/0", "fifo 7");
	g_ptr_array_set_size(w->news, 0);
	world_rules(w, "10-chain", CHAIN("9", "8", "9"));
	world_reload(w);
	fake_assert_policy(w->f, "ksoftirqd/0", "fifo 1");
	fake_assert_policy(w->f, "ktimers/0", "fifo 1");
	fake_assert_policy(w->f, "rcuc/0", "fifo 8");
	c = change_find(w->news, IRQ_PUT_BACK, "ksoftirqd/0");
	g_assert_nonnull(c);
	g_assert_cmpstr(c->old, ==, "fifo 7");
	g_assert_cmpstr(c->new, ==, "fifo 1");
	c = change_find(w->news, IRQ_REFUSED, "ksoftirqd/0");
	g_assert_nonnull(c);
	g_assert_cmpstr(c->old, ==, "fifo 1");
	g_assert_cmpstr(c->new, ==, "fifo 9");
	again = irqpolicy_apply(w->p, false);
	g_assert_cmpuint(change_count(again, IRQ_REFUSED), ==, 2);
	g_assert_cmpuint(again->len, ==, 2); /* nor is it called drift */
	world_stop(w);
	world_assert_as_before(w);
}

/* What is refused goes back to what it was before us, and others are looked at beside that. */
static void test_forbidden_and_beside(struct world *w, gconstpointer data)
{
	g_autoptr(GPtrArray) findings = findings_new();

	world_rules(w, "10-chain", CHAIN("5", "5", "5"));
	world_start(w);
	irqpolicy_session_begin(w->p, NULL, 90, findings);
	fake_assert_policy(w->f, "ksoftirqd/0", "fifo 5");
	world_rules(w, "10-chain", CHAIN("5", "95", "95"));
	world_reload(w);
	fake_assert_policy(w->f, "rcuc/0", "fifo 1");
	fake_assert_policy(w->f, "irq_work/0", "fifo 1");
	fake_assert_policy(w->f, "ksoftirqd/0", "fifo 1");
	irqpolicy_session_end(w->p, findings);
	world_stop(w);
	world_assert_as_before(w);
}

/* The kernel's no to another value than ours leaves neither. */
static void test_refused_after_ours(struct world *w, gconstpointer data)
{
	world_rules(w, "10-net", ETH0_60);
	world_start(w);
	fake_thread(w->f, "irq/5-eth0")->priority_max = 60;
	world_rules(w, "10-net",
		    "rules = ( { match = { irq = 5; }; policy = \"fifo\"; priority = 61; } );");
	world_reload(w);
	fake_assert_policy(w->f, "irq/5-eth0", "fifo 50");
	fake_assert_policy(w->f, "irq/5-s-eth0", "fifo 61");
	g_assert_nonnull(change_find(w->news, IRQ_REFUSED, "irq/5-eth0"));
	g_assert_nonnull(change_find(w->news, IRQ_PUT_BACK, "irq/5-eth0"));
}

/* What the kernel makes of it instead is no value anybody asked for. */
static void test_made_something_else(struct world *w, gconstpointer data)
{
	fake_thread(w->f, "irq/5-eth0")->twisted = 2; /* and once more is tried */
	world_rules(w, "10-net", ETH0_60);
	world_start(w);
	fake_assert_policy(w->f, "irq/5-eth0", "fifo 50");
	fake_assert_policy(w->f, "irq/5-s-eth0", "fifo 60");
	g_assert_nonnull(change_find(w->news, IRQ_REFUSED, "irq/5-eth0"));
	world_stop(w);
	world_assert_as_before(w);
}

static void test_changed_to_what_cannot_be(struct world *w, gconstpointer data)
{
	g_strlcpy(fake_line(w->f, 5)->affinity, "1000", 32);
	world_rules(w, "10-a", "rules = ( { match = { irq = 5; }; affinity = \"0\"; } );");
	world_start(w);
	g_assert_cmpstr(fake_line(w->f, 5)->affinity, ==, "0");
	world_rules(w, "10-a", "rules = ( { match = { irq = 5; }; affinity = \"1001\"; } );");
	world_reload(w);
	g_assert_cmpstr(fake_line(w->f, 5)->affinity, ==, "1000");
	g_assert_cmpuint(change_count(w->news, IRQ_PUT_BACK), ==, 1);
	g_assert_cmpuint(change_count(w->news, IRQ_REFUSED), ==, 1);
}

/* Somebody else was faster than putting back. */
static void on_table_read(struct fake *f)
{
	fake_chrt(f, "irq/5-eth0", SCHED_RR, 12);
}

static void test_put_back_too_late(struct world *w, gconstpointer data)
{
	world_rules(w, "10-net", ETH0_60);
	world_start(w);
	world_no_rules(w, "10-net");
	w->f->after_read = on_table_read;
	world_reload(w);
	fake_assert_policy(w->f, "irq/5-eth0", "rr 12");
	fake_assert_policy(w->f, "irq/5-s-eth0", "fifo 50");
	g_assert_nonnull(change_find(w->news, IRQ_DRIFTED, "irq/5-eth0"));
	world_stop(w);
	fake_assert_policy(w->f, "irq/5-eth0", "rr 12");
}

static void test_set_too_late(struct world *w, gconstpointer data)
{
	world_rules(w, "10-net", ETH0_60);
	world_start(w);
	world_rules(w, "10-net",
		    "rules = ( { match = { irq = 5; }; policy = \"fifo\"; priority = 61; } );");
	w->f->after_read = on_table_read;
	world_reload(w);
	fake_assert_policy(w->f, "irq/5-eth0", "rr 12");
	fake_assert_policy(w->f, "irq/5-s-eth0", "fifo 61");
	g_assert_nonnull(change_find(w->news, IRQ_DRIFTED, "irq/5-eth0"));
	world_stop(w);
	fake_assert_policy(w->f, "irq/5-eth0", "rr 12");
}

/* A value that was ours and is no longer: who sets it again is somebody else. */
static void test_once_ours(struct world *w, gconstpointer data)
{
	world_rules(w, "10-net", ETH0_60);
	world_start(w);
	world_rules(w, "10-net",
		    "rules = ( { match = { irq = 5; }; policy = \"fifo\"; priority = 61; } );");
	world_reload(w);
	fake_assert_policy(w->f, "irq/5-eth0", "fifo 61");
	fake_chrt(w->f, "irq/5-eth0", SCHED_FIFO, 60);
	world_reload(w);
	g_assert_nonnull(change_find(w->news, IRQ_DRIFTED, "irq/5-eth0"));
	world_stop(w);
	fake_assert_policy(w->f, "irq/5-eth0", "fifo 60");
	fake_assert_policy(w->f, "irq/5-s-eth0", "fifo 50");
}

/* That no thread can be seen does not mean that they have ended. */
static void test_unseen(struct world *w, gconstpointer data)
{
	world_rules(w, "10-net", ETH0_60);
	world_start(w);
	w->f->unseen = true;
	world_reload(w);
	w->f->unseen = false;
	world_stop(w);
	world_assert_as_before(w);
}

/* By hand */

static void test_by_hand_undone_is_no_drift(struct world *w, gconstpointer data)
{
	g_autoptr(GPtrArray) findings = findings_new();

	world_start(w);
	irqpolicy_session_begin(w->p, NULL, 0, findings);
	world_set_fifo(w, "irq/7-parport0", 80);
	world_set_fifo(w, "irq/5-eth0", 50); /* as it was */
	world_unset(w, "irq/7-parport0");
	world_unset(w, "irq/5-eth0");
	fake_chrt(w->f, "irq/5-eth0", SCHED_FIFO, 51); /* nobody's any more */
	irqpolicy_session_tick(w->p, findings);
	g_assert_cmpuint(findings->len, ==, 0);
	irqpolicy_session_end(w->p, findings);
}

/* What is asked for and nothing else: somebody's chrt outlives a renice. */
static void test_by_hand_alone(struct world *w, gconstpointer data)
{
	const struct irq_wish wish = { .has_nice = true, .nice = 3 };

	world_rules(w, "10-net", ETH0_60);
	world_start(w);
	fake_chrt(w->f, "irq/5-eth0", SCHED_RR, 12);
	g_assert_cmpint(world_set(w, "irq/5-eth0", &wish), ==, 0);
	g_assert_cmpint(fake_thread(w->f, "irq/5-eth0")->nice, ==, 3);
	fake_assert_policy(w->f, "irq/5-eth0", "rr 12");
}

/* Put right by a call in between: then it is news again. */
static void test_drift_again(struct world *w, gconstpointer data)
{
	g_autoptr(GPtrArray) changes = NULL;

	world_rules(w, "10-net", ETH0_60);
	world_start(w);
	for (guint n = 1; n <= 2; n++) {
		fake_chrt(w->f, "irq/5-eth0", SCHED_RR, 12);
		w->f->watcher(THREADWATCH_LOOK, NULL, w->f->watcher_data);
		while (sd_event_run(w->event, 100000) > 0)
			;
		g_assert_cmpuint(change_count(w->news, IRQ_DRIFTED), ==, n);
		g_clear_pointer(&changes, g_ptr_array_unref);
		changes = irqpolicy_apply(w->p, false);
		fake_assert_policy(w->f, "irq/5-eth0", "fifo 60");
	}
}

static void test_by_hand(struct world *w, gconstpointer data)
{
	const struct fake_thread *t = fake_thread(w->f, "irq/5-eth0");
	g_autoptr(GPtrArray) changes = NULL;
	g_autofree char *message = NULL;
	const struct irq_wish other = { .has_policy = true, .policy = SCHED_OTHER },
			      nice = { .has_nice = true, .nice = 19 },
			      priority = { .has_priority = true, .priority = 33 },
			      rr = { .has_policy = true, .policy = SCHED_RR }, nothing = { 0 },
			      high = { .has_nice = true, .nice = 20 },
			      affinity = { .has_affinity = true, .affinity = "0" },
			      soft = { .has_policy = true,
				       .policy = SCHED_FIFO,
				       .has_priority = true,
				       .priority = 2,
				       .has_nice = true,
				       .nice = 4 };

	world_start(w);
	g_assert_cmpint(world_set(w, "irq/5-eth0", &rr), ==, 0);
	fake_assert_policy(w->f, "irq/5-eth0", "rr 50");
	g_assert_cmpint(world_set(w, "irq/5-eth0", &priority), ==, 0);
	fake_assert_policy(w->f, "irq/5-eth0", "rr 33");
	g_assert_cmpint(world_set(w, "irq/5-eth0", &other), ==, 0);
	g_assert_cmpint(world_set(w, "irq/5-eth0", &nice), ==, 0);
	fake_assert_policy(w->f, "irq/5-eth0", "other");
	g_assert_cmpint(fake_thread(w->f, "irq/5-eth0")->nice, ==, 19);
	g_assert_cmpint(world_set(w, "irq/5-eth0", &priority), ==, -EINVAL);
	g_assert_cmpint(world_set(w, "irq/5-eth0", &rr), ==, -EINVAL);
	g_assert_cmpint(world_set(w, "irq/5-eth0", &nothing), ==, -EINVAL);
	g_assert_cmpint(world_set(w, "irq/5-eth0", &high), ==, -EINVAL);
	g_assert_cmpint(world_set(w, "irq/5-eth0", &affinity), ==, -EINVAL);
	g_assert_cmpint(world_set(w, "migration/0", &other), ==, -EKEYREJECTED);
	/* all or nothing */
	g_assert_cmpint(world_set(w, "ksoftirqd/0", &soft), ==, -EKEYREJECTED);
	g_assert_cmpint(fake_thread(w->f, "ksoftirqd/0")->nice, ==, 0);
	g_assert_cmpint(irqpolicy_set_thread(w->p, t->tid, t->start_ticks + 1, &nice, 0, &changes,
					     &message),
			==, -ENODEV);
	world_unset(w, "irq/5-eth0");
	world_assert_as_before(w);
}

/* Half of it was done when the kernel refused the rest. */
static void test_by_hand_refused(struct world *w, gconstpointer data)
{
	const struct irq_wish wish = { .has_policy = true, .policy = SCHED_OTHER };

	world_start(w);
	fake_thread(w->f, "irq/5-eth0")->refuse = -EPERM;
	g_assert_cmpint(world_set(w, "irq/5-eth0", &wish), ==, -EPERM);
	fake_thread(w->f, "irq/5-eth0")->refuse = 0;
	world_reload(w); /* the wish is forgotten */
	world_assert_as_before(w);
}

static void test_line_by_hand(struct world *w, gconstpointer data)
{
	g_autoptr(GPtrArray) changes = NULL, back = NULL;
	g_autofree char *message = NULL, *none = NULL, *managed = NULL;
	struct irq_listing *l = NULL;
	const struct irq_standing *s;

	g_strlcpy(fake_line(w->f, 5)->affinity, "1000", 32);
	world_start(w);
	g_assert_cmpint(irqpolicy_set_line(w->p, 5, "0", 7, &changes, &message), ==, 0);
	g_assert_cmpstr(fake_line(w->f, 5)->affinity, ==, "0");
	g_assert_cmpuint(change_count(changes, IRQ_SET), ==, 1);
	g_assert_cmpint(irqpolicy_list(w->p, &l, &message), ==, 0);
	s = g_hash_table_lookup(l->standings, l->table->lines->pdata[0]);
	g_assert_true(s && strcmp(s->rule, "set by user 7") == 0);
	irq_listing_free(l);
	g_assert_cmpint(irqpolicy_set_line(w->p, 55, "0", 7, &changes, &none), ==, -ENODEV);
	fake_line(w->f, 9)->refuse = -EIO;
	g_strlcpy(fake_line(w->f, 9)->affinity, "1000", 32);
	g_assert_cmpint(irqpolicy_set_line(w->p, 9, "0", 7, &changes, &managed), ==, -EIO);
	g_assert_cmpint(irqpolicy_restore_line(w->p, 5, &back, &message), ==, 0);
	g_assert_cmpstr(fake_line(w->f, 5)->affinity, ==, "1000");
}

/* Crashes */

static void test_killed(struct world *w, gconstpointer data)
{
	unsigned sets;

	world_rules(w, "10-net", ETH0_60);
	world_rules(w, "20-port",
		    "rules = ( { match = { action = \"parport0\"; }; policy = \"fifo\"; priority = "
		    "70; } );");
	world_start(w);
	world_set_fifo(w, "rcub/0", 1);
	world_kill(w);
	fake_assert_policy(w->f, "irq/5-eth0", "fifo 60");
	world_no_rules(w, "20-port");
	sets = w->f->sets;
	world_start(w);
	/* what is wanted still was not touched, the other was put back */
	g_assert_cmpuint(w->f->sets, ==, sets + 1);
	fake_assert_policy(w->f, "irq/5-eth0", "fifo 60");
	fake_assert_policy(w->f, "irq/7-parport0", "fifo 50");
	world_stop(w);
	world_assert_as_before(w);
}

static void test_killed_and_changed(struct world *w, gconstpointer data)
{
	g_autoptr(GPtrArray) changes = NULL;
	g_autofree char *message = NULL;

	world_rules(w, "10-net", ETH0_60);
	world_start(w);
	world_kill(w);
	fake_chrt(w->f, "irq/5-eth0", SCHED_RR, 12);
	fake_end_thread(w->f, "irq/5-s-eth0");
	fake_add_thread(w->f, 51, "irq/5-s-eth0"); /* the number again, another thread */
	fake_chrt(w->f, "irq/5-s-eth0", SCHED_FIFO, 60);
	changes = irqpolicy_restore_journal(w->run, &message);
	g_assert_cmpstr(message, ==, NULL);
	fake_assert_policy(w->f, "irq/5-eth0", "rr 12");
	fake_assert_policy(w->f, "irq/5-s-eth0", "fifo 60");
	g_assert_nonnull(change_find(changes, IRQ_DRIFTED, "irq/5-eth0"));
	g_assert_cmpuint(changes->len, ==, 1);
}

static void test_restore_journal(struct world *w, gconstpointer data)
{
	g_autoptr(GPtrArray) changes = NULL, again = NULL, none = NULL;
	g_autofree char *message = NULL;
	g_autofree char *nowhere = g_build_filename(w->dir, "nowhere", NULL);

	world_rules(w, "10-net", ETH0_60);
	world_start(w);
	world_kill(w);
	changes = irqpolicy_restore_journal(w->run, &message);
	g_assert_cmpuint(change_count(changes, IRQ_PUT_BACK), ==, 2);
	world_assert_as_before(w);
	again = irqpolicy_restore_journal(w->run, &message);
	g_assert_cmpuint(again->len, ==, 0);
	none = irqpolicy_restore_journal(nowhere, &message);
	g_assert_cmpuint(none->len, ==, 0);
	g_assert_false(g_file_test(nowhere, G_FILE_TEST_EXISTS));
}

static void journal_edit(const struct world *w, const char *from, const char *to)
{
	g_autofree char *path = g_build_filename(w->run, "tuning", NULL);
	g_autofree char *text = NULL;
	g_autoptr(GString) edited = NULL;

	g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
	edited = g_string_new(text);
	g_assert_cmpuint(g_string_replace(edited, from, to, 0), >, 0);
	g_assert_true(g_file_set_contents(path, edited->str, -1, NULL));
	g_assert_cmpint(g_chmod(path, 0600), ==, 0);
}

static void test_damaged_journal(struct world *w, gconstpointer data)
{
	const struct irq_change *c;

	world_rules(w, "10-net", ETH0_60);
	world_start(w);
	world_kill(w);
	world_no_rules(w, "10-net");
	journal_edit(w, "fifo:50:0", "fifo:99:0");
	world_start(w);
	/* nothing is put back rather than something wrong */
	fake_assert_policy(w->f, "irq/5-eth0", "fifo 60");
	c = change_find(w->news, IRQ_REFUSED, NULL);
	g_assert_true(c && strcmp(c->by, "journal") == 0 && strstr(c->message, "cannot be read"));
}

static void test_journal_of_another_boot(struct world *w, gconstpointer data)
{
	const struct irq_change *c;
	struct journal *j = NULL;
	g_autofree char *message = NULL;
	const struct tuning_subject s = { .tid = 52,
					  .start_ticks = 1054,
					  .name = "irq/7-parport0" };
	const struct tuning_value old = { .policy = SCHED_FIFO, .priority = 50 },
				  new = { .policy = SCHED_FIFO, .priority = 66 };

	g_assert_cmpint(journal_open(w->run, "00000000-0000-4000-8000-000000000000", &j, &message),
			==, 0);
	g_assert_cmpint(journal_will(j, &s, TUNING_POLICY, &old, &new, "r"), ==, 0);
	g_assert_cmpint(journal_did(j, &s, TUNING_POLICY), ==, 0);
	journal_close(j);
	g_assert_cmpuint(fake_thread(w->f, "irq/7-parport0")->start_ticks, ==, 1054);
	fake_chrt(w->f, "irq/7-parport0", SCHED_FIFO, 66);
	world_start(w);
	fake_assert_policy(w->f, "irq/7-parport0", "fifo 66");
	c = change_find(w->news, IRQ_REFUSED, NULL);
	g_assert_true(c && strcmp(c->by, "journal") == 0 && strstr(c->message, "another boot"));
}

/* Killed between the announcement of a change and its confirmation. */
static void world_announce(struct world *w, int from, int to)
{
	g_autofree char *boot_id = NULL, *message = NULL;
	const struct fake_thread *t = fake_thread(w->f, "irq/7-parport0");
	const struct tuning_subject s = {
		.tid = t->tid,
		.start_ticks = t->start_ticks,
		.name = (char *)t->name,
	};
	const struct tuning_value old = { .policy = SCHED_FIFO, .priority = (unsigned)from },
				  new = { .policy = SCHED_FIFO, .priority = (unsigned)to };
	struct journal *j = NULL;

	g_assert_true(g_file_get_contents("/proc/sys/kernel/random/boot_id", &boot_id, NULL, NULL));
	g_assert_cmpint(journal_open(w->run, g_strchomp(boot_id), &j, &message), ==, 0);
	g_assert_cmpint(journal_will(j, &s, TUNING_POLICY, &old, &new, "r"), ==, 0);
	journal_close(j);
}

static void test_killed_after_the_change(struct world *w, gconstpointer data)
{
	world_announce(w, 50, 66);
	fake_chrt(w->f, "irq/7-parport0", SCHED_FIFO, 66);
	world_start(w);
	fake_assert_policy(w->f, "irq/7-parport0", "fifo 50");
	g_assert_cmpuint(change_count(w->news, IRQ_PUT_BACK), ==, 1);
}

static void test_killed_before_the_change(struct world *w, gconstpointer data)
{
	world_announce(w, 50, 66);
	world_start(w);
	g_assert_cmpuint(w->f->sets, ==, 0);
	g_assert_cmpuint(w->news->len, ==, 0);
	/* and it is no longer ours: somebody sets by chance what we would have */
	fake_chrt(w->f, "irq/7-parport0", SCHED_FIFO, 66);
	world_stop(w);
	fake_assert_policy(w->f, "irq/7-parport0", "fifo 66");
}

static void test_killed_in_between_and_changed(struct world *w, gconstpointer data)
{
	world_announce(w, 50, 66);
	fake_chrt(w->f, "irq/7-parport0", SCHED_FIFO, 77);
	world_start(w);
	fake_assert_policy(w->f, "irq/7-parport0", "fifo 77");
	g_assert_cmpuint(change_count(w->news, IRQ_DRIFTED), ==, 1);
}

static void test_killed_in_between_with_its_rule(struct world *w, gconstpointer data)
{
	world_rules(w, "10-port",
		    "rules = ( { match = { action = \"parport0\"; }; policy = \"fifo\"; priority = "
		    "66; } );");
	world_announce(w, 50, 66);
	fake_chrt(w->f, "irq/7-parport0", SCHED_FIFO, 66);
	world_start(w);
	g_assert_cmpuint(w->f->sets, ==, 0);
	world_stop(w);
	fake_assert_policy(w->f, "irq/7-parport0", "fifo 50");
}

/* What cannot be written down is not changed. */
static void test_no_journal(struct world *w, gconstpointer data)
{
	const struct irq_change *c;

	world_start(w);
	remove_tree(w->run);
	world_rules(w, "10-net", ETH0_60);
	world_reload(w);
	world_assert_as_before(w);
	g_assert_cmpuint(w->f->sets, ==, 0);
	c = change_find(w->news, IRQ_REFUSED, "irq/5-eth0");
	g_assert_true(c && strstr(c->message, "could not be written down"));
}

/* A link in the journal's place: the daemon starts, says so, and sets nothing until it is gone. */
static void test_journal_is_a_link(struct world *w, gconstpointer data)
{
	g_autofree char *path = g_build_filename(w->run, "tuning", NULL);
	g_autofree char *elsewhere = g_build_filename(w->dir, "elsewhere", NULL);
	g_autoptr(GPtrArray) changes = NULL, rules = plan_rules("rules = " PARPORT_90 ";");
	g_autoptr(GPtrArray) findings = findings_new();
	const struct irq_wish wish = { .has_nice = true, .nice = 3 };
	const struct irq_change *c;
	const struct finding *f;
	const char *why = NULL;

	g_assert_cmpint(symlink(elsewhere, path), ==, 0);
	world_rules(w, "10-net", ETH0_60);
	world_start(w);
	c = change_find(w->news, IRQ_REFUSED, NULL);
	g_assert_true(c && strcmp(c->by, "journal") == 0 && strstr(c->message, "symbolic link"));
	g_assert_cmpuint(w->news->len, ==, 1);
	g_assert_cmpint(world_set(w, "irq/5-eth0", &wish), ==, -EPERM);
	changes = irqpolicy_apply(w->p, false);
	g_assert_cmpuint(change_count(changes, IRQ_WOULD), ==, 2);
	g_assert_cmpuint(change_count(changes, IRQ_REFUSED), ==, 1);
	g_assert_cmpstr(irqpolicy_watching(w->p, &why), ==, "off");
	g_assert_true(why && strstr(why, "symbolic link"));
	irqpolicy_session_begin(w->p, rules, 0, findings);
	f = finding_find(findings, "irq-rule");
	g_assert_true(f && strstr(f->text, "symbolic link"));
	irqpolicy_session_end(w->p, findings);
	g_assert_cmpuint(w->news->len, ==, 1); /* said once */
	g_assert_cmpuint(w->f->sets, ==, 0);
	g_assert_false(g_file_test(elsewhere, G_FILE_TEST_EXISTS));
	g_assert_cmpint(g_unlink(path), ==, 0);
	world_reload(w);
	fake_assert_policy(w->f, "irq/5-eth0", "fifo 60");
	g_assert_cmpstr(irqpolicy_watching(w->p, &why), ==, "process-events");
	world_stop(w);
	world_assert_as_before(w);
}

static void test_irqbalance_is_named(struct world *w, gconstpointer data)
{
	g_autofree char *proc = g_build_filename(w->dir, "proc/4711", NULL);
	g_autofree char *comm = g_build_filename(proc, "comm", NULL);
	const struct tuning_value ours = { .affinity = (char *)"1" },
				  is = { .affinity = (char *)"0" };
	g_autofree char *named = NULL, *other = NULL;

	g_assert_cmpint(irqbalance_find(w->dir), ==, 0);
	g_assert_cmpint(g_mkdir_with_parents(proc, 0755), ==, 0);
	g_assert_true(g_file_set_contents(comm, "irqbalance\n", -1, NULL));
	g_assert_cmpint(irqbalance_find(w->dir), ==, 4711);
	named = irq_drift_format("line 5", "rule", TUNING_AFFINITY, &ours, &is, 4711);
	g_assert_nonnull(strstr(named, "affinity 0 instead of 1"));
	g_assert_nonnull(strstr(named, "irqbalance runs (process 4711)"));
	other = irq_drift_format("line 5", "rule", TUNING_AFFINITY, &ours, &is, 0);
	g_assert_null(strstr(other, "irqbalance"));
}

/* Rights */

static void test_captured(struct world *w, gconstpointer data)
{
	g_autofree char *journal = g_build_filename(w->run, "tuning", NULL);
	g_autoptr(GPtrArray) changes = NULL, findings = findings_new();
	g_autoptr(GPtrArray) rules = plan_rules("rules = " PARPORT_90 ";");
	const struct irq_wish wish = { .has_policy = true, .policy = SCHED_OTHER };
	const char *why = NULL;

	w->f->captured = true;
	world_rules(w, "10-net", ETH0_60);
	world_start(w);
	changes = irqpolicy_apply(w->p, false);
	g_assert_cmpuint(change_count(changes, IRQ_WOULD), ==, 2);
	g_assert_cmpstr(irqpolicy_watching(w->p, &why), ==, "captured");
	g_assert_nonnull(why);
	g_assert_cmpint(world_set(w, "irq/5-eth0", &wish), ==, -EPERM);
	irqpolicy_session_begin(w->p, rules, 0, findings);
	g_assert_nonnull(finding_find(findings, "irq-rule"));
	irqpolicy_session_end(w->p, findings);
	world_stop(w);
	g_assert_cmpuint(w->f->sets, ==, 0);
	g_assert_cmpuint(w->news->len, ==, 0);
	g_assert_false(g_file_test(journal, G_FILE_TEST_EXISTS));
}

static void test_no_rights(struct world *w, gconstpointer data)
{
	g_autoptr(GPtrArray) changes = NULL;
	unsigned sets;

	fake_thread(w->f, "irq/5-eth0")->refuse = -EPERM;
	world_rules(w, "10-net", ETH0_60);
	world_start(w);
	g_assert_cmpuint(change_count(w->news, IRQ_REFUSED), ==, 1);
	sets = w->f->sets;
	w->f->watcher(THREADWATCH_LOOK, NULL, w->f->watcher_data);
	while (sd_event_run(w->event, 100000) > 0)
		;
	g_assert_cmpuint(w->f->sets, ==, sets); /* it is not asked for again */
	g_assert_cmpuint(change_count(w->news, IRQ_REFUSED), ==, 1);
	changes = irqpolicy_apply(w->p, false); /* but when somebody asks */
	g_assert_cmpuint(w->f->sets, ==, sets + 1);
	g_assert_cmpuint(change_count(changes, IRQ_REFUSED), ==, 1);
}

/* Later threads */

static void world_newcomer(struct world *w, const char *name)
{
	const struct fake_thread *t = fake_thread(w->f, name);
	const struct threadwatch_newcomer newcomer = {
		.tid = t->tid,
		.start_ticks = t->start_ticks,
		.created_ns = (uint64_t)g_get_monotonic_time() * 1000 - 5000000,
	};

	g_assert_nonnull(w->f->watcher);
	w->f->watcher(THREADWATCH_THREAD, &newcomer, w->f->watcher_data);
}

static void world_events(struct world *w, uint64_t usec)
{
	gint64 end = g_get_monotonic_time() + (gint64)usec;

	while (g_get_monotonic_time() < end)
		g_assert_cmpint(sd_event_run(w->event, 10000), >=, 0);
}

static void test_newcomer(struct world *w, gconstpointer data)
{
	const struct irq_change *c;
	unsigned reads;

	world_rules(w, "10-net", ETH0_60);
	world_start(w);
	fake_end_thread(w->f, "irq/5-eth0");
	fake_add_thread(w->f, 77, "irq/5-eth0");
	g_ptr_array_set_size(w->news, 0);
	reads = w->f->reads;
	world_newcomer(w, "irq/5-eth0");
	world_newcomer(w, "irq/5-s-eth0");
	world_newcomer(w, "irq/7-parport0");
	world_events(w, 10000);
	g_assert_cmpuint(w->f->reads, ==, reads + 1); /* one look for all */
	fake_assert_policy(w->f, "irq/5-eth0", "fifo 60");
	c = change_find(w->news, IRQ_SET, "irq/5-eth0");
	g_assert_true(c && c->after_ns >= 5000000);
	/* the kernel was late with its default: once more */
	fake_chrt(w->f, "irq/5-eth0", SCHED_FIFO, 50);
	world_events(w, 300000);
	fake_assert_policy(w->f, "irq/5-eth0", "fifo 60");
	g_assert_cmpuint(change_count(w->news, IRQ_DRIFTED), ==, 0);
	/* and then it is somebody's wish */
	fake_chrt(w->f, "irq/5-eth0", SCHED_FIFO, 50);
	w->f->watcher(THREADWATCH_LOOK, NULL, w->f->watcher_data);
	world_events(w, 300000);
	fake_assert_policy(w->f, "irq/5-eth0", "fifo 50");
	g_assert_cmpuint(change_count(w->news, IRQ_DRIFTED), ==, 1);
}

/* Newer kernels start a secondary thread one below. */
static void test_secondary_newcomer(struct world *w, gconstpointer data)
{
	world_rules(w, "10-net", ETH0_60);
	world_start(w);
	fake_end_thread(w->f, "irq/5-s-eth0");
	fake_add_thread(w->f, 78, "irq/5-s-eth0");
	world_newcomer(w, "irq/5-s-eth0");
	world_events(w, 10000);
	fake_assert_policy(w->f, "irq/5-s-eth0", "fifo 60");
	fake_chrt(w->f, "irq/5-s-eth0", SCHED_FIFO, 49);
	world_events(w, 300000);
	fake_assert_policy(w->f, "irq/5-s-eth0", "fifo 60");
	g_assert_cmpuint(change_count(w->news, IRQ_DRIFTED), ==, 0);
}

/* Others begin with the policy other. */
static void test_other_newcomer(struct world *w, gconstpointer data)
{
	world_rules(
		w, "10-net",
		"rules = ( { match = { kthread = \"napi/*\"; }; policy = \"fifo\"; priority = 5; "
		"} );");
	world_start(w);
	fake_end_thread(w->f, "napi/eth0-3");
	fake_add_thread(w->f, 79, "napi/eth0-3");
	fake_chrt(w->f, "napi/eth0-3", SCHED_OTHER, 0);
	world_newcomer(w, "napi/eth0-3");
	world_events(w, 10000);
	fake_assert_policy(w->f, "napi/eth0-3", "fifo 5");
	fake_chrt(w->f, "napi/eth0-3", SCHED_OTHER, 0);
	world_events(w, 300000);
	fake_assert_policy(w->f, "napi/eth0-3", "fifo 5");
	g_assert_cmpuint(change_count(w->news, IRQ_DRIFTED), ==, 0);
}

/* First met before it had run, and so without the rest of its name. */
static void test_whole_name_later(struct world *w, gconstpointer data)
{
	g_autofree char *before = NULL, *now = NULL;

	fake_add_thread(w->f, 80, "napi/enp0s31f6-");
	fake_chrt(w->f, "napi/enp0s31f6-", SCHED_OTHER, 0);
	before = fake_state(w->f);
	world_rules(w, "10-net",
		    "rules = ( { match = { kthread = \"napi/enp*\"; }; nice = -3; } );");
	world_start(w);
	g_assert_cmpint(fake_thread(w->f, "napi/enp0s31f6-")->nice, ==, -3);
	g_strlcpy(fake_thread(w->f, "napi/enp0s31f6-")->name, "napi/enp0s31f6-8193", 64);
	world_rules(w, "10-net",
		    "rules = ( { match = { kthread = \"napi/enp*\"; }; nice = -5; } );");
	world_reload(w);
	g_assert_cmpint(fake_thread(w->f, "napi/enp0s31f6-8193")->nice, ==, -5);
	world_stop(w);
	g_assert_cmpint(fake_thread(w->f, "napi/enp0s31f6-8193")->nice, ==, 0);
	g_strlcpy(fake_thread(w->f, "napi/enp0s31f6-8193")->name, "napi/enp0s31f6-", 64);
	now = fake_state(w->f);
	g_assert_cmpstr(now, ==, before);
}

/* A run for others meets a thread that the kernel is still starting. */
static void test_newcomer_in_its_start(struct world *w, gconstpointer data)
{
	world_rules(w, "10-net", ETH0_60);
	world_start(w);
	for (unsigned undone = 1; undone <= 4; undone++) {
		fake_end_thread(w->f, "irq/5-eth0");
		fake_add_thread(w->f, (pid_t)(70 + undone), "irq/5-eth0");
		fake_thread(w->f, "irq/5-eth0")->undone = undone;
		w->f->watcher(THREADWATCH_LOOK, NULL, w->f->watcher_data);
		world_events(w, 10000);
		fake_assert_policy(w->f, "irq/5-eth0", undone == 1 ? "fifo 60" : "fifo 50");
		fake_thread(w->f, "irq/5-eth0")->undone = 0;
		world_newcomer(w, "irq/5-eth0");
		world_events(w, 10000);
		fake_assert_policy(w->f, "irq/5-eth0", "fifo 60");
	}
}

/* Settled news, and the looks they ask for. */
static void world_look(struct world *w, bool reset)
{
	if (reset)
		w->f->watcher(THREADWATCH_RESET, NULL, w->f->watcher_data);
	w->f->watcher(THREADWATCH_LOOK, NULL, w->f->watcher_data);
	while (sd_event_run(w->event, 100000) > 0)
		;
}

/* After a resume the kernel's defaults are the kernel's; another value is somebody's. */
static void test_reset(struct world *w, gconstpointer data)
{
	g_autoptr(GPtrArray) findings = findings_new();

	world_rules(w, "10-net", ETH0_60);
	world_start(w);
	irqpolicy_session_begin(w->p, NULL, 0, findings);
	fake_chrt(w->f, "irq/5-eth0", SCHED_FIFO, 50);
	fake_chrt(w->f, "irq/5-s-eth0", SCHED_FIFO, 12);
	w->f->watcher(THREADWATCH_RESET, NULL, w->f->watcher_data);
	irqpolicy_session_tick(w->p, findings);
	g_assert_cmpuint(findings->len, ==, 0); /* whose it is shows in the look */
	world_look(w, false);
	fake_assert_policy(w->f, "irq/5-eth0", "fifo 60");
	fake_assert_policy(w->f, "irq/5-s-eth0", "fifo 12");
	g_assert_cmpuint(change_count(w->news, IRQ_DRIFTED), ==, 1);
	/* somebody's, and it happens to be the kernel's as well: stays so whatever comes */
	fake_chrt(w->f, "irq/5-eth0", SCHED_FIFO, 50);
	world_look(w, false);
	g_assert_cmpuint(change_count(w->news, IRQ_DRIFTED), ==, 2);
	world_look(w, true);
	fake_assert_policy(w->f, "irq/5-eth0", "fifo 50");
	g_assert_cmpuint(change_count(w->news, IRQ_DRIFTED), ==, 2);
	irqpolicy_session_end(w->p, findings);
}

/* A line whose CPU has been away is where the kernel has put it meanwhile. */
static void test_reset_of_affinity(struct world *w, gconstpointer data)
{
	world_rules(w, "10-a",
		    "rules = ( { match = { irq = \"5,7\"; }; affinity = \"0,1000-1001\"; } );");
	world_start(w);
	g_assert_cmpstr(fake_line(w->f, 5)->affinity, ==, "0"); /* the same, to who runs now */
	g_strlcpy(fake_line(w->f, 5)->affinity, "1002-1003", 32);
	g_strlcpy(fake_line(w->f, 7)->affinity, "1001-1002", 32);
	fake_line(w->f, 5)->refuse = -ENOSPC;
	world_look(w, true);
	g_assert_cmpuint(change_count(w->news, IRQ_REFUSED), ==, 1);
	fake_line(w->f, 5)->refuse = 0;
	world_look(w, true); /* and what was refused may be had now */
	g_assert_cmpstr(fake_line(w->f, 5)->affinity, ==, "0,1000-1001");
	g_assert_cmpstr(fake_line(w->f, 7)->affinity, ==, "1001-1002");
	g_assert_cmpuint(change_count(w->news, IRQ_DRIFTED), ==, 1);
}

static void test_watching(struct world *w, gconstpointer data)
{
	g_autoptr(GPtrArray) findings = findings_new();
	g_autoptr(GPtrArray) rules = plan_rules("rules = " PARPORT_90 ";");
	const char *why;

	world_start(w);
	g_assert_cmpstr(irqpolicy_watching(w->p, &why), ==, "off");
	g_assert_null(w->f->watcher);
	irqpolicy_session_begin(w->p, rules, 0, findings);
	g_assert_cmpstr(irqpolicy_watching(w->p, &why), ==, "process-events");
	irqpolicy_session_end(w->p, findings);
	g_assert_cmpstr(irqpolicy_watching(w->p, &why), ==, "off");
	world_rules(w, "10-net", ETH0_60);
	world_reload(w);
	g_assert_cmpstr(irqpolicy_watching(w->p, &why), ==, "process-events");
	world_rules(w, "10-net", "rules = ( );");
	world_reload(w);
	g_assert_null(w->f->watcher);
}

/* What is said of rules */

static void test_notes(struct world *w, gconstpointer data)
{
	g_autoptr(GPtrArray) changes = NULL;

	world_rules(w, "10-a",
		    "rules = ( { name = \"waits\"; match = { interface = \"wlan0\"; }; nice = 1; },"
		    "{ name = \"timer\"; match = { action = \"timer\"; }; policy = \"other\"; },"
		    "{ name = \"cpus\"; match = { action = \"timer\"; }; affinity = \"0\"; },"
		    "{ name = \"protected\"; match = { kthread = \"migration/*\"; }; nice = 1; },"
		    "{ name = \"unused\"; match = { irq = 11; }; nice = 1; },"
		    "{ name = \"fine\"; match = { irq = 5; }; nice = 1; } );");
	fake_add_line(w->f, 11, "", NULL);
	fake_line(w->f, 11)->unthreaded = IRQ_UNUSED;
	world_start(w);
	g_assert_cmpuint(change_count(w->news, IRQ_WAITS), ==, 0); /* quietly */
	g_assert_cmpuint(change_count(w->news, IRQ_NEVER), ==, 2);
	changes = irqpolicy_apply(w->p, true);
	g_assert_cmpuint(change_count(changes, IRQ_WAITS), ==, 2);
	g_assert_cmpuint(change_count(changes, IRQ_NEVER), ==, 2);
	for (guint i = 0; i < changes->len; i++) {
		const struct irq_change *c = changes->pdata[i];

		if (c->outcome == IRQ_NEVER)
			g_assert_true(strcmp(c->by, "timer") == 0 ||
				      strcmp(c->by, "protected") == 0);
		if (c->outcome == IRQ_WAITS)
			g_assert_true(strcmp(c->by, "waits") == 0 || strcmp(c->by, "unused") == 0);
		g_assert_true(c->message && *c->message);
	}
}

#define ADD(name, f)                                                                               \
	g_test_add("/irqpolicy/" name, struct world, NULL, world_setup, f, world_teardown)

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	ADD("line", test_line);
	ADD("problems-dropped", test_problems_dropped);
	ADD("unequal", test_unequal);
	ADD("first-match", test_first_match);
	ADD("priority-alone", test_priority_alone);
	ADD("chain", test_chain);
	ADD("restore", test_restore);
	ADD("restore-while-measuring", test_restore_while_measuring);
	ADD("drift", test_drift);
	ADD("drift-of-kept", test_drift_of_kept);
	ADD("drift-of-affinity", test_drift_of_affinity);
	ADD("tick-is-cheap", test_tick_is_cheap);
	ADD("find-without-a-session", test_find_without_a_session);
	ADD("tick-searches-once", test_tick_searches_once);
	ADD("measuring", test_measuring);
	ADD("together", test_together);
	ADD("forbidden", test_forbidden);
	ADD("refused-in-the-middle", test_refused_in_the_middle);
	ADD("forbidden-afterwards", test_forbidden_afterwards);
	ADD("forbidden-by-hand", test_forbidden_by_hand);
	ADD("changed-and-forbidden", test_changed_and_forbidden);
	ADD("forbidden-and-beside", test_forbidden_and_beside);
	ADD("refused-after-ours", test_refused_after_ours);
	ADD("made-something-else", test_made_something_else);
	ADD("changed-to-what-cannot-be", test_changed_to_what_cannot_be);
	ADD("put-back-too-late", test_put_back_too_late);
	ADD("set-too-late", test_set_too_late);
	ADD("once-ours", test_once_ours);
	ADD("unseen", test_unseen);
	ADD("drift-again", test_drift_again);
	ADD("by-hand", test_by_hand);
	ADD("by-hand-undone-is-no-drift", test_by_hand_undone_is_no_drift);
	ADD("by-hand-alone", test_by_hand_alone);
	ADD("by-hand-refused", test_by_hand_refused);
	ADD("line-by-hand", test_line_by_hand);
	ADD("killed", test_killed);
	ADD("killed-and-changed", test_killed_and_changed);
	ADD("restore-journal", test_restore_journal);
	ADD("damaged-journal", test_damaged_journal);
	ADD("journal-of-another-boot", test_journal_of_another_boot);
	ADD("killed-after-the-change", test_killed_after_the_change);
	ADD("killed-before-the-change", test_killed_before_the_change);
	ADD("killed-in-between-and-changed", test_killed_in_between_and_changed);
	ADD("killed-in-between-with-its-rule", test_killed_in_between_with_its_rule);
	ADD("no-journal", test_no_journal);
	ADD("journal-is-a-link", test_journal_is_a_link);
	ADD("irqbalance-is-named", test_irqbalance_is_named);
	ADD("captured", test_captured);
	ADD("no-rights", test_no_rights);
	ADD("newcomer", test_newcomer);
	ADD("secondary-newcomer", test_secondary_newcomer);
	ADD("other-newcomer", test_other_newcomer);
	ADD("whole-name-later", test_whole_name_later);
	ADD("newcomer-in-its-start", test_newcomer_in_its_start);
	ADD("reset", test_reset);
	ADD("reset-of-affinity", test_reset_of_affinity);
	ADD("watching", test_watching);
	ADD("notes", test_notes);
	return g_test_run();
}
