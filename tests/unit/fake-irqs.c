/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fake-irqs.h"

#include "policy.h"
#include "tuning.h"
#include <errno.h>
#include <string.h>

static struct fake *the_fake; /* the functions below are called without it */

struct fake *fake_new(void)
{
	struct fake *f = g_new0(struct fake, 1);

	f->threads = g_array_new(FALSE, TRUE, sizeof(struct fake_thread));
	f->lines = g_array_new(FALSE, TRUE, sizeof(struct fake_line));
	f->log = g_string_new(NULL);
	the_fake = f;
	return f;
}

void fake_free(struct fake *f)
{
	g_array_unref(f->threads);
	g_array_unref(f->lines);
	g_string_free(f->log, TRUE);
	g_free(f);
	the_fake = NULL;
}

static struct fake_thread *fake_nth_thread(const struct fake *f, guint i)
{
	return &g_array_index(f->threads, struct fake_thread, i);
}

static struct fake_line *fake_nth_line(const struct fake *f, guint i)
{
	return &g_array_index(f->lines, struct fake_line, i);
}

struct fake_thread *fake_thread(struct fake *f, const char *name)
{
	for (guint i = 0; i < f->threads->len; i++)
		if (strcmp(fake_nth_thread(f, i)->name, name) == 0)
			return fake_nth_thread(f, i);
	g_error("no thread %s", name);
}

struct fake_line *fake_line(struct fake *f, unsigned irq)
{
	for (guint i = 0; i < f->lines->len; i++)
		if (fake_nth_line(f, i)->irq == irq)
			return fake_nth_line(f, i);
	g_error("no line %u", irq);
}

void fake_add_thread(struct fake *f, pid_t tid, const char *name)
{
	struct fake_thread t = {
		.tid = tid,
		.start_ticks = 1000 + (uint64_t)f->threads->len + (uint64_t)tid,
		.irq = -1,
		.policy = SCHED_FIFO,
		.priority = 1,
		.affinity = "0",
	};
	struct kthread_name what;

	g_strlcpy(t.name, name, sizeof(t.name));
	kthread_name_parse(name, &what);
	if (what.kind == KTHREAD_IRQ) {
		t.irq = what.irq;
		t.priority = 50;
	}
	g_array_append_val(f->threads, t);
}

void fake_end_thread(struct fake *f, const char *name)
{
	struct fake_thread *t = fake_thread(f, name);

	g_array_remove_index(f->threads, (guint)(t - fake_nth_thread(f, 0)));
}

void fake_add_line(struct fake *f, unsigned irq, const char *action, const char *interface)
{
	struct fake_line l = {
		.irq = irq, .chip = "FAKE", .affinity = "0", .unthreaded = IRQ_NOT_FORCED
	};

	g_strlcpy(l.action, action, sizeof(l.action));
	g_strlcpy(l.interface, interface ?: "", sizeof(l.interface));
	g_snprintf(l.hwirq, sizeof(l.hwirq), "%u", irq);
	g_array_append_val(f->lines, l);
}

void fake_chrt(struct fake *f, const char *name, int policy, unsigned priority)
{
	struct fake_thread *t = fake_thread(f, name);

	t->policy = policy;
	t->priority = priority;
}

static char *fake_policy(const struct fake_thread *t)
{
	const struct tuning_value v = {
		.policy = t->policy,
		.priority = t->priority,
		.reset_on_fork = t->reset_on_fork,
	};

	return tuning_value_format(TUNING_POLICY, &v);
}

void fake_assert_policy(struct fake *f, const char *name, const char *expected)
{
	g_autofree char *is = fake_policy(fake_thread(f, name));

	if (strcmp(is, expected) != 0)
		g_error("%s is %s, not %s", name, is, expected);
}

char *fake_state(const struct fake *f)
{
	GString *s = g_string_new(NULL);

	for (guint i = 0; i < f->threads->len; i++) {
		const struct fake_thread *t = fake_nth_thread(f, i);
		g_autofree char *policy = fake_policy(t);

		g_string_append_printf(s, "%s=%s,%d,%s;", t->name, policy, t->nice, t->affinity);
	}
	for (guint i = 0; i < f->lines->len; i++)
		g_string_append_printf(s, "%u=%s;", fake_nth_line(f, i)->irq,
				       fake_nth_line(f, i)->affinity);
	return g_string_free(s, FALSE);
}

