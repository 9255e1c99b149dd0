/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of interrupts: captured cases, made-up ones, and this machine's. */
#include <errno.h>
#include <jansson.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "irq-world.h"
#include "irqtable.h"
#include "policy.h"

static struct irq_table *table(const char *root)
{
	struct irq_table *t = NULL;

	g_assert_cmpint(irqtable_read(root, &t), ==, 0);
	return t;
}

/* Kernel threads can be seen in it. */
static void world_begin(struct irq_world *w, const char *interrupts)
{
	irq_world_init(w);
	irq_world_kthreadd(w);
	irq_world_put(w, "proc/interrupts", interrupts);
}

static void check_actions(const struct irq_line *l, const char *const *actions)
{
	g_assert_nonnull(l);
	g_assert_cmpuint(g_strv_length(l->actions), ==, g_strv_length((char **)actions));
	for (guint i = 0; actions[i]; i++)
		g_assert_cmpstr(l->actions[i], ==, actions[i]);
}

#define ACTIONS(...) ((const char *const[]){ __VA_ARGS__, NULL })
#define NO_ACTIONS   ((const char *const[]){ NULL })

static bool tagged(const GArray *tags, enum rule_key key, const char *value)
{
	for (guint i = 0; i < tags->len; i++) {
		const struct rule_tag *tag = &g_array_index(tags, struct rule_tag, i);

		if (tag->key == key && strcmp(tag->value, value) == 0)
			return true;
	}
	return false;
}

/* One object of expect.json. */
static void check_expected(const struct irq_table *t, const json_t *want)
{
	const struct irq_thread *thread =
		irqtable_thread(t, (pid_t)json_integer_value(json_object_get(want, "tid")));
	const json_t *actions = json_object_get(want, "actions");
	int irq = json_integer_value(json_object_get(want, "irq"));

	g_assert_nonnull(thread);
	g_assert_cmpint(thread->what.kind, ==, KTHREAD_IRQ);
	g_assert_cmpint(thread->what.irq, ==, irq);
	g_assert_cmpstr(thread->name, ==, json_string_value(json_object_get(want, "name")));
	g_assert_cmpstr(policy_to_string(thread->policy), ==,
			json_string_value(json_object_get(want, "policy")));
	g_assert_cmpint(thread->priority, ==,
			json_integer_value(json_object_get(want, "priority")));
	g_assert_cmpint(thread->nice, ==, json_integer_value(json_object_get(want, "nice")));
	g_assert_cmpstr(thread->affinity, ==, "0-1");
	g_assert_nonnull(thread->line);
	g_assert_true(g_ptr_array_find(thread->line->threads, thread, NULL));
	g_assert_cmpuint(g_strv_length(thread->line->actions), ==, json_array_size(actions));
	for (guint i = 0; i < json_array_size(actions); i++)
		g_assert_cmpstr(thread->line->actions[i], ==,
				json_string_value(json_array_get(actions, i)));
}

static void check_case(const char *root)
{
	g_autofree char *expect = g_build_filename(root, "expect.json", NULL);
	json_t *want = json_load_file(expect, 0, NULL), *threads, *thread;
	struct irq_table *t = table(root);
	guint n = 0;
	size_t i;

	g_assert_nonnull(want);
	threads = json_object_get(want, "threads");
	json_array_foreach (threads, i, thread)
		check_expected(t, thread);
	for (guint k = 0; k < t->threads->len; k++) {
		const struct irq_thread *irq_thread = t->threads->pdata[k];

		n += irq_thread->what.kind == KTHREAD_IRQ;
	}
	g_assert_cmpuint(n, ==, json_array_size(threads));
	g_assert_true(t->threads_seen);
	irqtable_free(t);
	json_decref(want);
}

static void test_cases(void)
{
	g_autofree char *folder = g_build_filename(g_getenv("FIXTURES"), "irq-cases", NULL);
	GDir *dir = g_dir_open(folder, 0, NULL);
	const char *name;
	guint n = 0;

	g_assert_nonnull(dir);
	while ((name = g_dir_read_name(dir))) {
		g_autofree char *root = g_build_filename(folder, name, NULL);

		g_test_message("%s", name);
		check_case(root);
		n++;
	}
	g_dir_close(dir);
	g_assert_cmpuint(n, >=, 32);
}

