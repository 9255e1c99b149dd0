/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * The policy of interrupts: rules kept in force on the threads and lines there are, and undone. The
 * model behind ListIrqs, ApplyIrqPolicy, org.lrtbf1.Thread and org.lrtbf1.Irq; one owner
 * (daemon.c), event loop's thread only.
 *
 * For every thread and line there is one value that should be: what a plan's rules of the session
 * that measures say, else what was set by hand, else what the rules of irq.d say, else, if it still
 * holds a value of ours, what was there before. Everything is the difference between that and what
 * is: applying, reloading, a session's begin and end, the next start after a crash (whose journal
 * tells what was ours), a clean stop. What somebody else has changed since is left alone and called
 * drift, until irqpolicy_apply() is asked for explicitly.
 *
 * Errors are errnos of core/reason.h with a sentence (g_free).
 */
#include "finding.h"
#include "irqtable.h"
#include "journal.h"

#include <systemd/sd-event.h>

struct irqpolicy;

enum irq_outcome {
	IRQ_WOULD,    /* a dry run, or a captured tree: it would be set */
	IRQ_SET,      /* set and read back */
	IRQ_PUT_BACK, /* set back to what was there before us */
	IRQ_DRIFTED,  /* somebody else's value, left alone */
	IRQ_REFUSED,  /* a guard or the kernel said no: `message` */
	IRQ_WAITS,    /* a rule that matches nothing now */
	IRQ_NEVER,    /* a rule whose match has no thread and can have none here: `message` */
	IRQ_UNEQUAL,  /* threads of one line have different priorities: `message` */
};
const char *irq_outcome_to_string(enum irq_outcome o); /* "would", "set", "put-back", ... */

/* One attribute of one thread or line, or one rule (IRQ_WAITS, IRQ_NEVER). */
struct irq_change {
	enum irq_outcome outcome;
	int irq;   /* line, or the thread's; -1: none */
	pid_t tid; /* 0: a line */
	uint64_t start_ticks;
	char *name;	 /* thread's, or the line's actions; NULL for a rule */
	int attribute;	 /* enum tuning_attribute; -1: none */
	char *old, *new; /* for people and programs: "fifo 50", "nice 0", "0-1"; NULL */
	char *by;	 /* the rule's name, "set by user N", "before" for putting back */
	char *file;	 /* the rule's; NULL */
	unsigned line;
	char *message;	   /* sentence; NULL: nothing to say */
	uint64_t after_ns; /* a newcomer: from its creation to the set value; 0: not one, or unknown
			    */
};
void irq_change_free(struct irq_change *c);
struct irq_change *irq_change_copy(const struct irq_change *c);

/* A change that was not asked for by a call: for the log and the signal IrqEvent. */
typedef void (*irqpolicy_news_t)(const struct irq_change *c, void *userdata);

struct irqpolicy_params {
	sd_event *event; /* NULL: no watching (lrtbfd --restore) */
	const char *root, *runtime_dir;
	const char *const *config_dirs; /* NULL: no rules */
	GPtrArray *problems; /* of the files of irq.d, filled by irqpolicy_new(); NULL: dropped */
	irqpolicy_news_t news;
	void (*changed)(void *userdata); /* irqpolicy_watching() did; NULL */
	void *userdata;
};

/*
 * Takes up the journal of an earlier life and applies the rules. Never fails for what cannot be
 * read or set: that is in the log's news and in lists. Where there is no journal to be had, nothing
 * is set, until a reload finds one.
 */
struct irqpolicy *irqpolicy_new(const struct irqpolicy_params *p);
/* Puts everything back first. */
struct irqpolicy *irqpolicy_free(struct irqpolicy *p);

/* Read irq.d again and apply. Problems of its files, for the caller; NULL: dropped. */
void irqpolicy_reload(struct irqpolicy *p, GPtrArray *problems);

/* What irqpolicy_reload() would change with the files as they are now, and their problems. */
GPtrArray *irqpolicy_preview(struct irqpolicy *p, GPtrArray *problems);

