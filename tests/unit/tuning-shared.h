/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * What the tests of tuning share: this machine's kernel threads, found and read without the code
 * that is tested, and CPUs as bits.
 */
#include "kthread.h"
#include "proc-pid.h"
#include "tuning.h"

#include <sched.h>
#include <stdbool.h>
#include <sys/types.h>

#define SKIP 77 /* a child's exit status: it has not the right to try */

int read_stat(pid_t tid, struct proc_pid_stat *ret);
/* The first kernel thread of a kind, lowest number first. */
bool find_thread(enum kthread_kind kind, struct proc_pid_stat *ret);
/* Valid as long as @stat. */
struct tuning_subject subject_of(const struct proc_pid_stat *stat);
cpu_set_t set_of(unsigned bits);
