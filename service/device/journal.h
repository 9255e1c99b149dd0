/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * The tuning journal: what was there before we changed it. A text file in the runtime folder; the
 * old value is in it before the new one is set, so that whoever comes after a crash can put back
 * exactly what still is ours. Owned by irqpolicy.c, event loop's thread; lrtbfd --restore reads it.
 *
 * A line each: "will" (about to be set), "did" (it was) and "forget", with a number and a checksum;
 * a last line that is torn is left out. A corrupt or missing one takes along all that was known
 * before it, since it may have been about any of that: what comes out is exactly right or missing.
 * The whole file is left out when it is of another boot (its boot id is in the head): thread ids
 * begin anew there. One entry for each subject and attribute: `old` is from before our first
 * change, `new` what we set last; after a "will" without "did" either the value before or the new
 * one may be in force, and both are ours.
 */
#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum tuning_attribute {
	TUNING_POLICY, /* policy, priority and reset-on-fork, which the kernel sets together */
	TUNING_NICE,
	TUNING_AFFINITY, /* of a line: smp_affinity_list; of a thread: its own */
	TUNING_ATTRIBUTES,
};

struct tuning_value {
	int policy;
	unsigned priority;
	bool reset_on_fork;
	int nice;
	char *affinity; /* CPU list; TUNING_AFFINITY only */
};

struct tuning_subject {
	bool is_line;
	pid_t tid; /* a thread: with start_ticks and name */
	uint64_t start_ticks;
	unsigned irq; /* a line: with name */
	char *name;   /* see tuning_subject_of_thread(), _of_line() */
};

struct tuning_entry {
	struct tuning_subject subject;
	enum tuning_attribute attribute;
	struct tuning_value old;    /* from before our first change */
	struct tuning_value before; /* what we had set before `new`; = old at first */
	struct tuning_value new;
	bool sure; /* "did" was read: `new` was in force */
	char *by;  /* rule's name, "set by user 1000", ... for people */
};

struct journal;

/*
 * Pure: text to entries. @boot_id: only a journal of that boot counts (NULL: any). Members struct
 * tuning_entry. Never NULL: what cannot be read is left out, *ret_bad (may be NULL) counts lines.
 */
GPtrArray *journal_parse(const char *text, size_t size, const char *boot_id, unsigned *ret_bad);

/*
 * Open or make runtime_dir/tuning, with what is in it. -EBUSY: another process has it open; -EPERM,
 * -ELOOP: something else is in its place, and stays; -errno; with a sentence.
 */
int journal_open(const char *runtime_dir, const char *boot_id, struct journal **ret,
		 char **ret_message);
struct journal *journal_close(struct journal *j); /* the file stays */

/* Lines that were damaged when it was opened: some of what was changed may not be known any more.
 */
unsigned journal_damaged(const struct journal *j);
/* Entries now, borrowed: of struct tuning_entry. */
const GPtrArray *journal_entries(const struct journal *j);
struct tuning_entry *journal_find(const struct journal *j, const struct tuning_subject *s,
				  enum tuning_attribute a);

/*
 * -errno of these: neither the file nor the entries have changed (-ENOSPC: no room; -EINVAL: a
 * value that is none).
 *
 * Before a change; -errno: it must not be made then. @old is kept for the first of a subject only.
 * It takes the room for what has to be written after it, so that these do not fail for a full disk.
 */
int journal_will(struct journal *j, const struct tuning_subject *s, enum tuning_attribute a,
		 const struct tuning_value *old, const struct tuning_value *new, const char *by);
/* After it. 0 too when it is not known; so of the others. */
int journal_did(struct journal *j, const struct tuning_subject *s, enum tuning_attribute a);
/* Instead of it: the change was not made. What we had set before is ours as it was, if there was.
 */
int journal_wont(struct journal *j, const struct tuning_subject *s, enum tuning_attribute a);
/* It was put back, or is no longer ours: forget it. */
int journal_forget(struct journal *j, const struct tuning_subject *s, enum tuning_attribute a);
