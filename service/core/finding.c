/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "finding.h"

#include <string.h>

/* The one table: what it is called, what it does to the verdict, what it means, what to do. */
const struct finding_kind finding_kinds[] = {
	/* the figures */
	{ "no-samples", FINDING_INCONCLUSIVE, "No sample was taken.",
	  "See the reason of the session; start it again." },
	{ "migrated", FINDING_INCONCLUSIVE,
	  "Samples were taken on another CPU than the one they belong to.",
	  "Keep CPUs online and let no other program change the affinity of the measuring "
	  "threads." },
	{ "pending", FINDING_INCONCLUSIVE, "A wake-up was overdue when the measuring ended.",
	  "Measure longer; find out what held the CPU at the end." },
	{ "early", FINDING_INCONCLUSIVE,
	  "Passes were faster than the nominal one: the CPU's clock changed.",
	  "Fix the CPU frequency (governor performance) and measure again." },
	{ "too-few", FINDING_INCONCLUSIVE, "There are too few samples for a limit's percentile.",
	  "Measure longer, or with a shorter interval." },
	{ "no-baseline", FINDING_INCONCLUSIVE, "There is nothing to hold a limit against.",
	  "Put good sessions of the plan into the baseline: \"lrtbfctl session keep\" with "
	  "--baseline=; their number and method must suit the limit, see lrtbfd-plan(5)." },
	{ "torn", FINDING_WARNS,
	  "The measurement was killed in the middle of a write; mean and deviation come from the "
	  "histogram.",
	  "Nothing: the histogram, minimum and maximum stand." },
	{ "incomplete", FINDING_INCONCLUSIVE, "The stage did not run for its whole time.",
	  "Start the session again and let it end." },
	/* loads */
	{ "load-absent", FINDING_INCONCLUSIVE, "A load could not be started.",
	  "Install what it needs, see its file in loads.d." },
	{ "load-died", FINDING_INCONCLUSIVE, "A load ended before the stage did.",
	  "Run its command by hand and see why it ends." },
	{ "load-no-effect", FINDING_INCONCLUSIVE,
	  "A load ran without the effect that it is there for.",
	  "Run its command by hand; see the effect it promises in its file in loads.d." },
	{ "load-root", FINDING_WARNS, "A load ran with root's rights.",
	  "See the reason in its file in loads.d." },
	{ "load-left", FINDING_WARNS,
	  "Something of a load was left behind: a process or its scratch folder.",
	  "See what holds it; it may load the next stage too." },
	{ "outside-unit", FINDING_WARNS,
	  "The measurement or a load ran as the daemon's own child and not in a unit of its own.",
	  "See what systemd says of it (journalctl); what it would not start has the daemon's "
	  "rights and bounds." },
	/* the machine, meanwhile */
	{ "steal", FINDING_INCONCLUSIVE,
	  "The hypervisor took more than 1 % of the CPU time for others.",
	  "Measure on a machine of its own." },
	{ "suspended", FINDING_INCONCLUSIVE, "The machine was suspended while it measured.",
	  "Keep it awake and measure again." },
	{ "clock-changed", FINDING_WARNS, "The kernel changed its clock source meanwhile.",
	  "See the kernel's log about an unstable clock." },
	{ "clock-set", FINDING_WARNS, "The wall clock was set meanwhile.",
	  "Keep it with NTP, and let it be set before sessions begin (time-sync.target)." },
	{ "cpu-offline", FINDING_INCONCLUSIVE, "A measured CPU went offline meanwhile.",
	  "Keep all measured CPUs online." },
	/* of other programs */
	{ "import-lossy", FINDING_WARNS, "The program that measured it did not tell all of it.",
	  "Let it print its whole histogram, with a range that holds every sample." },
	/* through the kernel module */
	{ "port-silent", FINDING_INCONCLUSIVE,
	  "The other side of the port did not answer, or nothing came from it.",
	  "See the jumper or cable, the other machine, and whether interrupts arrive "
	  "(/proc/interrupts)." },
	{ "port-storm", FINDING_INCONCLUSIVE,
	  "So many interrupts came that the port's line was masked.",
	  "See what is connected to the port: an input that is open picks up noise." },
	{ "lost-records", FINDING_INCONCLUSIVE,
	  "The kernel module took samples that were not read in time.",
	  "A longer interval, or a CPU on which lrtbf-measure gets to run." },
	/* two machines */
	{ "peer-doubt", FINDING_INCONCLUSIVE, "The peer's part of the measurement is in doubt.",
	  "See the peer's own report: lrtbfctl -H HOST session report ID." },
	{ "peer-warns", FINDING_WARNS, "Something on the peer weakens the numbers.",
	  "See the peer's own report: lrtbfctl -H HOST session report ID." },
	/* how it was measured */
	{ "policy-fallback", FINDING_WARNS,
	  "Real-time priority was not permitted: measured with the fallback policy.",
	  "Run lrtbfd as root or with CAP_SYS_NICE, or raise RLIMIT_RTPRIO." },
	{ "not-realtime-policy", FINDING_WARNS,
	  "Measured with an ordinary policy: other programs delay the measurement itself.",
	  "Use policy fifo." },
	{ "dma-latency", FINDING_WARNS,
	  "/dev/cpu_dma_latency could not be held: deep idle states lengthen wake-ups.",
	  "Give the daemon access to /dev/cpu_dma_latency." },
	{ "memory-unlocked", FINDING_WARNS,
	  "Memory could not be locked: page faults may lengthen samples.",
	  "Raise RLIMIT_MEMLOCK or give CAP_IPC_LOCK." },
	{ "page-faults", FINDING_WARNS, "The measuring threads had page faults while measuring.",
	  "Lock memory (lock_memory in the plan)." },
	{ "no-spare-cpu", FINDING_WARNS,
	  "Every CPU is measured: the daemon and its checkpoints run on measured CPUs.",
	  "Leave one CPU out of the plan's cpus." },
	{ "spinning", FINDING_WARNS,
	  "The instrument would hold CPUs that others cannot do without: it sleeps 5 % of each "
	  "100 ms.",
	  "Leave one CPU out of the plan's cpus; with PREEMPT_RT measure isolated CPUs only "
	  "(isolcpus=)." },
	{ "break-in-warmup", FINDING_WARNS, "The break value was met in the warm-up.",
	  "A longer warm-up, or look at what the machine does at the start." },
	/* the machine's conditions */
	{ "virtual", FINDING_WARNS,
	  "A virtual machine: the hypervisor's latency is in every figure.",
	  "Measure on the metal." },
	{ "not-preempt-rt", FINDING_WARNS, "The kernel is not PREEMPT_RT.",
	  "Boot a kernel with PREEMPT_RT for real-time work." },
	{ "throttling", FINDING_WARNS,
	  "Real-time throttling is on: real-time threads that use up their share are held off.",
	  "sysctl kernel.sched_rt_runtime_us=-1 while measuring." },
	{ "fair-server", FINDING_WARNS,
	  "The fair server may take 5 % of each second from real-time threads.",
	  "Set its runtime to 0 below /sys/kernel/debug/sched/fair_server." },
	{ "clock-source", FINDING_WARNS, "The clock source is slow or coarse.",
	  "Boot with a stable TSC, see /sys/devices/system/clocksource." },
	{ "no-highres", FINDING_WARNS, "The kernel has no high-resolution timers.",
	  "A kernel with CONFIG_HIGH_RES_TIMERS." },
	{ "governor", FINDING_WARNS,
	  "The CPU frequency may change: the governor is not performance.",
	  "cpupower frequency-set -g performance." },
	{ "smt", FINDING_WARNS, "Hardware threads share a core with a measured CPU.",
	  "Boot with nosmt, or leave the siblings idle." },
	{ "numa-balancing", FINDING_WARNS, "Automatic NUMA balancing moves pages meanwhile.",
	  "sysctl kernel.numa_balancing=0." },
	{ "compaction", FINDING_WARNS, "Memory compaction may move locked pages.",
	  "sysctl vm.compact_unevictable_allowed=0." },
	{ "timer-migration", FINDING_WARNS, "Timers may move to measured CPUs.",
	  "sysctl kernel.timer_migration=0." },
	{ "debug-kernel", FINDING_WARNS, "The kernel has debugging options that cost time.",
	  "A kernel without them." },
	{ "tracing", FINDING_WARNS, "Tracing is on.",
	  "echo nop > /sys/kernel/tracing/current_tracer." },
	{ "idle-states", FINDING_WARNS,
	  "Deep idle states were entered although latency 0 was asked for.",
	  "Boot with processor.max_cstate=1 or idle=poll." },
	{ "smi", FINDING_WARNS, "System management interrupts came meanwhile.",
	  "Firmware settings; see hwlatdetect." },
	{ "irqbalance", FINDING_WARNS, "irqbalance runs and may move interrupts to measured CPUs.",
	  "Stop it while measuring, or ban the CPUs." },
	{ "rt-neighbours", FINDING_WARNS,
	  "Other threads have the measuring threads' priority or a higher one.",
	  "Choose a higher priority, or stop them." },
	/* interrupt threads */
	{ "irq-rule", FINDING_INCONCLUSIVE, "An interrupt rule of the plan is not in force.",
	  "See lrtbfctl irq apply --dry-run for what keeps it; give the right, or change the "
	  "rule." },
	{ "irq-rule-waits", FINDING_WARNS,
	  "An interrupt rule of the plan matches nothing on this machine.",
	  "See lrtbfctl irq list for what there is." },
	{ "irq-drift-plan", FINDING_INCONCLUSIVE,
	  "Somebody else changed what an interrupt rule of the plan had set.",
	  "Find out who does (irqbalance, a tuning script), and measure again." },
	{ "irq-drift", FINDING_WARNS,
	  "Somebody else changed the priority or affinity of an interrupt.",
	  "lrtbfctl irq apply sets it again; find out who changes it." },
	{ "irq-paused", FINDING_WARNS,
	  "The rules for interrupts are paused since lrtbfctl irq restore.",
	  "lrtbfctl irq apply puts them into force again." },
	{ "irq-unequal", FINDING_WARNS,
	  "The threads of one interrupt line have different priorities.",
	  "Give them one priority: a shared one-shot line waits for the slowest." },
	{ "thinned", FINDING_WARNS,
	  "The details of this session were removed as its plan's \"keep\" wants it.",
	  "lrtbfctl session keep keeps one whole; see RETENTION in lrtbfd-plan(5)." },
	{ "store-trouble", FINDING_WARNS, "Results could not be written for a while.",
	  "See the journal; make room on the disk." },
	{ NULL },
};