/* Rows that are no lines, glued counts, CPUs that are missing. */
static void test_rows(void)
{
	g_autofree char *root =
		g_build_filename(g_getenv("FIXTURES"), "irq-cases", "glued-counts", NULL);
	struct irq_table *t = table(root);
	const struct irq_row *row = t->rows->pdata[0];
	const struct irq_line *l = irqtable_line(t, 11);

	g_assert_cmpuint(t->rows->len, ==, 2);
	g_assert_cmpstr(row->name, ==, "IPI0");
	g_assert_cmpstr(row->text, ==, "Rescheduling interrupts");
	g_assert_cmpuint(row->n_counts, ==, 2);
	g_assert_cmpuint(row->counts[0], ==, 1145401553);
	g_assert_cmpuint(l->counts[0], ==, G_MAXUINT32);
	g_assert_cmpstr(l->chip, ==, "GICv3");
	g_assert_cmpstr(l->hwirq, ==, "25");
	g_assert_cmpstr(l->trigger, ==, "level");
	irqtable_free(t);

	g_free(root);
	root = g_build_filename(g_getenv("FIXTURES"), "irq-cases", "sparse-cpus", NULL);
	t = table(root);
	g_assert_cmpuint(t->n_cpus, ==, 3);
	g_assert_cmpint(t->cpus[2], ==, 3);
	irqtable_free(t);
}

/* Two threads with one cut name on a shared line: the older is the first action's. */
static void test_collision(void)
{
	struct irq_world w;
	struct irq_table *t;
	const struct irq_thread *first, *second;

	world_begin(&w, "     CPU0 CPU1\n"
			"184:    1    2   GIC  25 Level     mlx5_comp1, mlx5_comp2, eth0\n"
			"185:    1    2   GIC  26 Level     mlx5_comp1, mlx5_comp2\n");
	/* process ids wrapped in between */
	irq_world_process(&w, 300, "irq/184-mlx5_co", 2, IRQ_WORLD_KTHREAD, 1, 50, 0, 100);
	irq_world_process(&w, 200, "irq/184-mlx5_co", 2, IRQ_WORLD_KTHREAD, 1, 60, 0, 101);
	irq_world_process(&w, 201, "irq/184-eth0", 2, IRQ_WORLD_KTHREAD, 1, 60, 0, 101);
	irq_world_process(&w, 202, "irq/185-mlx5_co", 2, IRQ_WORLD_KTHREAD, 1, 60, 0, 101);
	t = table(w.root);
	g_assert_cmpuint(irqtable_line(t, 184)->threads->len, ==, 3);
	first = irqtable_thread(t, 300);
	second = irqtable_thread(t, 200);
	g_assert_true(tagged(first->tags, RULE_THREAD, "irq/184-mlx5_co"));
	g_assert_true(tagged(first->tags, RULE_THREAD, "irq/184-mlx5_comp1"));
	g_assert_false(tagged(first->tags, RULE_THREAD, "irq/184-mlx5_comp2"));
	g_assert_true(tagged(second->tags, RULE_THREAD, "irq/184-mlx5_comp2"));
	g_assert_false(tagged(second->tags, RULE_THREAD, "irq/184-mlx5_comp1"));
	/* the line's actions are every thread's, its numbers too, and all names are the line's */
	g_assert_true(tagged(second->tags, RULE_ACTION, "eth0"));
	g_assert_true(tagged(second->tags, RULE_IRQ, "184"));
	g_assert_false(tagged(second->tags, RULE_THREAD, "irq/184-eth0"));
	g_assert_true(tagged(irqtable_line(t, 184)->tags, RULE_THREAD, "irq/184-eth0"));
	/* one thread for two candidates: it may be either */
	first = irqtable_thread(t, 202);
	g_assert_true(tagged(first->tags, RULE_THREAD, "irq/185-mlx5_comp1"));
	g_assert_true(tagged(first->tags, RULE_THREAD, "irq/185-mlx5_comp2"));
	irqtable_free(t);
	irq_world_done(&w);
}

static void test_secondary(void)
{
	struct irq_world w;
	struct irq_table *t;

	world_begin(&w, "     CPU0\n"
			" 5:     1   GIC  25 Level     s-video\n"
			" 6:     1   GIC  26 Level     video-decoder\n");
	irq_world_thread(&w, 50, "irq/5-s-video");
	irq_world_thread(&w, 60, "irq/6-video-dec");
	irq_world_thread(&w, 61, "irq/6-s-video-d");
	t = table(w.root);
	g_assert_false(irqtable_thread(t, 50)->what.secondary);
	g_assert_cmpstr(irqtable_thread(t, 50)->what.rest, ==, "s-video");
	g_assert_false(irqtable_thread(t, 60)->what.secondary);
	g_assert_true(irqtable_thread(t, 61)->what.secondary);
	g_assert_true(tagged(irqtable_thread(t, 61)->tags, RULE_THREAD, "irq/6-s-video-decoder"));
	g_assert_true(tagged(irqtable_thread(t, 60)->tags, RULE_THREAD, "irq/6-video-decoder"));
	g_assert_true(t->threaded); /* only forced threading makes secondary ones */
	irqtable_free(t);
	irq_world_done(&w);
}

