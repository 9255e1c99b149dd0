/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A kernel's configuration is compared option by option where its options are known, because
 * "another configuration" helps nobody to find out why; the command line by its words, because it
 * is long and mostly says where the disk is.
 */
#include "conditionsdiff-internal.h"

#include "value.h"

#include <string.h>

#define CONDITIONSDIFF_HASH 12 /* digits that tell two builds apart for a reader */

/*
 * Configuration options that cost latency or decide about it, by their beginnings: preemption and
 * the tick, checks on every lock or every access to memory, what puts a call into every function.
 * Sources: lib/Kconfig.debug, lib/Kconfig.kasan, kernel/trace/Kconfig and kernel/Kconfig.preempt
 * say of most what they cost.
 */
static const char *const costly_options[] = {
	"PREEMPT",
	"NO_HZ_FULL",
	"HZ",
	"HIGH_RES_TIMERS",
	"IRQ_FORCED_THREADING",
	"RT_GROUP_SCHED",
	"RCU_NOCB_CPU",
	"RCU_BOOST",
	"DEBUG_",
	"PROVE_",
	"LOCKDEP",
	"LOCK_STAT",
	"RCU_EQS_DEBUG",
	"KASAN",
	"KCSAN",
	"KMSAN",
	"UBSAN",
	"KCOV",
	"GCOV",
	"SLUB_DEBUG_ON",
	"FAULT_INJECTION",
	"PROFILE_",
	"IRQSOFF_TRACER",
	"PREEMPT_TRACER",
	"FUNCTION_TRACER",
	"CSD_LOCK_WAIT_DEBUG",
	"IRQ_TIME_ACCOUNTING",
	"VIRT_CPU_ACCOUNTING_GEN",
	"CPU_FREQ_DEFAULT_GOV_",
	"CPU_IDLE",
	"NUMA_BALANCING",
	"COMPACTION",
	"TRANSPARENT_HUGEPAGE",
	"MITIGATION_",
	"PAGE_TABLE_ISOLATION",
	"RETPOLINE",
	"HYPERVISOR_GUEST",
};

/* Parameters of the command line that do, by their beginnings. */
static const char *const costly_parameters[] = {
	"isolcpus=",
	"nohz_full=",
	"nohz=",
	"rcu_nocbs",
	"preempt=",
	"threadirqs",
	"idle=",
	"processor.",
	"intel_idle.",
	"cpuidle.",
	"intel_pstate=",
	"amd_pstate=",
	"mitigations=",
	"nopti",
	"pti=",
	"spectre_v2=",
	"nosmt",
	"maxcpus=",
	"nr_cpus=",
	"clocksource=",
	"tsc=",
	"hpet=",
	"highres=",
	"lapic",
	"irqaffinity=",
	"noirqdebug",
	"nowatchdog",
	"nmi_watchdog=",
	"nosoftlockup",
	"skew_tick=",
	"ftrace",
	"trace_",
	"slub_debug",
	"slab_debug",
	"kasan",
	"page_poison",
	"init_on_",
	"transparent_hugepage=",
	"numa_balancing=",
	"audit=",
	"irqpoll",
};

/* How the kernel was found, and where its files are: another word at every update. */
static const char *const idle_parameters[] = { "BOOT_IMAGE=", "initrd=", "root=", "rootflags=" };

static bool begins_with_one_of(const char *text, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (g_str_has_prefix(text, list[i]))
			return true;
	return false;
}

static bool config_is_text(const json_t *config)
{
	return json_object_size(config) > 0;
}

static int diff_options(struct diff *diff, const json_t *a, const json_t *b)
{
	const char *key;
	int found = 0;
	json_t *v;

	json_object_foreach ((json_t *)a, key, v) {
		const char *va = json_string_value(v),
			   *vb = json_string_value(json_object_get(b, key));
		g_autofree char *what = g_strconcat("CONFIG_", key, NULL);

		if (!va || !vb || strcmp(va, vb) == 0)
			continue;
		diff_add(diff,
			 begins_with_one_of(key, costly_options, G_N_ELEMENTS(costly_options))
				 ? CONDITION_COSTLY
				 : CONDITION_OTHER,
			 what, va, vb);
		found++;
	}
	return found;
}

