/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * A rule: which interrupt lines and kernel threads get which policy, priority, nice and affinity.
 * Text in, struct out, and the decision which rule gives which attribute. Pure: knows no /proc and
 * no daemon. Keys and their meaning: lrtbfd-irq(5). Fuzzed.
 *
 *	rules = (
 *		{ match = { interface = "eth*"; }; policy = "fifo"; priority = 60; },
 *		{ match = { kthread = "napi/eth0-*"; }; policy = "other"; nice = 19; },
 *		{ name = "port"; match = { parport = "parport0"; }; affinity = "1";
 *		  policy = "fifo"; priority = 90; override = [ "measuring" ]; }
 *	);
 *
 * All keys of a match must hold. Globs: glob.h, where '/' is a character like others, so that
 * "napi/..." and "irq/..." match like any text.
 */
#include "problem.h"

#include <stdbool.h>
#include <stddef.h>

struct conf_group;
struct conftree_file;

enum rule_key {		     /* what a thread or line can be known by; each but irq takes a glob */
		RULE_IRQ,    /* "irq": numbers: 24, or a list "24,30-33" */
		RULE_ACTION, /* "action": an action of the line, in full */
		RULE_THREAD, /* "thread": the interrupt thread's name, as it is or uncut */
		RULE_INTERFACE, /* "interface": the network interface it works for */
		RULE_PCI,	/* "pci": address, "0000:00:1f.2" */
		RULE_PARPORT,	/* "parport": "parport0" */
		RULE_DRIVER,	/* "driver": of its device, "ahci" */
		RULE_SUBSYSTEM, /* "subsystem": of its device or of what hangs on it: "net",
				   "block", "pci" */
		RULE_KTHREAD,	/* "kthread": name of a kernel thread that is no interrupt thread */
		RULE_KEYS,
};

struct rule_tag {
	enum rule_key key;
	const char *value; /* RULE_IRQ: decimal number */
};

/* A thread or a line as rules see it: everything it is known by. */
struct rule_target {
	const struct rule_tag *tags;
	size_t n_tags;
};
/* @tags: of struct rule_tag, borrowed; NULL: none. */
struct rule_target rule_target_of(const GArray *tags);

/* Guards that a rule may set aside; see device/guard.h. */
enum rule_override {
	OVERRIDE_SOFTIRQ = 1,	/* "softirq": ksoftirqd or ktimers above an rcu thread */
	OVERRIDE_RCU = 2,	/* "rcu": an rcu thread above irq_work */
	OVERRIDE_MEASURING = 4, /* "measuring": at or above a measuring thread */
};

struct rule {
	char *name; /* given, or FILE/N: "10-net/2" */
	char *file; /* what problems call it */
	unsigned line;
	char *match[RULE_KEYS]; /* patterns; NULL: not asked for */
	/* attributes; each may be unset */
	int policy;   /* SCHED_OTHER, BATCH, IDLE, FIFO, RR; -1 */
	int priority; /* 1..99 with fifo and rr, 0 with the others; -1 */
	bool has_nice;
	int nice;	    /* -20..19 */
	char *affinity;	    /* CPU list as written, "0-1", "!2", "all"; NULL */
	bool reset_on_fork; /* with policy; as chrt -R */
	unsigned override;  /* of enum rule_override */
};

/*
 * Rules of one file, in its order (of struct rule; g_ptr_array_unref). What is wrong is in
 * @problems with file:line and leaves out that rule alone: a misspelled key, policy or guard, a
 * value out of range, a policy without the priority it needs, a priority with a policy that has
 * none, a match that asks for nothing or for what excludes itself, two rules of one file that match
 * the same and set the same attribute to different values (the later one is left out), a name given
 * twice. Never NULL. @name: of the file, for rules without a name of their own.
 */
GPtrArray *rules_parse(const char *name, const char *text, size_t size, const char *file,
		       GPtrArray *problems);
/* The same with drop-ins merged. */
GPtrArray *rules_from_file(const struct conftree_file *f, GPtrArray *problems);
/*
 * The list of groups @key in @g, as of a plan's `irq_rules`; empty when there is none. @problems:
 * the conf's own; whoever wants all rules or nothing looks whether there are more than before.
 */
GPtrArray *rules_take(struct conf_group *g, const char *key, const char *name, GPtrArray *problems);
/* All files of irq.d in the configuration folders, in name order (bytes, without .conf), one list.
 */
GPtrArray *rules_read(const char *const *dirs, GPtrArray *problems);
GPtrArray *rules_new(void); /* empty */
void rule_free(struct rule *r);
GPtrArray *rules_copy(const GPtrArray *rules);
/* "( {...}, {...} )", which rules_take() makes equal rules of. g_free(). */
char *rules_format(const GPtrArray *rules);

extern const char *const rule_key_names[];	/* by enum rule_key; ends with NULL */
extern const char *const rule_override_names[]; /* by bit; ends with NULL */
const char *rule_key_to_string(enum rule_key key);
int rule_key_from_string(const char *name);	 /* -EINVAL */
int rule_override_from_string(const char *name); /* -EINVAL */
/* Names in @overrides, with ", " between them. g_free(). */
char *rule_overrides_format(unsigned overrides);

/* Whether @pattern is one: 0, or -EINVAL with a sentence that follows the key's name. */
int rule_pattern_check(enum rule_key key, const char *pattern, char **ret_message);

/*
 * One pattern against a target: also what "lrtbfctl irq set KEY=PATTERN" asks. @pattern of
 * RULE_IRQ: as in the file; of others: a text that is equal matches too, whatever it has in it, so
 * that a thread's name can be taken as it is.
 */
bool rule_tag_match(const struct rule_target *t, enum rule_key key, const char *pattern);
bool rule_matches(const struct rule *r, const struct rule_target *t);

/* What the rules want of one target; by whom. An attribute whose rule is NULL is left alone. */
struct rule_wish {
	const struct rule *policy_by, *priority_by, *nice_by, *affinity_by;
	int policy, priority, nice;
	bool reset_on_fork;
	const char *affinity; /* borrowed */
	unsigned override;    /* of the rules above, all together */
};
/*
 * First match wins, for each attribute by itself; lists in the order given (a plan's before the
 * files'; NULL: none). A rule's priority goes with its policy: where the policy that won has none
 * (other, batch, idle), the priority is 0 and no rule is named for it. Unset: policy and priority
 * -1, nice 0, affinity NULL. A priority without policy is for whatever policy is there.
 */
void rules_resolve(const GPtrArray *const *lists, size_t n_lists, const struct rule_target *t,
		   struct rule_wish *ret);
