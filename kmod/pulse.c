// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which answer belongs to which pulse. The line says only that something came, so the order of
 * things is all there is: an answer within the time-out belongs to the pulse. The time-out is at
 * most half of the period, so what comes later is known as late before the next pulse is sent.
 *
 * After a loss that no longer holds, because the answer may still come, in any later period. Then
 * no pulse is sent until the line was quiet for a period and a time-out, and the next one is a
 * probe: no sample, whatever comes. Only when exactly one answer came to it is the order known
 * again. A late answer that comes as the probe's is followed by the probe's own, which makes two,
 * and the next is a probe too.
 *
 * A target that always answers late, by a bit more than some periods, could deceive that: among
 * pulses at equal distances the answer to a former one passes for that of each. But then answers
 * come that nobody waits for. With each of them twice as long a quiet is asked for, until there is
 * a sample again, so that soon nothing is under way any more when a probe is sent. And only a
 * sample ends a row of losses, not the answer to a probe, which may be another's.
 *
 * A line that never gets so quiet is not waited for without end: a probe is sent when the last
 * pulse is QUIET_PERIODS_MAX periods ago.
 *
 * What nobody can tell from the order: an answer that comes in time for the pulse after a probe, to
 * which an earlier one came before. That takes two answers late by different numbers of periods
 * with a probe between them.
 *
 * All of it under run->raw.
 */
#include <linux/minmax.h>

#include "lrtbf.h"

#define QUIET_PERIODS_MAX 32

/* How long the line is to be quiet before a probe. */
static u64 pulse_quiet_ns(const struct lrtbf_run *run)
{
	return max(run->pulse.quiet_ns, run->setup.period_ns + run->setup.timeout_ns);
}

static u64 pulse_quiet_max_ns(const struct lrtbf_run *run)
{
	return QUIET_PERIODS_MAX * run->setup.period_ns;
}

static void pulse_ask_for_more_quiet(struct lrtbf_run *run)
{
	run->pulse.quiet_ns = min(2 * pulse_quiet_ns(run), pulse_quiet_max_ns(run));
}

/* The line may have moved after @now_ns: its handler runs on another CPU. */
static bool pulse_probe_due(const struct lrtbf_run *run, u64 now_ns)
{
	const struct lrtbf_pulse *pulse = &run->pulse;

	return now_ns >= pulse->moved_ns + pulse_quiet_ns(run) ||
	       now_ns >= pulse->t0_ns + pulse_quiet_max_ns(run);
}

/* A pulse is given up, at @t1_ns if its answer came then, else 0. */
static void pulse_give_up(struct lrtbf_run *run, u64 t1_ns)
{
	struct lrtbf_pulse *pulse = &run->pulse;
	u64 late_ns = t1_ns ? t1_ns - pulse->t0_ns : 0;

	pulse->waiting = false;
	pulse->resync = true;
	pulse->losses++;
	run->counters.lost++;
	if (t1_ns)
		run->counters.late++;
	lrtbf_run_record(run, pulse->seq, pulse->t0_ns, late_ns,
			 t1_ns ? LRTBF_RECORD_LOST | LRTBF_RECORD_LATE : LRTBF_RECORD_LOST);
	pulse->lost_open = !t1_ns;
	pulse->lost_seq = pulse->seq;
	pulse->lost_t0_ns = pulse->t0_ns;
}

/* No answer to the pulse came in time. */
void lrtbf_pulse_lost(struct lrtbf_run *run)
{
	pulse_give_up(run, 0);
}

/*
 * At @now_ns a pulse is due: what became of the former one is settled. Returns whether to send one;
 * the run may have been ended.
 */
bool lrtbf_pulse_due(struct lrtbf_run *run, u64 now_ns)
{
	struct lrtbf_pulse *pulse = &run->pulse;

	if (!run->active)
		return false;
	if (pulse->waiting) {
		if (now_ns - pulse->t0_ns <= run->setup.timeout_ns) {
			/* woken late for the former period: it has not had its time yet */
			run->counters.missed++;
			return false;
		}
		pulse_give_up(run, 0);
	} else if (pulse->probe && pulse->answers == 1) {
		pulse->resync = false;
		pulse->lost_open = false;
	}
	pulse->probe = false;
	if (pulse->losses >= run->setup.losses_max) {
		lrtbf_run_end(run, LRTBF_STOP_LOSSES);
		return false;
	}
	if (run->setup.count && run->counters.pulses >= run->setup.count) {
		lrtbf_run_end(run, LRTBF_STOP_COUNT);
		return false;
	}
	if (pulse->resync && !pulse_probe_due(run, now_ns)) {
		run->counters.missed++;
		return false;
	}
	return true;
}

/* A pulse is being sent; @t0_ns was just before its edge. */
void lrtbf_pulse_sent(struct lrtbf_run *run, u64 t0_ns)
{
	struct lrtbf_pulse *pulse = &run->pulse;

	pulse->seq = run->counters.pulses++;
	pulse->t0_ns = t0_ns;
	pulse->moved_ns = t0_ns;
	pulse->answers = 0;
	pulse->waiting = true;
	pulse->probe = pulse->resync;
}

/* Something came on the line. */
void lrtbf_pulse_answer(struct lrtbf_run *run, u64 t1_ns)
{
	struct lrtbf_pulse *pulse = &run->pulse;
	u64 latency_ns = t1_ns - pulse->t0_ns;

	pulse->moved_ns = t1_ns;
	pulse->answers++;
	if (!pulse->waiting) {
		if (pulse->resync)
			pulse_ask_for_more_quiet(run);
		if (pulse->lost_open) {
			pulse->lost_open = false;
			run->counters.late++;
			lrtbf_run_record(run, pulse->lost_seq, pulse->lost_t0_ns,
					 t1_ns - pulse->lost_t0_ns, LRTBF_RECORD_LATE);
		} else {
			run->counters.strays++;
		}
		return;
	}
	if ((s64)latency_ns < 0) {
		/* its handler began before the pulse, on another CPU */
		pulse->answers--;
		run->counters.strays++;
		return;
	}
	if (latency_ns > run->setup.timeout_ns) {
		pulse_give_up(run, t1_ns);
		return;
	}
	pulse->waiting = false;
	if (pulse->probe) {
		run->counters.discarded++;
	} else {
		pulse->losses = 0;
		pulse->quiet_ns = 0;
	}
	lrtbf_run_record(run, pulse->seq, pulse->t0_ns, latency_ns,
			 pulse->probe ? LRTBF_RECORD_DISCARDED : 0);
}
