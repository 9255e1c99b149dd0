/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * The result region: the memory that lrtbf-measure writes and lrtbfd reads while it is written.
 *
 * A file on tmpfs (checked), fallocated, mapped shared by both. A header page, then one
 * page-aligned struct region_cpu per measured CPU, each with a single writer (its measuring thread;
 * before and after it the control thread). The daemon keeps it by name below the runtime folder, so
 * that a killed daemon finds it again; the child holds an exclusive flock() on it until it is gone.
 *
 * Reading is a pure function of bytes and trusts nothing: a hostile or half-written file gives
 * -EBADMSG, never a bad access. Fuzzed (tests/fuzz/region.c).
 */
#include "figures.h"
#include "role.h"
#include <sched.h>
#include <stddef.h>
#include <stdint.h>

#define REGION_MAGIC   0x3167655266627472ULL
#define REGION_VERSION 3
#define REGION_TEXT    512

enum region_phase {
	REGION_EMPTY,	  /* made by the daemon, child not there yet */
	REGION_PREPARING, /* child locks memory, starts threads, sets priorities */
	REGION_RUNNING,	  /* measuring (warm-up included) */
	REGION_ENDED,	  /* complete, closed by the child */
	REGION_FAILED,	  /* child gave up: reason_id and text say why */
	_REGION_PHASE_MAX,
};

struct region_header {
	uint64_t magic;
	uint32_t version;
	uint32_t n_cpus;
	uint64_t size;	     /* of the whole file */
	uint32_t cpu_offset; /* first struct region_cpu */
	uint32_t cpu_size;   /* distance between two */
	uint32_t phase;	     /* enum region_phase, atomic */
	int32_t child_pid;
	uint64_t start_mono_ns; /* CLOCK_MONOTONIC at stage start (end of preparation): at_ns counts
				   from here */
	uint64_t start_real_ns; /* CLOCK_REALTIME at the same moment */
	uint64_t end_mono_ns;	/* when measuring ended; 0 while it runs */
	uint64_t begin_mono_ns; /* when the first CPU's warm-up was over; 0 until then */
	int32_t dma_latency_us; /* what /dev/cpu_dma_latency was set to; -1: not set */
	int32_t broke;		/* 1: ended because a sample reached the plan's break value */
	uint64_t break_ns;	/* that sample */
	uint64_t warmup_break_ns; /* a break value met in the warm-up: largest such sample, 0 if
				     none */
	uint32_t faults_minor,
		faults_major; /* page faults of the measuring threads while measuring */
	char reason_id[32];   /* REGION_FAILED: D-Bus error name's last part, e.g. "NotPermitted" */
	char text[REGION_TEXT];	    /* REGION_FAILED: a sentence */
	char warnings[REGION_TEXT]; /* finding ids (core/finding.h), blank-separated */
};

enum region_context { /* where a handler really ran; bits */
		      REGION_CONTEXT_HARDIRQ = 1,
		      REGION_CONTEXT_THREAD = 2,
};

enum region_stop {			 /* why the kernel module stopped measuring */
		   REGION_STOP_NONE,	 /* it has not */
		   REGION_STOP_ASKED,	 /* by us: the time was over */
		   REGION_STOP_COUNT,	 /* as many as were asked for */
		   REGION_STOP_LOSSES,	 /* many answers in a row were lost */
		   REGION_STOP_DETACHED, /* the port was removed */
		   REGION_STOP_STORM,	 /* too many interrupts: the line is masked */
		   REGION_STOP_SUSPEND,	 /* the machine went to sleep */
		   _REGION_STOP_MAX,
};

/*
 * What the kernel module says of itself besides samples. Counts are of its whole run, the warm-up
 * included. Of a CPU's block, because each has a run of its own and is the only writer.
 */
struct region_port {
	uint32_t known; /* 1: what follows is there */
	uint32_t role, answer, receive;
	uint32_t context;	  /* enum region_context; 0: no handler ran */
	uint32_t stop;		  /* enum region_stop */
	int32_t irq;		  /* the port's line; -1: none */
	int32_t tid;		  /* the thread that took the time (the handler's); 0: none */
	int32_t policy, priority; /* its own; SCHED_*, 1..99 or 0 */
	char name[16];		  /* its name */
	char port[ROLE_PORT_MAX + 1];
	uint64_t resolution_ns; /* a latency may be longer than the true one by so much; 0: not
				   known, or no port */
	uint64_t timeout_ns;
	uint64_t pulses;  /* sent */
	uint64_t answers; /* given by a target */
	uint64_t samples;
	uint64_t lost, late;
	uint64_t discarded;  /* pulses left out while resynchronising */
	uint64_t strays;     /* interrupts that belong to no pulse */
	uint64_t interrupts; /* all of them */
	uint64_t missed;     /* periods without a pulse or a sample */
	uint64_t lost_records;
	uint64_t off_ns, off_max_ns; /* with interrupts off: together; the longest */
};