/* Whatever a process calls itself, whoever its parent is. */
static void test_impostors(void)
{
	struct irq_world w;
	struct irq_table *t;

	for (int with_children = 0; with_children < 2; with_children++) {
		world_begin(&w, "  CPU0\n 9: 1   IO-APIC   9-fasteoi   acpi\n");
		irq_world_thread(&w, 60, "irq/9-acpi");
		irq_world_process(&w, 61, "irq/9-acpi", 2, IRQ_WORLD_USER, 1, 50, 0, 100);
		irq_world_process(&w, 62, "ksoftirqd/0", 1, IRQ_WORLD_USER, 0, 0, 0, 100);
		irq_world_process(&w, 63, "irq/9-acpi) S 2 0 0 0 -1 2129984 (", 1, IRQ_WORLD_USER,
				  0, 0, 0, 100);
		irq_world_thread(&w, 70, "kworker/0:1-irq/9-acpi");
		irq_world_thread(&w, 71, "migration/0");
		irq_world_process(&w, 72, "irq/9-old", 2, IRQ_WORLD_KTHREAD, 1, 50, 0, 100);
		irq_world_put(&w, "proc/72/stat", "72 (irq/9-old) S 2 garbage\n");
		irq_world_thread(&w, 74, "irq/9-acpi");
		irq_world_move(&w, "proc/74", "proc/73");
		if (with_children)
			irq_world_put(&w, "proc/2/task/2/children", "60 61 62 63 70 71 72 73 74 ");
		t = table(w.root);
		g_assert_cmpuint(t->threads->len, ==, 1);
		g_assert_cmpint(((struct irq_thread *)t->threads->pdata[0])->tid, ==, 60);
		g_assert_null(irqtable_thread(t, 61));
		irqtable_free(t);
		irq_world_done(&w);
	}
}

/* Any bytes but '/' and NUL are a name's. */
static void test_odd_names(void)
{
	static const char *const names[] = { "irq/7-a\nb", "irq/7-\xc3\xa4\xe2\x82\xac",
					     "irq/7-\xff\xfe", "irq/7-a (b) ", "irq/7-x)\n7 (y" };
	struct irq_world w;
	struct irq_table *t;

	world_begin(&w, "  CPU0\n 7: 1   IO-APIC   7-edge      x\n");
	for (guint i = 0; i < G_N_ELEMENTS(names); i++)
		irq_world_thread(&w, 100 + i, names[i]);
	t = table(w.root);
	for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
		g_assert_cmpstr(irqtable_thread(t, 100 + i)->name, ==, names[i]);
		g_assert_cmpstr(irqtable_thread(t, 100 + i)->affinity, ==, "0-1");
	}
	irqtable_free(t);
	irq_world_done(&w);
}

/* Blanks and newlines belong to a name wherever they stand in it. */
static void test_blank_names(void)
{
	struct irq_world w;
	struct irq_table *t;

	world_begin(&w, "     CPU0\n"
			" 1:    1   GIC   1 Level     a \n"
			" 2:    1   GIC   2 Level     a , b \t\n"
			" 3:    1   GIC   3 Level       a\n"
			" 4:    1   GIC   4 Level     a\n"
			"b\n"
			" 5:    1   GIC   5 Level     x\n");
	irq_world_put(&w, "sys/kernel/irq/3/actions", "  a\n");
	irq_world_put(&w, "sys/kernel/irq/4/actions", "a\nb\n");
	irq_world_thread(&w, 40, "irq/4-a\nb");
	t = table(w.root);
	check_actions(irqtable_line(t, 1), ACTIONS("a "));
	check_actions(irqtable_line(t, 2), ACTIONS("a ", "b \t"));
	check_actions(irqtable_line(t, 3), ACTIONS("  a"));
	check_actions(irqtable_line(t, 4), ACTIONS("a\nb"));
	check_actions(irqtable_line(t, 5), ACTIONS("x"));
	g_assert_true(irqtable_thread(t, 40)->line == irqtable_line(t, 4));
	irqtable_free(t);
	irq_world_done(&w);
}

