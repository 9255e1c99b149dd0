/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * What is worked out once of a stage, at its session's end, on a thread, and kept with it, as JSON:
 *
 *	{ "intervals": { "avg_ns": [ low, high ] | null,
 *			 "percentiles": { "99": [ low, high ] | null, ... }, "batches": n },
 *	  "worst": { "blocks", "length_ns", "chance" } | null,
 *	  "tail": { "blocks", "merged", "block_length_ns", "location_ns", "scale_ns", "shape",
 *		    "shape_interval": [ low, high ], "p_value",
 *		    "levels": [ { "times", "duration_ns", "level_ns", "low_ns", "high_ns" } ] }
 *		  | { "refused": id, "reason": sentence, "blocks" } | null,
 *	  "both": { "above_ns", "count", "samples", "expected" } | null }
 *
 * intervals: of this run (interval.h); batches: those of the average, 0: none.
 * worst.chance: at 95 %, a block of length_ns holds a worse one than the maximum with a chance
 * below that (3 / blocks). null: not to be had from these figures.
 * tail: block_length_ns is that of the blocks fitted, pairs when merged is 2; levels as in tail.h.
 * An end of an interval that is nowhere is null.
 * both: of a logger that receives by interrupt, where each sample holds two machines' latencies.
 * count of its samples took above_ns (about half of the maximum) or more; if each machine had that
 * with a chance of count / samples, both are expected at once in so many. null: half of the maximum
 * is nothing rare.
 */
#include "result.h"

/* A new object. Pure; takes up to some seconds. */
json_t *stageanalysis_new(const struct result_stage *s);
/* Does a sample hold the target's latency and this machine's own? */
bool stageanalysis_two_latencies(const struct result_stage *s);
