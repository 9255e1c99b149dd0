/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The owner: what there is to decide from (rules, hands, journal, pause) changes here, and each
 * change ends in a run, which does whatever follows from it.
 *
 * Nothing at all is set where /proc is not this machine's (a captured tree, another PID namespace's
 * view), nor where the journal cannot be had or believed (a link in its place, somebody's lock):
 * every answer says what would be done then, and why it is not. That is no reason not to start:
 * the rest of the daemon needs no journal, and who looks for the reason asks the daemon. The next
 * reload tries again.
 */
#include "irqpolicy-internal.h"

#include "rule.h"
#include "sysfile.h"
#include "tuning.h"
#include <errno.h>
#include <sys/stat.h>

/* What is said without being about a thread or line: @by says about what. */
static void irqpolicy_remark(struct irqpolicy *p, const char *by, char *sentence)
{
	struct irq_change c = {
		.outcome = IRQ_REFUSED,
		.irq = -1,
		.attribute = -1,
		.by = (char *)by,
		.message = sentence,
	};

	if (p->p.news)
		p->p.news(&c, p->p.userdata);
	g_free(sentence);
}

/* Journal */

/* Asked before it is opened, which leaves out what is of another boot. */
static bool journal_is_of_another_boot(const struct irqpolicy *p, const char *boot_id)
{
	g_autoptr(GPtrArray) ours = NULL, any = NULL;
	g_autofree char *text = NULL;
	size_t size = 0;

	text = sysfile_bytes(p->runtime_dir, "tuning", 16 * 1024 * 1024, &size);
	if (!text)
		return false;
	ours = journal_parse(text, size, boot_id, NULL);
	any = journal_parse(text, size, NULL, NULL);
	return any->len > 0 && ours->len == 0;
}

static void irqpolicy_open_journal(struct irqpolicy *p)
{
	g_autofree char *boot_id = sysfile_text("/", "proc/sys/kernel/random/boot_id");
	bool another = boot_id && journal_is_of_another_boot(p, boot_id);
	unsigned bad;

	g_clear_pointer(&p->unjournaled, g_free);
	if (journal_open(p->runtime_dir, boot_id ?: "unknown", &p->journal, &p->unjournaled) < 0)
		return; /* said by each run that would change something */
	bad = journal_damaged(p->journal);
	if (another)
		irqpolicy_remark(p, "journal",
				 g_strdup("The journal of changes is of another boot: the threads "
					  "it speaks of are gone, nothing is put back."));
	else if (bad > 0)
		irqpolicy_remark(p, "journal",
				 g_strdup_printf("%u line%s of the journal of changes cannot be "
						 "read and count for nothing: what they say of "
						 "threads is not put back.",
						 bad, bad == 1 ? "" : "s"));
}

const char *irqpolicy_why_not(const struct irqpolicy *p)
{
	return p->captured ?: p->unjournaled;
}

/* Life */

static struct irqpolicy *irqpolicy_make(const struct irqpolicy_params *params)
{
	struct irqpolicy *p = g_new0(struct irqpolicy, 1);

	p->p = *params;
	p->root = g_strdup(params->root);
	p->runtime_dir = g_strdup(params->runtime_dir);
	p->files = rules_new();
	p->hands = g_hash_table_new_full(g_str_hash, g_str_equal, g_free,
					 (GDestroyNotify)irq_hand_free);
	p->held = g_hash_table_new_full(g_str_hash, g_str_equal, g_free,
					(GDestroyNotify)irq_held_free);
	p->refused = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	p->said = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	p->newcomers = irqwatch_newcomers_new();
	if (irqtable_check_own(p->root, &p->captured) < 0 && !p->captured)
		p->captured = g_strdup("It is not this machine's table that is read.");
	return p;
}

static void irqpolicy_release(struct irqpolicy *p)
{
	irqwatch_end(p);
	if (p->journal)
		journal_close(p->journal);
	g_clear_pointer(&p->files, g_ptr_array_unref);
	g_clear_pointer(&p->plan, g_ptr_array_unref);
	g_hash_table_unref(p->hands);
	g_hash_table_unref(p->held);
	g_hash_table_unref(p->refused);
	g_hash_table_unref(p->said);
	g_hash_table_unref(p->newcomers);
	g_free(p->captured);
	g_free(p->unjournaled);
	g_free(p->root);
	g_free(p->runtime_dir);
	g_free(p);
}

/* Bring everything into force and tell of it. */
static void irqpolicy_look(struct irqpolicy *p, unsigned flags)
{
	struct irq_run run;

	(void)irqpolicy_run(p, flags | IRQ_RUN_NOTES, &run); /* its changes say why not */
	irqpolicy_tell(p, run.changes);
	irq_run_done(&run);
}

struct irqpolicy *irqpolicy_new(const struct irqpolicy_params *params)
{
	struct irqpolicy *p = irqpolicy_make(params);

	irqpolicy_reload(p, params->problems);
	return p;
}

struct irqpolicy *irqpolicy_free(struct irqpolicy *p)
{
	if (!p)
		return NULL;
	irqwatch_end(p);
	g_clear_pointer(&p->plan, g_ptr_array_unref);
	g_hash_table_remove_all(p->hands);
	p->measuring_priority = 0;
	p->paused = true;
	if (p->journal)
		irqpolicy_look(p, IRQ_RUN_AGAIN);
	irqpolicy_release(p);
	return NULL;
}

/* Rules */

static GPtrArray *irqpolicy_read_rules(const struct irqpolicy *p, GPtrArray *problems)
{
	g_autoptr(GPtrArray) dropped = problems ? NULL : problems_new();

	if (!p->p.config_dirs)
		return g_ptr_array_ref(p->files);
	return rules_read(p->p.config_dirs, problems ?: dropped);
}

void irqpolicy_reload(struct irqpolicy *p, GPtrArray *problems)
{
	GPtrArray *before = p->files;

	p->files = irqpolicy_read_rules(p, problems);
	g_ptr_array_unref(before);
	if (!p->captured && !p->journal)
		irqpolicy_open_journal(p);
	p->paused = false;
	g_hash_table_remove_all(p->said);
	irqwatch_update(p);
	irqpolicy_look(p, IRQ_RUN_AGAIN);
}

GPtrArray *irqpolicy_preview(struct irqpolicy *p, GPtrArray *problems)
{
	GPtrArray *files = p->files, *changes;
	bool paused = p->paused;
	struct irq_run run;

	p->files = irqpolicy_read_rules(p, problems);
	p->paused = false;
	(void)irqpolicy_run(p, IRQ_RUN_DRY | IRQ_RUN_AGAIN | IRQ_RUN_NOTES,
			    &run); /* its changes say why not */
	changes = g_steal_pointer(&run.changes);
	irq_run_done(&run);
	g_ptr_array_unref(p->files);
	p->files = files;
	p->paused = paused;
	return changes;
}

GPtrArray *irqpolicy_apply(struct irqpolicy *p, bool dry)
{
	unsigned flags = IRQ_RUN_INSIST | IRQ_RUN_AGAIN | IRQ_RUN_NOTES;
	bool paused = p->paused;
	GPtrArray *changes;
	struct irq_run run;

	p->paused = false;
	if (!dry)
		irqwatch_update(p);
	(void)irqpolicy_run(p, flags | (dry ? IRQ_RUN_DRY : 0), &run); /* its changes say why not */
	changes = g_steal_pointer(&run.changes);
	irq_run_done(&run);
	if (dry)
		p->paused = paused;
	else
		irqpolicy_answer(p, changes);
	return changes;
}

bool irqpolicy_paused(const struct irqpolicy *p)
{
	return p->paused;
}

static int irqpolicy_may_restore(const struct irqpolicy *p, char **ret_message)
{
	if (!p->plan)
		return 0;
	*ret_message = g_strdup("A session measures with interrupt rules of its own: they are in "
				"force until it ends. Stop it first.");
	return -EBUSY;
}

GPtrArray *irqpolicy_restore(struct irqpolicy *p, bool dry, int *ret_error, char **ret_message)
{
	GHashTable *hands = p->hands;
	bool paused = p->paused;
	GPtrArray *changes;
	struct irq_run run;
	int r;

	r = irqpolicy_may_restore(p, ret_message);
	if (r < 0) {
		*ret_error = r;
		return NULL;
	}
	p->paused = true;
	p->hands = g_hash_table_new_full(g_str_hash, g_str_equal, g_free,
					 (GDestroyNotify)irq_hand_free);
	(void)irqpolicy_run(p, dry ? IRQ_RUN_DRY : IRQ_RUN_AGAIN,
			    &run); /* its changes say why not */
	changes = g_steal_pointer(&run.changes);
	irq_run_done(&run);
	if (dry) {
		g_hash_table_unref(p->hands);
		p->hands = hands;
		p->paused = paused;
	} else {
		g_hash_table_unref(hands);
		irqpolicy_answer(p, changes);
		irqwatch_update(p);
	}
	return changes;
}

const GPtrArray *irqpolicy_rules(const struct irqpolicy *p)
{
	return p->files;
}

/* Without a daemon */

static void on_restore_news(const struct irq_change *c, void *userdata)
{
	GPtrArray *changes = userdata;

	if (c->outcome != IRQ_UNEQUAL) /* as it was before us */
		g_ptr_array_add(changes, irq_change_copy(c));
}

GPtrArray *irqpolicy_restore_journal(const char *runtime_dir, char **ret_message)
{
	g_autofree char *journal = g_build_filename(runtime_dir, "tuning", NULL);
	GPtrArray *changes = irq_changes_new();
	const struct irqpolicy_params params = {
		.root = "/",
		.runtime_dir = runtime_dir,
		.news = on_restore_news,
		.userdata = changes,
	};
	struct irqpolicy *p = NULL;
	struct stat st;

	/* a link to nowhere is there, and no journal */
	if (lstat(journal, &st) < 0 && errno == ENOENT)
		return changes; /* and none is made */
	p = irqpolicy_make(&params);
	if (!p->captured)
		irqpolicy_open_journal(p);
	if (p->journal)
		irqpolicy_look(p, IRQ_RUN_AGAIN);
	else
		*ret_message = g_strdup(irqpolicy_why_not(p));
	irqpolicy_release(p);
	if (!*ret_message)
		return changes;
	g_ptr_array_unref(changes);
	return NULL;
}