/* The kernel shows 63 bytes of a name: rules know it whole. */
static void test_long_name(void)
{
	static const char action[] =
		"0123456789012345678901234567890123456789012345678901234567890123456789";
	g_autofree char *interrupts = NULL, *shown = NULL, *whole = NULL;
	struct irq_world w;
	struct irq_table *t;

	interrupts = g_strdup_printf("     CPU0\n 5:    1   GIC   1 Level     %s\n", action);
	whole = g_strdup_printf("irq/5-%s", action);
	shown = g_strndup(whole, 63);
	world_begin(&w, interrupts);
	irq_world_thread(&w, 50, shown);
	t = table(w.root);
	g_assert_cmpstr(irqtable_thread(t, 50)->name, ==, shown);
	g_assert_true(tagged(irqtable_thread(t, 50)->tags, RULE_THREAD, whole));
	irqtable_free(t);
	irq_world_done(&w);
}

/* An action without a name, a line without a handler, interrupt 0. */
static void test_empty(void)
{
	struct irq_world w;
	struct irq_table *t;

	world_begin(&w, "     CPU0\n"
			"  0:    1   IO-APIC   2-edge      timer\n"
			"  8:    1   IO-APIC   8-edge      \n"
			"  9:    1   IO-APIC   9-edge    \n");
	irq_world_thread(&w, 80, "irq/8-");
	irq_world_put(&w, "sys/kernel/irq/8/actions", "\n");
	irq_world_put(&w, "sys/kernel/realtime", "1\n");
	t = table(w.root);
	check_actions(irqtable_line(t, 0), ACTIONS("timer"));
	g_assert_cmpint(irqtable_line(t, 0)->unthreaded, ==, IRQ_NO_THREAD);
	check_actions(irqtable_line(t, 8), NO_ACTIONS);
	g_assert_cmpint(irqtable_line(t, 8)->unthreaded, ==, IRQ_THREADED);
	g_assert_cmpint(irqtable_line(t, 9)->unthreaded, ==, IRQ_UNUSED);
	g_assert_true(t->lines->pdata[0] == irqtable_line(t, 0));
	irqtable_free(t);
	irq_world_done(&w);
}

static void test_children(void)
{
	static const char *const garbage[] = { NULL,	 "",	    "\n", "abc",
					       "60 x61", "60 -61 ", "0 ", "99999999999999999999 ",
					       "60,61" };

	for (guint i = 0; i < G_N_ELEMENTS(garbage); i++) {
		struct irq_world w;
		struct irq_table *t;

		world_begin(&w, "  CPU0\n 9: 1   IO-APIC   9-fasteoi   acpi\n");
		irq_world_thread(&w, 60, "irq/9-acpi");
		irq_world_thread(&w, 61, "ksoftirqd/0");
		if (garbage[i])
			irq_world_put(&w, "proc/2/task/2/children", garbage[i]);
		t = table(w.root);
		g_assert_cmpuint(t->threads->len, ==, 2);
		g_assert_true(t->threads_seen);
		irqtable_free(t);

		/* and taken at its word when it is one: ids twice, gone ones, out of order */
		irq_world_put(&w, "proc/2/task/2/children", "61 99 60 61 \n");
		irq_world_thread(&w, 62, "ksoftirqd/1");
		t = table(w.root);
		g_assert_cmpuint(t->threads->len, ==, 2);
		g_assert_cmpint(((struct irq_thread *)t->threads->pdata[0])->tid, ==, 60);
		irqtable_free(t);
		irq_world_done(&w);
	}
}

static void test_namespace(void)
{
	struct irq_world w;
	struct irq_table *t;

	irq_world_init(&w);
	irq_world_process(&w, 2, "kthreadd", 0, IRQ_WORLD_USER, 0, 0, 0, 1);
	irq_world_put(&w, "proc/interrupts", "  CPU0\n 9: 1   IO-APIC   9-fasteoi   acpi\n");
	t = table(w.root);
	g_assert_false(t->threads_seen);
	g_assert_cmpuint(t->threads->len, ==, 0);
	g_assert_cmpint(irqtable_line(t, 9)->unthreaded, ==, IRQ_UNSEEN);
	irqtable_free(t);
	irq_world_done(&w);

	/* hidden, and then one that is not */
	irq_world_init(&w);
	irq_world_put(&w, "proc/interrupts", "  CPU0\n 9: 1   IO-APIC   9-fasteoi   acpi\n");
	t = table(w.root);
	g_assert_false(t->threads_seen);
	irqtable_free(t);
	irq_world_thread(&w, 60, "irq/9-acpi");
	t = table(w.root);
	g_assert_true(t->threads_seen);
	g_assert_cmpuint(t->threads->len, ==, 1);
	irqtable_free(t);
	irq_world_done(&w);
}