/* What kills machines, at every moment */

static unsigned fake_edge(const struct fake *f, enum kthread_kind kind, bool highest)
{
	unsigned edge = highest ? 0 : 100;

	for (guint i = 0; i < f->threads->len; i++) {
		struct kthread_name what;

		kthread_name_parse(fake_nth_thread(f, i)->name, &what);
		if (what.kind == kind)
			edge = highest ? MAX(edge, fake_nth_thread(f, i)->priority)
				       : MIN(edge, fake_nth_thread(f, i)->priority);
	}
	return edge;
}

static void fake_check(const struct fake *f)
{
	g_assert_cmpuint(fake_edge(f, KTHREAD_KSOFTIRQD, true), <=,
			 fake_edge(f, KTHREAD_RCU, false));
	g_assert_cmpuint(fake_edge(f, KTHREAD_KTIMERS, true), <=, fake_edge(f, KTHREAD_RCU, false));
	g_assert_cmpuint(fake_edge(f, KTHREAD_RCU, true), <=,
			 fake_edge(f, KTHREAD_IRQ_WORK, false));
}

/* irqtable.h */

static void fake_tag(struct irq_table *t, GArray *tags, enum rule_key key, const char *value)
{
	const struct rule_tag tag = { key, g_string_chunk_insert_const(t->strings, value) };

	if (*value)
		g_array_append_val(tags, tag);
}

static void fake_line_tags(struct irq_table *t, GArray *tags, const struct fake_line *l)
{
	g_autofree char *number = g_strdup_printf("%u", l->irq);

	fake_tag(t, tags, RULE_IRQ, number);
	fake_tag(t, tags, RULE_ACTION, l->action);
	fake_tag(t, tags, RULE_INTERFACE, l->interface);
}

static void line_free(gpointer data)
{
	struct irq_line *l = data;

	g_strfreev(l->actions);
	g_ptr_array_unref(l->threads);
	g_array_unref(l->tags);
	g_free(l->chip);
	g_free(l->hwirq);
	g_free(l->affinity);
	g_free(l);
}

static void thread_free(gpointer data)
{
	struct irq_thread *t = data;

	g_free(t->name);
	g_free(t->affinity);
	g_array_unref(t->tags);
	g_free(t);
}

static void fake_read_line(struct irq_table *table, const struct fake_line *from)
{
	struct irq_line *l = g_new0(struct irq_line, 1);

	l->irq = from->irq;
	l->actions = g_new0(char *, 2);
	l->actions[0] = *from->action ? g_strdup(from->action) : NULL;
	l->chip = g_strdup(from->chip);
	l->hwirq = g_strdup(from->hwirq);
	l->affinity = g_strdup(from->affinity);
	l->unthreaded = from->unthreaded;
	l->parent = -1;
	l->threads = g_ptr_array_new();
	l->tags = g_array_new(FALSE, FALSE, sizeof(struct rule_tag));
	fake_line_tags(table, l->tags, from);
	g_ptr_array_add(table->lines, l);
}

static void fake_read_fields(const struct fake_thread *from, struct irq_thread *t)
{
	t->tid = from->tid;
	t->start_ticks = from->start_ticks;
	t->name = g_strdup(from->name);
	kthread_name_parse(t->name, &t->what);
	t->policy = from->policy;
	t->priority = from->priority;
	t->nice = from->nice;
	t->bound = from->bound;
	t->affinity = g_strdup(from->affinity);
	t->tags = g_array_new(FALSE, FALSE, sizeof(struct rule_tag));
}

struct irq_line *__wrap_irqtable_line(const struct irq_table *t, unsigned irq);
struct irq_line *__wrap_irqtable_line(const struct irq_table *t, unsigned irq)
{
	for (guint i = 0; i < t->lines->len; i++)
		if (((struct irq_line *)t->lines->pdata[i])->irq == irq)
			return t->lines->pdata[i];
	return NULL;
}