const struct finding_kind *finding_kind(const char *id)
{
	for (const struct finding_kind *k = finding_kinds; k->id; k++)
		if (strcmp(k->id, id) == 0)
			return k;
	return NULL;
}

static void finding_free(gpointer data)
{
	struct finding *f = data;

	g_free(f->text);
	g_free(f);
}

GPtrArray *findings_new(void)
{
	return g_ptr_array_new_with_free_func(finding_free);
}

static void findings_append(GPtrArray *findings, const struct finding_kind *kind, char *text)
{
	struct finding *f;

	for (guint i = 0; i < findings->len; i++) {
		f = findings->pdata[i];
		if (f->kind == kind && strcmp(f->text, text) == 0) {
			g_free(text);
			return;
		}
	}
	f = g_new0(struct finding, 1);
	f->kind = kind;
	f->text = text;
	g_ptr_array_add(findings, f);
}

void finding_add(GPtrArray *findings, const char *id, const char *fmt, ...)
{
	const struct finding_kind *kind = finding_kind(id);
	char *text;
	va_list ap;

	g_assert(kind);
	if (fmt) {
		va_start(ap, fmt);
		text = g_strdup_vprintf(fmt, ap);
		va_end(ap);
	} else {
		text = g_strdup(kind->text);
	}
	findings_append(findings, kind, text);
}

bool findings_inconclusive(const GPtrArray *findings)
{
	for (guint i = 0; i < findings->len; i++) {
		const struct finding *f = findings->pdata[i];

		if (f->kind->weight == FINDING_INCONCLUSIVE)
			return true;
	}
	return false;
}

GPtrArray *findings_copy(const GPtrArray *findings)
{
	GPtrArray *copy = findings_new();

	for (guint i = 0; i < findings->len; i++) {
		const struct finding *f = findings->pdata[i];

		findings_append(copy, f->kind, g_strdup(f->text));
	}
	return copy;
}