/* Commas in names, and the three places that may each lack a line. */
static void test_places(void)
{
	struct irq_world w;
	struct irq_table *t;

	world_begin(&w, "     CPU0\n"
			"  1:    1   GIC   1 Level     a,b, c\n"
			"  2:    1   GIC   2 Level     a, b, c\n"
			"  3:    1   GIC   3 Level     stale\n"
			"  4:    1   GIC   4 Level     a, b\n"
			"  5:    1   XT  PIC      odd, text\n"
			" 99999999999999999999: 1   GIC   4 Level     x\n"
			"  5:    7   GIC   5 Level     twice\n");
	irq_world_put(&w, "sys/kernel/irq/1/actions", "a,b,c\n");
	irq_world_put(&w, "sys/kernel/irq/2/actions", "a, b,c\n");
	irq_world_put(&w, "sys/kernel/irq/5/actions", "odd,text\n");
	irq_world_put(&w, "sys/kernel/irq/5/chip_name", "XT  PIC\n");
	irq_world_put(&w, "sys/kernel/irq/5/hwirq", "5\n");
	irq_world_put(&w, "sys/kernel/irq/5/type", "edge\n");
	irq_world_put(&w, "sys/kernel/irq/6/actions", "late,r\n");
	irq_world_put(&w, "sys/kernel/irq/6/chip_name", "GIC\n");
	irq_world_folder(&w, "sys/kernel/irq/7");
	irq_world_folder(&w, "proc/irq/8");
	irq_world_put(&w, "proc/irq/1/smp_affinity_list", "0-3\n");
	irq_world_put(&w, "proc/irq/1/effective_affinity_list", "2\n");
	irq_world_put(&w, "proc/irq/2/smp_affinity_list", "garbage\n");
	irq_world_put(&w, "proc/irq/default_smp_affinity", "f\n");
	irq_world_put(&w, "sys/kernel/irq/07/actions", "not a line\n");
	t = table(w.root);
	check_actions(irqtable_line(t, 1), ACTIONS("a,b", "c"));
	check_actions(irqtable_line(t, 2), ACTIONS("a, b", "c"));
	check_actions(irqtable_line(t, 3), ACTIONS("stale"));
	check_actions(irqtable_line(t, 4), ACTIONS("a", "b"));
	check_actions(irqtable_line(t, 5), ACTIONS("odd", "text"));
	check_actions(irqtable_line(t, 6), ACTIONS("late", "r"));
	check_actions(irqtable_line(t, 7), NO_ACTIONS);
	check_actions(irqtable_line(t, 8), NO_ACTIONS);
	g_assert_cmpuint(t->lines->len, ==, 8);
	g_assert_null(irqtable_line(t, 9));
	g_assert_cmpstr(irqtable_line(t, 5)->chip, ==, "XT  PIC");
	g_assert_cmpstr(irqtable_line(t, 5)->hwirq, ==, "5");
	g_assert_cmpstr(irqtable_line(t, 5)->trigger, ==, "edge");
	g_assert_cmpstr(irqtable_line(t, 6)->chip, ==, "GIC");
	g_assert_cmpuint(irqtable_line(t, 6)->n_counts, ==, 0);
	g_assert_cmpstr(irqtable_line(t, 1)->affinity, ==, "0-3");
	g_assert_cmpstr(irqtable_line(t, 1)->effective, ==, "2");
	g_assert_null(irqtable_line(t, 2)->affinity);
	g_assert_null(irqtable_line(t, 3)->affinity);
	irqtable_free(t);
	irq_world_done(&w);
}

static void check_unthreaded(const struct irq_table *t, unsigned irq, enum irq_unthreaded u,
			     const char *part)
{
	const struct irq_line *l = irqtable_line(t, irq);
	g_autofree char *text = irq_line_explain(l);

	g_test_message("%u: %s: %s", irq, irq_unthreaded_to_string(l->unthreaded), text);
	g_assert_cmpint(l->unthreaded, ==, u);
	if (part)
		g_assert_nonnull(strstr(text, part));
	else
		g_assert_null(text);
}

