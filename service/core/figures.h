/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Everything known about a set of samples: the distribution and what did not become a sample.
 *
 * One struct serves as the block that a measuring thread writes in the result region, as the sum
 * over CPUs, and as what the store keeps. It is plain memory without pointers (about 160 KiB): the
 * heap or the region holds it, never a stack. Times are nanoseconds.
 *
 * There is no count: the count is the sum of the buckets, and of `unplaced`. There are two
 * distributions: `bucket`
 * holds the samples taken; `missed_bucket` holds what the grid points that passed during a long
 * sample would have seen (L - k*i). The corrected view is their sum, so
 *
 *	figures_count + missed = grid points elapsed = figures_corrected_count
 *
 * holds exactly. Correction for what a stalled measurement cannot see: G. Tene, "How NOT to
 * measure latency" (coordinated omission), here by bucket arithmetic instead of a loop.
 */
#include "histogram.h"
#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef unsigned __int128 u128;

#define FIGURES_WORST	       32	     /* largest samples kept */
#define FIGURES_BLOCKS	       4096	     /* blocks kept */
#define FIGURES_BLOCK_START_NS 1000000000ULL /* length of a block before the first doubling */

enum figures_stated {
	FIGURES_STATED_MIN = 1 << 0, /* min_ns, max_ns: of samples that are in no bucket, too */
	FIGURES_STATED_MAX = 1 << 1,
	FIGURES_STATED_MEAN = 1 << 2,
	FIGURES_STATED_STDDEV = 1 << 3,
	FIGURES_STATED_NO_COUNT = 1 << 4, /* how many samples there were is not known */
};

struct worst_sample {
	uint64_t latency_ns;
	uint64_t at_ns; /* since stage start: the moment of the wake-up */
	uint32_t self;	/* 1: within 10 ms of one of our own checkpoints */
	uint32_t pad;
};

struct figures_block {
	uint64_t max_ns, sum_ns, count;
};

struct figures {
	uint64_t bucket[HISTOGRAM_BUCKETS];
	uint64_t missed_bucket[HISTOGRAM_BUCKETS];
	u128 sum_ns, sum_sq_ns2; /* over the samples */
	u128 missed_sum_ns;	 /* over missed_bucket, exact */
	uint64_t min_ns, max_ns; /* min is UINT64_MAX while there is no sample */
	uint64_t missed;	 /* grid points without a wake-up of their own */
	uint64_t lost,
		late; /* no answer in time; answer after the time-out (instruments with answers) */
	uint64_t migrated;		/* taken on another CPU: not in the distribution */
	uint64_t early;			/* cpuloop: passes faster than nominal */
	uint64_t overrun;		/* deadline: runtime used up */
	uint64_t warmup, warmup_max_ns; /* samples before the measuring began; their largest */
	uint64_t within;		/* samples <= within_bound_ns; no meaning when that is 0 */
	uint64_t within_bound_ns;	/* 0: the plan asks for no bound */
	uint64_t nominal_ns;		/* cpuloop: duration of an undisturbed pass; else 0 */
	uint64_t pending_ns; /* at the end: how long an awaited wake-up was overdue; 0 if none */
	uint32_t has_grid;   /* 1: missed and corrected mean something */
	uint32_t torn;	  /* 1: writer was killed in mid-write; mean and deviation from buckets */
	uint32_t n_worst; /* worst[] in descending order of latency; the rest is 0, and no sample of
			     0 is in */
	uint32_t n_blocks;
	uint64_t block_length_ns;
	/*
	 * Of figures that another program measured; all 0 in what is measured here. Some give a
	 * part of the distribution only, some no more than a mean.
	 */
	uint64_t unplaced;	   /* samples in no bucket: of these only the number is known, */
	uint64_t unplaced_from_ns; /* and that none of them is shorter; 0: not even that */
	uint32_t stated;	   /* FIGURES_STATED_*: what the source says */
	uint32_t pad;
	double stated_mean_ns, stated_stddev_ns;
	struct worst_sample worst[FIGURES_WORST];
	struct figures_block blocks[FIGURES_BLOCKS];
};

/* Make @f empty. */
void figures_init(struct figures *f);
struct figures *figures_new(void); /* g_free() */