struct irq_thread *__wrap_irqtable_thread(const struct irq_table *t, pid_t tid);
struct irq_thread *__wrap_irqtable_thread(const struct irq_table *t, pid_t tid)
{
	for (guint i = 0; i < t->threads->len; i++)
		if (((struct irq_thread *)t->threads->pdata[i])->tid == tid)
			return t->threads->pdata[i];
	return NULL;
}

static void fake_read_thread(struct irq_table *table, const struct fake_thread *from)
{
	struct irq_thread *t = g_new0(struct irq_thread, 1);

	fake_read_fields(from, t);
	if (!kthread_kind_namable(t->what.kind)) {
		thread_free(t);
		return;
	}
	t->line = from->irq >= 0 ? __wrap_irqtable_line(table, (unsigned)from->irq) : NULL;
	fake_tag(table, t->tags, t->what.kind == KTHREAD_IRQ ? RULE_THREAD : RULE_KTHREAD, t->name);
	if (t->line) {
		fake_line_tags(table, t->tags, fake_line(the_fake, t->line->irq));
		fake_tag(table, t->line->tags, RULE_THREAD, t->name);
		t->line->unthreaded = IRQ_THREADED;
		g_ptr_array_add(t->line->threads, t);
	}
	g_ptr_array_add(table->threads, t);
}

int __wrap_irqtable_read(const char *root, struct irq_table **ret);
int __wrap_irqtable_read(const char *root, struct irq_table **ret)
{
	struct irq_table *t = g_new0(struct irq_table, 1);

	the_fake->reads++;
	t->threaded = true;
	t->threads_seen = !the_fake->unseen;
	t->strings = g_string_chunk_new(1024);
	t->lines = g_ptr_array_new_with_free_func(line_free);
	t->threads = g_ptr_array_new_with_free_func(thread_free);
	t->rows = g_ptr_array_new();
	for (guint i = 0; i < the_fake->lines->len; i++)
		fake_read_line(t, fake_nth_line(the_fake, i));
	for (guint i = 0; i < the_fake->threads->len && t->threads_seen; i++)
		fake_read_thread(t, fake_nth_thread(the_fake, i));
	if (the_fake->after_read)
		the_fake->after_read(the_fake);
	the_fake->after_read = NULL;
	*ret = t;
	return 0;
}

void __wrap_irqtable_free(struct irq_table *t);
void __wrap_irqtable_free(struct irq_table *t)
{
	if (!t)
		return;
	g_ptr_array_unref(t->threads);
	g_ptr_array_unref(t->lines);
	g_ptr_array_unref(t->rows);
	g_string_chunk_free(t->strings);
	g_free(t);
}

static struct fake_thread *fake_tid(pid_t tid)
{
	for (guint i = 0; i < the_fake->threads->len; i++)
		if (fake_nth_thread(the_fake, i)->tid == tid)
			return fake_nth_thread(the_fake, i);
	return NULL;
}

int __wrap_irqtable_read_thread(const char *root, pid_t tid, struct irq_thread *ret);
int __wrap_irqtable_read_thread(const char *root, pid_t tid, struct irq_thread *ret)
{
	const struct fake_thread *t = fake_tid(tid);

	if (!t)
		return -ESRCH;
	*ret = (struct irq_thread){ 0 };
	fake_read_fields(t, ret);
	return 0;
}

void __wrap_irq_thread_done(struct irq_thread *t);
void __wrap_irq_thread_done(struct irq_thread *t)
{
	g_free(t->name);
	g_free(t->affinity);
	g_array_unref(t->tags);
}

int __wrap_irqtable_check_own(const char *root, char **ret_message);
int __wrap_irqtable_check_own(const char *root, char **ret_message)
{
	if (!the_fake->captured)
		return 0;
	*ret_message = g_strdup("This is a captured machine.");
	return -EXDEV;
}

/* tuning.h */

static struct fake_thread *fake_subject(const struct tuning_subject *s)
{
	struct fake_thread *t = fake_tid(s->tid);

	return t && t->start_ticks == s->start_ticks && kthread_name_same(t->name, s->name) ? t
											    : NULL;
}

int __wrap_tuning_get(const struct tuning_subject *s, enum tuning_attribute a,
		      struct tuning_value *ret);