static void test_unthreaded(void)
{
	static const struct {
		const char *file, *text;
		bool threaded;
	} kernels[] = {
		{ NULL, NULL, false },
		{ "sys/kernel/realtime", "1\n", true },
		{ "sys/kernel/realtime", "0\n", false },
		{ "proc/version", "Linux version 6.12 (a@b) #1 SMP PREEMPT_RT Mon\n", true },
		{ "proc/version", "Linux version 4.19 (a@b) #1 SMP PREEMPT RT Mon\n", true },
		{ "proc/version", "Linux version 6.12 (PREEMPT_RTx) #1 SMP PREEMPT\n", false },
		{ "proc/cmdline", "ro quiet threadirqs\n", true },
		{ "proc/cmdline", "ro nothreadirqs=threadirqs -- threadirqs\n", false },
		{ "proc/300/stat", NULL, true }, /* ktimers/0 */
	};

	for (guint i = 0; i < G_N_ELEMENTS(kernels); i++) {
		enum irq_unthreaded u = kernels[i].threaded ? IRQ_NO_THREAD : IRQ_NOT_FORCED;
		struct irq_world w;
		struct irq_table *t;

		world_begin(&w, "     CPU0\n"
				" 10:    1   GIC  30 Level     arch_timer\n"
				" 20:    1   GIC  31 Level     axp20x_irq_chip\n"
				" 21:    1   axp20x_irq_chip   0 Edge      axp20x-rtc\n"
				" 22:    1   axp20x_irq_chip   1 Edge\n"
				" 30:    1   GIC  32 Level     INT34C6:00\n"
				" 31:    1   INT34C6:00   1 Edge      touchpad\n");
		irq_world_thread(&w, 200, "irq/20-axp20x_irq_chip");
		if (kernels[i].text)
			irq_world_put(&w, kernels[i].file, kernels[i].text);
		else if (kernels[i].file)
			irq_world_thread(&w, 300, "ktimers/0");
		t = table(w.root);
		g_assert_cmpint(t->threaded, ==, kernels[i].threaded);
		check_unthreaded(t, 20, IRQ_THREADED, NULL);
		check_unthreaded(t, 21, IRQ_NESTED, "interrupt 20");
		g_assert_cmpint(irqtable_line(t, 21)->parent, ==, 20);
		check_unthreaded(t, 22, IRQ_UNUSED, "no handler");
		check_unthreaded(t, 10, u, "nterrupt 10");
		/* its parent has no thread that it could run in */
		check_unthreaded(t, 31, u, "nterrupt 31");
		g_assert_cmpint(irqtable_line(t, 31)->parent, ==, -1);
		irqtable_free(t);
		irq_world_done(&w);
	}
}

/* 512 CPUs, 4096 interrupts, each with a thread. */
static void test_big(void)
{
	g_autoptr(GString) text = g_string_new("     ");
	guint n_cpus = g_getenv("LRTBF_VALGRIND") ? 32 : 512;
	struct irq_world w;
	struct irq_table *t;

	irq_world_init(&w);
	irq_world_kthreadd(&w);
	for (guint cpu = 0; cpu < n_cpus; cpu++)
		g_string_append_printf(text, "     CPU%-3u", cpu);
	g_string_append_c(text, '\n');
	for (guint irq = 0; irq < 4096; irq++) {
		g_string_append_printf(text, "%4u:", irq);
		for (guint cpu = 0; cpu < n_cpus; cpu++)
			g_string_append_printf(text, " %10u", cpu == 7 ? 4294967295u : irq + cpu);
		g_string_append_printf(text, "  IR-PCI-MSIX-0000:3b:00.0 %4u-edge      nvme0q%u\n",
				       irq, irq);
		if (irq % 64 == 0) {
			g_autofree char *comm = g_strdup_printf("irq/%u-nvme0q%u", irq, irq);

			irq_world_thread(&w, 1000 + irq, comm);
		}
	}
	irq_world_put(&w, "proc/interrupts", text->str);
	t = table(w.root);
	g_assert_cmpuint(t->n_cpus, ==, n_cpus);
	g_assert_cmpuint(t->lines->len, ==, 4096);
	g_assert_cmpuint(t->threads->len, ==, 64);
	for (guint irq = 0; irq < 4096; irq++) {
		const struct irq_line *l = irqtable_line(t, irq);

		g_assert_cmpuint(l->n_counts, ==, n_cpus);
		g_assert_cmpuint(l->counts[n_cpus - 1], ==, irq + n_cpus - 1);
		g_assert_cmpuint(l->counts[7], ==, G_MAXUINT32);
		g_assert_cmpuint(l->threads->len, ==, irq % 64 == 0);
		g_assert_cmpstr(l->chip, ==, "IR-PCI-MSIX-0000:3b:00.0");
	}
	irqtable_free(t);
	irq_world_done(&w);
}