/* What is, and what should be. */
struct irq_standing {
	const char *rule; /* whose value it has, or, drifted, should have: rule's name, "set by
			     user N"; NULL: nobody's. Borrowed */
	bool drifted;	  /* and has somebody else's */
	char *drift;	  /* sentence, names irqbalance if it runs; NULL */
};
struct irq_listing {
	struct irq_table *table;
	GHashTable *standings; /* struct irq_thread * or struct irq_line * -> struct irq_standing *;
				  none: no rule and no change of ours */
	GPtrArray *notes;      /* of struct irq_change: rules that wait, never, unequal lines */
};
int irqpolicy_list(struct irqpolicy *p, struct irq_listing **ret, char **ret_message);
void irq_listing_free(struct irq_listing *l);

/*
 * Bring rules into force now, drift included; values set by hand stay. @dry: only say. Ends the
 * pause that irqpolicy_restore() began. Members struct irq_change, those that differ or are to be
 * said.
 */
GPtrArray *irqpolicy_apply(struct irqpolicy *p, bool dry);
/* Put everything back, forget what was set by hand, and pause the rules until apply or reload.
 * Refused
 * (-EBUSY, sentence, NULL returned) while a session with rules of its own measures. */
GPtrArray *irqpolicy_restore(struct irqpolicy *p, bool dry, int *ret_error, char **ret_message);
bool irqpolicy_paused(const struct irqpolicy *p);

struct irq_wish {
	bool has_policy, has_priority, has_nice, has_affinity;
	int policy, priority, nice;
	bool reset_on_fork;
	const char *affinity;
	unsigned override;
};
/*
 * By hand, as chrt and renice would: any subset (priority alone keeps the policy; policy fifo or rr
 * needs a priority, given or there already). It stays until irqpolicy_restore*() or the thread's
 * end. -ENODEV: no such thread; -EKEYREJECTED: a guard; -EPERM, -EINVAL, ... Affinity of an
 * interrupt thread is refused (-EINVAL): it is its line's.
 */
int irqpolicy_set_thread(struct irqpolicy *p, pid_t tid, uint64_t start_ticks,
			 const struct irq_wish *wish, uid_t caller, GPtrArray **ret_changes,
			 char **ret_message);
int irqpolicy_set_line(struct irqpolicy *p, unsigned irq, const char *cpus, uid_t caller,
		       GPtrArray **ret_changes, char **ret_message);
/* Undo what was set by hand on one thread or line: the rules' value, else the one before us. */
int irqpolicy_restore_thread(struct irqpolicy *p, pid_t tid, uint64_t start_ticks,
			     GPtrArray **ret_changes, char **ret_message);
int irqpolicy_restore_line(struct irqpolicy *p, unsigned irq, GPtrArray **ret_changes,
			   char **ret_message);

/*
 * A session with rules of its own (@rules may be empty or NULL) measures at @priority (0: not
 * real-time). Findings: rules not in force, drift, unequal lines.
 */
void irqpolicy_session_begin(struct irqpolicy *p, const GPtrArray *rules, int priority,
			     GPtrArray *findings);
void irqpolicy_session_tick(struct irqpolicy *p, GPtrArray *findings); /* once a second; cheap */
void irqpolicy_session_end(struct irqpolicy *p, GPtrArray *findings);

/* The same findings of now, without a session; changes nothing. */
void irqpolicy_find(struct irqpolicy *p, GPtrArray *findings);

/* How later threads are noticed: "process-events", "poll", "off" (no rules, or no journal: why),
 * "captured"; why. */
const char *irqpolicy_watching(const struct irqpolicy *p, const char **ret_why);
/* Rules read, borrowed: of struct rule. */
const GPtrArray *irqpolicy_rules(const struct irqpolicy *p);

/* lrtbfd --restore: what a journal in @runtime_dir says, without a daemon. Members struct
 * irq_change. */
GPtrArray *irqpolicy_restore_journal(const char *runtime_dir, char **ret_message);
