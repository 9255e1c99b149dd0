/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why the end is one word: the loop has to look at something per sample, and a time that the
 * control thread sets to 0 says both "until then" and "now".
 *
 * Why a signal and no cancellation: a thread asleep in clock_nanosleep() for an hour must come back
 * to close its block. The handler does nothing; it is sent again until the thread is done, because
 * it may have come a moment before the sleep.
 */
#include "worker.h"

#include "now.h"
#include "policy.h"
#include "rights.h"

#include <errno.h>
#include <glib.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Of a thread that only reads what the kernel measures: above all that is ordinary, and below all
 * that may be part of what is measured. */
#define WORKER_READER_PRIORITY 1

#define WORKER_STACK (64 * 1024) /* MCL_FUTURE locks it whole */

#define SCHED_DL_OVERRUN 0x04 /* SCHED_FLAG_DL_OVERRUN: SIGXCPU for every overrun */

/*
 * A signal handler is told nothing but the signal: what it counts can only be the thread's own. The
 * kernel sends SIGXCPU to the process, preferring the thread that used up its runtime.
 */
static __thread volatile uint32_t worker_overruns;

static void on_overrun(int sig)
{
	worker_overruns++;
}

static void on_wake(int sig)
{
}

enum worker_state worker_state(const struct worker *w)
{
	return __atomic_load_n(&w->state, __ATOMIC_ACQUIRE);
}

static void worker_set_state(struct worker *w, enum worker_state state)
{
	__atomic_store_n(&w->state, state, __ATOMIC_RELEASE);
	(void)pthread_kill(w->control, SIGUSR1); /* lives longer than we do */
}

static void *worker_fail(struct worker *w, int error, char *text)
{
	w->error = error;
	g_strlcpy(w->text, text, sizeof(w->text));
	g_free(text);
	worker_set_state(w, WORKER_FAILED);
	return NULL;
}

static bool worker_reads(const struct worker *w)
{
	return w->order->role != ROLE_NONE && w->order->answer != ROLE_ANSWER_USER;
}

static int worker_set_policy(struct worker *w)
{
	const struct order *o = w->order;
	struct policy_attr a = {
		.size = sizeof(a),
		.policy = o->policy,
		.flags = o->policy == SCHED_DEADLINE ? SCHED_DL_OVERRUN : 0,
		.nice = o->nice,
		.priority = worker_reads(w) ? WORKER_READER_PRIORITY : o->priority,
		.runtime_ns = o->dl_runtime_ns,
		.deadline_ns = o->dl_deadline_ns,
		.period_ns = o->dl_period_ns,
	};
	int r;

	r = policy_set(0, &a);
	if (r < 0)
		return r;
	r = policy_get(0, &a);
	if (r < 0)
		return r;
	w->block->policy = a.policy;
	w->block->priority = a.priority;
	return 0;
}

/* Signals: all blocked (control waits for them) but the one to wake up and the count of overruns.
 */
static void worker_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	sigaddset(&set, SIGXCPU);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

/* Every page that the loop will write, through this thread, before it counts. */
static void worker_touch(struct worker *w)
{
	volatile char *at = (volatile char *)w->block;

	for (size_t i = 0; i < sizeof(*w->block); i += 512)
		at[i] = at[i];
}

static void *worker_run(void *data)
{
	struct worker *w = data;
	int r;

	worker_signals();
	w->block->tid = (int32_t)syscall(SYS_gettid);
	(void)prctl(PR_SET_TIMERSLACK, 1UL); /* matters for ordinary policies only */
	r = worker_set_policy(w);
	if (r < 0)
		return worker_fail(w, r, rights_policy_text(r, w->order, w->cpu));
	if (sched_getcpu() != w->cpu)
		return worker_fail(w, -EINVAL,
				   g_strdup_printf("The thread of CPU %d runs on CPU %d.", w->cpu,
						   sched_getcpu()));
	worker_touch(w);
	if (w->instrument->prepare) {
		char *text = NULL;

		r = w->instrument->prepare(w, &text);
		if (r < 0)
			return worker_fail(w, r, text);
	}
	worker_set_state(w, WORKER_READY);
	while (sem_wait(w->go) < 0 && errno == EINTR)
		;
	if (!worker_stopped(w)) {
		struct rusage end;

		worker_set_state(w, WORKER_RUNNING);
		w->instrument->run(w);
		if (getrusage(RUSAGE_THREAD, &end) == 0 && w->block->started) {
			w->faults_minor += end.ru_minflt;
			w->faults_major += end.ru_majflt;
		}
	}
	if (w->instrument->finish)
		w->instrument->finish(w);
	region_begin(w->block);
	w->block->figures.overrun = worker_overruns;
	w->block->done = 1;
	region_end(w->block);
	worker_set_state(w, WORKER_DONE);
	return NULL;
}

void worker_begin(struct worker *w, uint64_t end_ns)
{
	uint64_t open = WORKER_END_OPEN;
	struct rusage begin;

	if (worker_stopped(w))
		return;
	if (getrusage(RUSAGE_THREAD, &begin) == 0) {
		w->faults_minor = -begin.ru_minflt;
		w->faults_major = -begin.ru_majflt;
	}
	worker_overruns = 0;
	__atomic_store_n(&w->begin_ns, now_ns(), __ATOMIC_RELAXED);
	region_begin(w->block);
	w->block->started = 1;
	region_end(w->block);
	/* a stop in the meantime stands */
	__atomic_compare_exchange_n(&w->end_ns, &open, end_ns, false, __ATOMIC_RELEASE,
				    __ATOMIC_RELAXED);
	(void)pthread_kill(w->control, SIGUSR1);
}

void worker_find(struct worker *w, const char *id)
{
	for (size_t i = 0; i < WORKER_FINDINGS; i++) {
		if (w->findings[i] && strcmp(w->findings[i], id) != 0)
			continue;
		w->findings[i] = id;
		return;
	}
}

void worker_give_up(struct worker *w, int error, char *text)
{
	w->error = error;
	g_strlcpy(w->text, text, sizeof(w->text));
	g_free(text);
}

static void worker_handlers(void)
{
	struct sigaction wake = { .sa_handler = on_wake }, overrun = { .sa_handler = on_overrun };

	sigaction(SIGUSR2, &wake, NULL);
	sigaction(SIGXCPU, &overrun, NULL);
}

int worker_start(struct worker *w)
{
	pthread_attr_t attr;
	cpu_set_t cpus;
	int r;

	CPU_ZERO(&cpus);
	CPU_SET(w->cpu, &cpus);
	w->end_ns = WORKER_END_OPEN;
	w->state = WORKER_PREPARING;
	worker_handlers();
	pthread_attr_init(&attr);
	r = pthread_attr_setstacksize(&attr, WORKER_STACK);
	if (r == 0)
		r = pthread_attr_setaffinity_np(&attr, sizeof(cpus), &cpus);
	if (r == 0)
		r = pthread_create(&w->thread, &attr, worker_run, w);
	pthread_attr_destroy(&attr);
	if (r == 0) {
		g_autofree char *name = g_strdup_printf("measure/%d", w->cpu);

		(void)pthread_setname_np(w->thread, name); /* for ps and traces only */
	}
	return -r;
}

void worker_stop(struct worker *w)
{
	__atomic_store_n(&w->end_ns, 0, __ATOMIC_RELEASE);
	if (worker_state(w) < WORKER_DONE)
		(void)pthread_kill(w->thread,
				   SIGUSR2); /* not joined yet: the thread is still known */
}