static void test_no_table(void)
{
	struct irq_table *t = NULL;
	struct irq_thread thread;
	struct irq_world w;

	irq_world_init(&w);
	g_assert_cmpint(irqtable_read(w.root, &t), ==, -ENOENT);
	irq_world_put(&w, "proc/interrupts", "");
	g_assert_cmpint(irqtable_read(w.root, &t), ==, -EBADMSG);
	irq_world_put(&w, "proc/interrupts", "nothing to see here\n");
	g_assert_cmpint(irqtable_read(w.root, &t), ==, -EBADMSG);
	g_assert_cmpint(irqtable_read("/nonexistent", &t), ==, -ENOENT);
	g_assert_null(t);

	irq_world_thread(&w, 60, "irq/9-acpi");
	irq_world_process(&w, 61, "irq/9-acpi", 2, IRQ_WORLD_USER, 1, 50, 0, 100);
	irq_world_thread(&w, 62, "napi/eth0-8193");
	g_assert_cmpint(irqtable_read_thread(w.root, 60, &thread), ==, 0);
	g_assert_cmpstr(thread.name, ==, "irq/9-acpi");
	g_assert_cmpint(thread.what.irq, ==, 9);
	g_assert_null(thread.line);
	g_assert_cmpint(thread.policy, ==, SCHED_FIFO);
	g_assert_cmpuint(thread.priority, ==, 50);
	g_assert_cmpuint(thread.start_ticks, ==, 100);
	g_assert_cmpstr(thread.affinity, ==, "0-1");
	g_assert_false(thread.bound);
	g_assert_true(tagged(thread.tags, RULE_IRQ, "9"));
	g_assert_true(tagged(thread.tags, RULE_THREAD, "irq/9-acpi"));
	irq_thread_done(&thread);
	g_assert_cmpint(irqtable_read_thread(w.root, 62, &thread), ==, 0);
	g_assert_true(tagged(thread.tags, RULE_INTERFACE, "eth0"));
	g_assert_true(tagged(thread.tags, RULE_KTHREAD, "napi/eth0-8193"));
	irq_thread_done(&thread);
	g_assert_cmpint(irqtable_read_thread(w.root, 61, &thread), ==, -EPERM);
	g_assert_cmpint(irqtable_read_thread(w.root, 63, &thread), ==, -ESRCH);
	g_assert_cmpint(irqtable_read_thread(w.root, 0, &thread), ==, -ESRCH);
	g_assert_cmpint(irqtable_read_thread(w.root, -1, &thread), ==, -ESRCH);
	g_assert_cmpint(irqtable_read_thread("/", getpid(), &thread), ==, -EPERM);
	irq_world_done(&w);
}

static void test_own(void)
{
	g_autofree char *message = NULL;
	struct irq_world w;
	int r;

	irq_world_init(&w);
	irq_world_link(&w, "proc/self", "1234");
	g_assert_cmpint(irqtable_check_own(w.root, &message), ==, -EXDEV);
	g_assert_nonnull(strstr(message, w.root));
	irq_world_done(&w);
	r = irqtable_check_own("/", NULL);
	/* /proc of another namespace would be the only reason here */
	g_assert_true(r == 0 || r == -EXDEV);
	if (r == 0)
		g_assert_cmpint(irqtable_check_own("/proc/..", NULL), ==, 0);
}

/* What the kernel's own calls say of each thread of this machine. */
static void test_here(void)
{
	struct irq_table *t = table("/");

	g_assert_cmpuint(t->n_cpus, >, 0);
	for (guint i = 1; i < t->lines->len; i++)
		g_assert_cmpuint(((struct irq_line *)t->lines->pdata[i - 1])->irq, <,
				 ((struct irq_line *)t->lines->pdata[i])->irq);
	if (!t->threads_seen) {
		irqtable_free(t);
		g_test_skip("kernel threads cannot be seen here (PID namespace)");
		return;
	}
	g_assert_cmpuint(t->threads->len, >, 0);
	for (guint i = 0; i < t->threads->len; i++) {
		const struct irq_thread *thread = t->threads->pdata[i];
		struct policy_state state;
		struct irq_thread alone;

		if (irqtable_read_thread("/", thread->tid, &alone) < 0)
			continue; /* gone */
		g_assert_true(kthread_kind_namable(thread->what.kind));
		g_assert_cmpstr(alone.name, ==, thread->name);
		g_assert_cmpuint(alone.start_ticks, ==, thread->start_ticks);
		g_assert_nonnull(thread->affinity);
		if (irqtable_check_own("/", NULL) == 0 && policy_read(thread->tid, &state) == 0) {
			g_assert_cmpint(state.policy, ==, alone.policy);
			g_assert_cmpuint(state.priority, ==, alone.priority);
			g_assert_cmpint(state.nice, ==, alone.nice);
		}
		if (thread->what.kind == KTHREAD_IRQ)
			g_assert_nonnull(thread->line);
		irq_thread_done(&alone);
	}
	irqtable_free(t);
}

