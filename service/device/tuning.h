/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Setting one attribute of one thread or line, and nothing else: with the semantics of chrt(1),
 * renice(1) and of a write to smp_affinity_list. The identity is checked before and after (same
 * start time, same name, a kernel thread still), what was set is read back. "/" only. Returns
 * errors, never logs.
 *
 * chrt -f|-r|-o|-b|-i -p PRIO TID: policy and priority, 1..99 for fifo and rr, 0 for the others;
 * reset-on-fork as asked (not asked: cleared, as chrt does); nice is kept.
 * renice -n N -p TID: nice alone, also of a fifo or rr thread, where it counts once the policy
 * changes; out of -20..19 is refused where renice would cut it.
 */
#include "irqtable.h"
#include "journal.h"

/*
 * What is in force now; of TUNING_POLICY and TUNING_NICE both are filled in. -ESRCH: another thread
 * has the number, or none; -EPERM: no kernel thread; -ENODEV: no such line; -EXDEV: /proc and the
 * system calls speak of different threads; -EINVAL: lines have an affinity only.
 */
int tuning_get(const struct tuning_subject *s, enum tuning_attribute a, struct tuning_value *ret);
void tuning_value_done(struct tuning_value *v);
void tuning_value_copy(const struct tuning_value *v, struct tuning_value *ret);
/* Affinities: the same CPUs among those that are online now, however they are written. */
bool tuning_value_equal(enum tuning_attribute a, const struct tuning_value *x,
			const struct tuning_value *y);
/* "fifo 50", "nice 19", "0-1". g_free(). */
char *tuning_value_format(enum tuning_attribute a, const struct tuning_value *v);
/*
 * What a rule's or caller's affinity ("0-1", "!2", "all") means on the machine at @root: a plain
 * list (g_free), as struct tuning_value wants it. -EINVAL, -ERANGE with a sentence: no list, or
 * none of its CPUs is online.
 */
int tuning_affinity_resolve(const char *root, const char *text, char **ret_list,
			    char **ret_message);

/*
 * Set it. -ESRCH: not that thread any more; -EPERM: no kernel thread, or the right is missing;
 * -EINVAL: out of range, or an attribute that this subject has not (an interrupt thread's affinity
 * is its line's); -EKEYREJECTED: a thread nobody may touch, one of policy deadline, the affinity of
 * one that the kernel has bound; lines: as lineaffinity_set(); -EBADE: it read back as something
 * else or not at all, and may be in force. Always with a sentence that says what is wrong, of whom,
 * and what to do.
 *
 * A line has no start time: that it still is the subject is for the caller to see in his table.
 */
int tuning_set(const struct tuning_subject *s, enum tuning_attribute a,
	       const struct tuning_value *v, char **ret_message);

/*
 * Subjects from the table; tuning_subject_done(). A line is known by its chip and hardware number,
 * since its actions come and go with its drivers; where they are not known, by its actions.
 */
void tuning_subject_of_thread(const struct irq_thread *t, struct tuning_subject *ret);
void tuning_subject_of_line(const struct irq_line *l, struct tuning_subject *ret);
void tuning_subject_copy(const struct tuning_subject *s, struct tuning_subject *ret);
void tuning_subject_done(struct tuning_subject *s);
bool tuning_subject_equal(const struct tuning_subject *a, const struct tuning_subject *b);