/*
 * Record one sample. No allocation, no call out, bounded time (a full block table is merged in
 * pairs: 4096 steps once per 4096 blocks). @at_ns since stage start, never decreasing.
 * At most 10 ns warm: tests/bench/record.c.
 */
void figures_record(struct figures *f, uint64_t latency_ns, uint64_t at_ns);

/*
 * Account the grid points that a wake-up @latency_ns late passed over, on a grid of @interval_ns:
 * floor(L/i) of them, with L - k*i for k = 1..m into the corrected view. Returns m.
 */
uint64_t figures_miss(struct figures *f, uint64_t latency_ns, uint64_t interval_ns);

/*
 * Account the grid points <= @now_ns that no wake-up has come for when measuring ends, the first of
 * them at @next_ns: they are missed, now - next - k*i goes into the corrected view for k = 0.., and
 * pending_ns becomes now - next. Nothing to do when now < next. @now and @next on one clock.
 * Returns how many.
 */
uint64_t figures_close(struct figures *f, uint64_t next_ns, uint64_t interval_ns, uint64_t now_ns);

/* Add @src to @dst (other CPUs, repeats): exact, blocks brought to the longer of both lengths. */
void figures_add(struct figures *dst, const struct figures *src);

/* Samples, those in no bucket included. */
uint64_t figures_count(const struct figures *f);
/* Those in buckets. */
uint64_t figures_placed(const struct figures *f);
/* false: not known (FIGURES_STATED_NO_COUNT). */
bool figures_count_known(const struct figures *f);
/* false: there is none, or it is not known. The only way to ask for these. */
bool figures_min_ns(const struct figures *f, uint64_t *ret_ns);
bool figures_max_ns(const struct figures *f, uint64_t *ret_ns);
/* Of another program's, known in part: unplaced samples, or stated figures. */
bool figures_foreign(const struct figures *f);
uint64_t figures_corrected_count(const struct figures *f);
/* Blocks with a sample in them: of the warm-up and of stalls there are some without. */
uint32_t figures_blocks_taken(const struct figures *f);

/*
 * Mean and standard deviation (n-1) of the samples in ns, relative error under 1e-6 of exact
 * arithmetic; torn ones from the buckets. Where the source states it, that; else false when some
 * samples are in no bucket. false: no such figure (n = 0; n < 2).
 */
bool figures_mean_ns(const struct figures *f, double *ret_ns);
bool figures_stddev_ns(const struct figures *f, double *ret_ns);
bool figures_corrected_mean_ns(const struct figures *f, double *ret_ns);

/*
 * Percentile @ppm/10000 %, so 500000 is the median and 999999 the 99.9999th: the
 * ceil(p*n)-th smallest by integer arithmetic, as its bucket's midpoint clamped to [min, max];
 * the median of an even n is the mean of the two middle ones. false when n*(1-p) < 1 (or n = 0),
 * and when the sample of that rank may be in no bucket.
 * @corrected: of the corrected view. ppm 0..999999.
 */
bool figures_percentile_ns(const struct figures *f, uint32_t ppm, bool corrected, uint64_t *ret_ns);

/* What a sample of bucket @b is taken to be: its midpoint, within [min, max]. */
uint64_t figures_sample_ns(const struct figures *f, unsigned b);

/* The percentiles every report shows: 50 ... 99.9999, in ppm with the JSON key. */
struct figures_percentile {
	uint32_t ppm;
	const char *name; /* "99.9" */
};
extern const struct figures_percentile figures_percentiles[]; /* ends with .name NULL */

/*
 * Figures that a killed writer left half-written, made whole: the buckets stand, everything that
 * contradicts them is taken from them (mean and deviation within 1 % then), torn is set.
 */
void figures_rebuild(struct figures *f);

/* Can these have been recorded? 0 or -EBADMSG. For figures that come from outside. */
int figures_check(const struct figures *f);

/*
 * Compact bytes for the store: little-endian varints, empty buckets left out, version first.
 * decode takes any bytes: -EBADMSG for what encode cannot have written. Fuzzed.
 */
void figures_encode(const struct figures *f, GByteArray *ret);
int figures_decode(const void *data, size_t size, struct figures **ret);