/* Another machine's files, by way of links that a captured tree has for folders. */
static void test_links_out(void)
{
	static const char *const ways[] = { "proc/irq/9", "proc/irq", "sys/kernel/irq/9",
					    "sys/kernel/irq", "proc/77" };
	struct irq_world out;

	if (!irq_world_keeps_links())
		return;
	irq_world_init(&out);
	irq_world_put(&out, "9/smp_affinity_list", "5\n");
	irq_world_put(&out, "9/actions", "secret\n");
	irq_world_put(&out, "9/chip_name", "secret\n");
	irq_world_put(&out, "smp_affinity_list", "5\n");
	irq_world_put(&out, "actions", "secret\n");
	irq_world_process(&out, 77, "irq/9-a", 2, IRQ_WORLD_KTHREAD, 1, 50, 0, 100);
	for (size_t i = 0; i < G_N_ELEMENTS(ways); i++) {
		g_autofree char *thread = g_build_filename(out.root, "proc/77", NULL);
		struct irq_world w;
		struct irq_table *t;
		struct irq_line *l;

		world_begin(&w, "           CPU0\n  9:     1   IO-APIC   9-edge      a,b\n");
		irq_world_link(&w, ways[i], strcmp(ways[i], "proc/77") == 0 ? thread : out.root);
		t = table(w.root);
		l = irqtable_line(t, 9);
		g_assert_nonnull(l);
		g_assert_null(l->affinity);
		g_assert_cmpstr(l->actions[0], !=, "secret");
		g_assert_cmpstr(l->chip, ==, "IO-APIC");
		g_assert_cmpuint(t->threads->len, ==, 0);
		irqtable_free(t);
		irq_world_done(&w);
	}
	irq_world_done(&out);
}

/* Not even where a link points is told of what lies outside. */
static void test_link_behind_links_out(void)
{
	struct irq_world w, out;
	g_autofree char *devices = NULL;
	struct irq_table *t;
	struct irq_line *l;

	if (!irq_world_keeps_links())
		return;
	irq_world_init(&out);
	irq_world_init(&w);
	irq_world_link(&out, "devices/platform/dev9/driver",
		       "../../../bus/platform/drivers/secret");
	devices = g_build_filename(out.root, "devices", NULL);
	irq_world_link(&w, "sys/devices", devices);
	irq_world_link(&w, "sys/bus/platform/devices/dev9", "../../../devices/platform/dev9");
	irq_world_put(&w, "proc/interrupts",
		      "           CPU0\n  9:     1   IO-APIC   9-edge      dev9\n");
	t = table(w.root);
	l = irqtable_line(t, 9);
	g_assert_nonnull(l);
	for (guint i = 0; i < l->tags->len; i++)
		g_assert_cmpint(g_array_index(l->tags, struct rule_tag, i).key, !=, RULE_DRIVER);
	irqtable_free(t);
	irq_world_done(&w);
	irq_world_done(&out);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/irqtable/cases", test_cases);
	g_test_add_func("/irqtable/rows", test_rows);
	g_test_add_func("/irqtable/collision", test_collision);
	g_test_add_func("/irqtable/secondary", test_secondary);
	g_test_add_func("/irqtable/impostors", test_impostors);
	g_test_add_func("/irqtable/odd-names", test_odd_names);
	g_test_add_func("/irqtable/blank-names", test_blank_names);
	g_test_add_func("/irqtable/long-name", test_long_name);
	g_test_add_func("/irqtable/empty", test_empty);
	g_test_add_func("/irqtable/children", test_children);
	g_test_add_func("/irqtable/namespace", test_namespace);
	g_test_add_func("/irqtable/places", test_places);
	g_test_add_func("/irqtable/unthreaded", test_unthreaded);
	g_test_add_func("/irqtable/big", test_big);
	g_test_add_func("/irqtable/no-table", test_no_table);
	g_test_add_func("/irqtable/links-out", test_links_out);
	g_test_add_func("/irqtable/link-behind-links-out", test_link_behind_links_out);
	g_test_add_func("/irqtable/own", test_own);
	g_test_add_func("/irqtable/here", test_here);
	return g_test_run();
}
