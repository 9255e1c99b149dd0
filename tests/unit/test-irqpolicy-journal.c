/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Over a made machine: what is put back after a crash and what is left alone, a journal that cannot
 * be read or written, and machines that nothing may be set on.
 */
#include "finding.h"
#include "policy-world.h"
#include "tuning.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

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

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	WORLD_ADD("killed", test_killed);
	WORLD_ADD("killed-and-changed", test_killed_and_changed);
	WORLD_ADD("restore-journal", test_restore_journal);
	WORLD_ADD("damaged-journal", test_damaged_journal);
	WORLD_ADD("journal-of-another-boot", test_journal_of_another_boot);
	WORLD_ADD("killed-after-the-change", test_killed_after_the_change);
	WORLD_ADD("killed-before-the-change", test_killed_before_the_change);
	WORLD_ADD("killed-in-between-and-changed", test_killed_in_between_and_changed);
	WORLD_ADD("killed-in-between-with-its-rule", test_killed_in_between_with_its_rule);
	WORLD_ADD("no-journal", test_no_journal);
	WORLD_ADD("journal-is-a-link", test_journal_is_a_link);
	WORLD_ADD("captured", test_captured);
	WORLD_ADD("no-rights", test_no_rights);
	return g_test_run();
}