struct region_cpu {
	uint32_t seq; /* odd while the writer is inside */
	int32_t cpu;
	int32_t tid;
	int32_t policy;	  /* read back after setting; SCHED_* */
	int32_t priority; /* 1..99, else 0 */
	uint32_t started; /* 1: measuring has begun on this CPU (warm-up over) */
	uint32_t done;	  /* 1: the thread came to its end: it awaits no wake-up any more */
	uint32_t batched; /* 1: samples come some time after they were taken: what is awaited is not
			     known before done */
	uint64_t grid_ns; /* CLOCK_MONOTONIC of the first grid point counted; 0 without a grid */
	uint64_t next_ns; /* the wake-up that is awaited: a grid point, plus its dither */
	uint64_t interval_ns; /* 0 without a grid */
	uint64_t last_ns;     /* latest sample, for the live line */
	uint64_t last_at_ns;  /* when it was taken, since stage start */
	struct region_port port;
	struct figures figures;
};

/* Bytes a region for @n_cpus needs: a multiple of the page size. 1..CPU_SETSIZE CPUs. */
size_t region_size(unsigned n_cpus);

/* Lay out an empty region in @map (region_size() bytes of zeroes) for the CPUs of @cpus. */
void region_format(void *map, const cpu_set_t *cpus);

/*
 * Create (daemon) or check and map (both). The file's system must be tmpfs: -EMEDIUMTYPE otherwise
 * (a disk's writeback re-protects pages under mlock). -EBADMSG: not a region of this version.
 */
int region_create(const char *path, const cpu_set_t *cpus, int *ret_fd);
int region_create_anonymous(const cpu_set_t *cpus, int *ret_fd); /* without a name (memfd) */
int region_map(int fd, bool writable, struct region_header **ret);
void region_unmap(struct region_header *h);

/* CPU number @i's block (0 <= i < n_cpus); the writer's side. */
struct region_cpu *region_cpu(struct region_header *h, unsigned i);

/* How much region_map() mapped, from a place that the file's other user cannot write. */
size_t region_mapped(const struct region_header *h);

/* The writer's bracket around a change. What stands in between is in region_record.h. */
void region_begin(struct region_cpu *c);
void region_end(struct region_cpu *c);

/*
 * Record one wake-up of the measuring loop: intended at c->next_ns, taken @latency_ns after it.
 * Does the sample, the grid points it passed, last/next, in one bracket. The next grid point still
 * in the future of that wake-up (phase kept), moved by @shift_ns (dither), becomes c->next_ns and
 * is returned. c->interval_ns 0: no grid.
 */
uint64_t region_record(struct region_cpu *c, uint64_t latency_ns, uint64_t at_ns, int64_t shift_ns);

/*
 * The same for a wake-up on another CPU: counted as migrated, not recorded; the grid points that it
 * passed over are missed all the same, so that at any time
 *
 *	figures_count + missed + migrated = (next_ns - grid_ns) / interval_ns
 */
uint64_t region_migrate(struct region_cpu *c, uint64_t latency_ns, uint64_t at_ns,
			int64_t shift_ns);

/*
 * Leave out the grid points <= @now_ns: the thread rested on purpose. They have not elapsed:
 * grid_ns and next_ns move on together. Returns c->next_ns.
 */
uint64_t region_skip(struct region_cpu *c, uint64_t now_ns);

/*
 * The same in the warm-up, which ends at @begin_ns (CLOCK_MONOTONIC): number and maximum are kept,
 * nothing else; grid_ns follows next_ns. But a wake-up so late that it passed over grid points from
 * @begin_ns on has cost the measuring these: they are missed. c->interval_ns > 0.
 */
uint64_t region_warm_up(struct region_cpu *c, uint64_t latency_ns, uint64_t at_ns,
			uint64_t begin_ns, int64_t shift_ns);

/*
 * A consistent copy of block @i into @ret: retries while the writer is inside, a bounded number of
 * times. > 0: no quiet moment was found, because the writer was killed inside or never pauses for
 * as long as a copy takes; then ret->figures.torn = 1 and derived fields are rebuilt from the
 * buckets (figures_rebuild()), next_ns too. Of an ended region (REGION_ENDED) the copy is closed
 * already (region_close_cpu() with the header's end_mono_ns). -EBADMSG: cannot have been written by
 * lrtbf-measure. Never trusts counts or offsets in the file.
 */
int region_read_cpu(const void *map, size_t size, unsigned i, struct region_cpu *ret);

/*
 * Is this a region? 0 or -EBADMSG. Copies the header to @ret (may be NULL), its texts ended and
 * printable ASCII.
 */
int region_check(const void *map, size_t size, struct region_header *ret);

/*
 * A block whose writer is gone: account the grid points up to @now_mono_ns that nothing came for
 * (figures_close). @c is a copy from region_read_cpu(), so that there is never a second writer of
 * a block. Does nothing the second time, nor for a writer that had come to its end (c->done), nor
 * in the warm-up, nor for a writer in batches. For a child that was killed: @now_mono_ns is the
 * moment of its death.
 */
void region_close_cpu(struct region_cpu *c, uint64_t now_mono_ns);

/* Set by the control thread, seen by readers with everything written before. */
void region_set_phase(struct region_header *h, enum region_phase phase);
enum region_phase region_phase(const struct region_header *h);