int __wrap_tuning_get(const struct tuning_subject *s, enum tuning_attribute a,
		      struct tuning_value *ret)
{
	const struct fake_thread *t = s->is_line ? NULL : fake_subject(s);

	if (!s->is_line && !t)
		return -ESRCH;
	*ret = (struct tuning_value){ 0 };
	if (s->is_line) {
		ret->affinity = g_strdup(fake_line(the_fake, s->irq)->affinity);
	} else if (a == TUNING_AFFINITY) {
		ret->affinity = g_strdup(t->affinity);
	} else {
		ret->policy = t->policy;
		ret->priority = t->priority;
		ret->reset_on_fork = t->reset_on_fork;
		ret->nice = t->nice;
	}
	return 0;
}

static void fake_set_thread(struct fake_thread *t, enum tuning_attribute a,
			    const struct tuning_value *v)
{
	if (a == TUNING_AFFINITY) {
		g_strlcpy(t->affinity, v->affinity, sizeof(t->affinity));
	} else if (a == TUNING_NICE) {
		t->nice = v->nice;
	} else {
		t->policy = v->policy;
		t->priority = v->priority;
		t->reset_on_fork = v->reset_on_fork;
	}
}

int __wrap_tuning_set(const struct tuning_subject *s, enum tuning_attribute a,
		      const struct tuning_value *v, char **ret_message);
int __wrap_tuning_set(const struct tuning_subject *s, enum tuning_attribute a,
		      const struct tuning_value *v, char **ret_message)
{
	struct fake_thread *t = s->is_line ? NULL : fake_subject(s);
	g_autofree char *text = tuning_value_format(a, v);
	struct fake *f = the_fake;
	int refuse;

	if (f->frozen)
		return 0;
	f->sets++;
	if (!s->is_line && !t) {
		*ret_message = g_strdup("It has ended.");
		return -ESRCH;
	}
	refuse = t ? t->refuse : fake_line(f, s->irq)->refuse;
	if (t && t->priority_max > 0 && a == TUNING_POLICY && v->priority > t->priority_max)
		refuse = -EPERM;
	if (refuse < 0) {
		*ret_message = g_strdup_printf("%s is refused.", text);
		return refuse;
	}
	if (t && a == TUNING_POLICY && t->undone + t->twisted > 0) {
		if (t->twisted > 0) {
			t->twisted--;
			t->policy = SCHED_FIFO;
			t->priority = 7;
		} else {
			t->undone--;
		}
		*ret_message = g_strdup_printf("%s reads back as something else.", text);
		return -EBADE;
	}
	if (t)
		fake_set_thread(t, a, v);
	else
		g_strlcpy(fake_line(f, s->irq)->affinity, v->affinity, 32);
	g_string_append_printf(f->log, "%s=%s;", t ? t->name : "line", text);
	fake_check(f);
	return 0;
}

/* irqdrift.h */

pid_t __real_irqbalance_find(const char *root);
pid_t __wrap_irqbalance_find(const char *root);
pid_t __wrap_irqbalance_find(const char *root)
{
	the_fake->searches++;
	return __real_irqbalance_find(root);
}

/* threadwatch.h */

struct threadwatch {
	struct fake *f;
};

int __wrap_threadwatch_new(sd_event *event, threadwatch_news_t news, void *userdata,
			   struct threadwatch **ret);
int __wrap_threadwatch_new(sd_event *event, threadwatch_news_t news, void *userdata,
			   struct threadwatch **ret)
{
	*ret = g_new0(struct threadwatch, 1);
	(*ret)->f = the_fake;
	the_fake->watcher = news;
	the_fake->watcher_data = userdata;
	return 0;
}

struct threadwatch *__wrap_threadwatch_free(struct threadwatch *w);
struct threadwatch *__wrap_threadwatch_free(struct threadwatch *w)
{
	if (w)
		w->f->watcher = NULL;
	g_free(w);
	return NULL;
}

const char *__wrap_threadwatch_mode(const struct threadwatch *w, const char **ret_why);
const char *__wrap_threadwatch_mode(const struct threadwatch *w, const char **ret_why)
{
	*ret_why = NULL;
	return "process-events";
}