static bool list_has(const json_t *list, const char *text)
{
	const json_t *v;
	size_t i;

	json_array_foreach ((json_t *)list, i, v)
		if (g_strcmp0(json_string_value(v), text) == 0)
			return true;
	return false;
}

/* Options of @from's list that @other's lacks; @swap: @from is the second one. */
static int diff_debug(struct diff *diff, const json_t *from, const json_t *other, bool swap)
{
	const json_t *v;
	int found = 0;
	size_t i;

	json_array_foreach ((json_t *)from, i, v) {
		g_autofree char *what = NULL;

		if (!json_is_string(v) || list_has(other, json_string_value(v)))
			continue;
		what = g_strconcat("CONFIG_", json_string_value(v), NULL);
		diff_add(diff, CONDITION_COSTLY, what, swap ? "n" : "y", swap ? "y" : "n");
		found++;
	}
	return found;
}

/*
 * A hash says only that something differs, and it always does between two releases, whose names are
 * in the file: so it counts where the options cannot be compared, or are all equal for one release.
 */
static void diff_hash(struct diff *diff, const json_t *a, const json_t *b, bool options_known)
{
	const char *ha = value_get_string(a, "kernel.config_hash"),
		   *hb = value_get_string(b, "kernel.config_hash");
	g_autofree char *ta = NULL, *tb = NULL;

	if (!ha || !hb || strcmp(ha, hb) == 0)
		return;
	if (options_known && g_strcmp0(value_get_string(a, "kernel.release"),
				       value_get_string(b, "kernel.release")) != 0)
		return;
	ta = g_strndup(ha, CONDITIONSDIFF_HASH);
	tb = g_strndup(hb, CONDITIONSDIFF_HASH);
	diff_add(diff, CONDITION_OTHER, "kernel_config_hash", ta, tb);
}

static void diff_config(struct diff *diff, const json_t *a, const json_t *b)
{
	const json_t *ca = diff_at_path(a, "kernel.config"), *cb = diff_at_path(b, "kernel.config");
	const json_t *da = json_object_get(ca, "debug"), *db = json_object_get(cb, "debug");
	bool known = config_is_text(ca) && config_is_text(cb);
	int found = 0;

	if (known)
		found += diff_options(diff, ca, cb);
	if (json_is_array(da) && json_is_array(db)) {
		found += diff_debug(diff, da, db, false);
		found += diff_debug(diff, db, da, true);
	}
	if (found == 0)
		diff_hash(diff, a, b, known);
}

/* Words that @from has and @other has not, in their order. */
static char *words_of_one(char *const *from, char *const *other, bool *ret_costly)
{
	g_autoptr(GString) text = g_string_new(NULL);

	for (char *const *w = from; *w; w++) {
		if (!**w || g_strv_contains((const char *const *)other, *w) ||
		    begins_with_one_of(*w, idle_parameters, G_N_ELEMENTS(idle_parameters)))
			continue;
		g_string_append_printf(text, "%s%s", text->len ? " " : "", *w);
		if (begins_with_one_of(*w, costly_parameters, G_N_ELEMENTS(costly_parameters)))
			*ret_costly = true;
	}
	return g_strdup(text->str);
}

static void diff_command_line(struct diff *diff, const json_t *a, const json_t *b)
{
	const char *la = value_get_string(a, "kernel.command_line"),
		   *lb = value_get_string(b, "kernel.command_line");
	g_auto(GStrv) wa = g_strsplit_set(la ?: "", " \t\n", -1);
	g_auto(GStrv) wb = g_strsplit_set(lb ?: "", " \t\n", -1);
	g_autofree char *ta = NULL, *tb = NULL;
	bool costly = false;

	if (!la || !lb)
		return;
	ta = words_of_one(wa, wb, &costly);
	tb = words_of_one(wb, wa, &costly);
	if (*ta || *tb)
		diff_add(diff, costly ? CONDITION_COSTLY : CONDITION_OTHER, "command_line", ta, tb);
}

void diff_kernel(struct diff *diff, const json_t *a, const json_t *b)
{
	diff_config(diff, a, b);
	diff_command_line(diff, a, b);
}
