/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * The counters of /proc/stat, /proc/vmstat and /proc/net/dev. Pure. Fuzzed. Source: proc(5),
 * fs/proc/stat.c, mm/vmstat.c, net/core/net-procfs.c.
 */
#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

struct proc_stat {
	uint64_t context_switches, forks, interrupts; /* since boot */
	uint64_t total_ticks, steal_ticks;	      /* of all CPUs together, idle time included */
};

struct proc_vmstat {
	uint64_t read_kib, written_kib; /* by block devices */
	uint64_t dirtied_pages;		/* of files: written to in memory */
};

struct proc_netdev {
	char name[32];
	uint64_t received; /* packets */
};

/* Each: -EBADMSG when a counter is missing or no number. */
int proc_stat_parse(const char *text, size_t size, struct proc_stat *ret);
int proc_vmstat_parse(const char *text, size_t size, struct proc_vmstat *ret);
/* @ret: GArray of struct proc_netdev, to be freed by the caller. */
int proc_net_dev_parse(const char *text, size_t size, GArray **ret);

/*
 * What a counter has counted between two readings. A counter of 32 bits (everything on small
 * machines) that wrapped once is understood; false: it went backward, nothing is known.
 */
bool proc_counter_delta(uint64_t before, uint64_t after, uint64_t *ret);
