/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's configuration is hashed as a whole, which tells two builds apart, and kept as far as
 * it bears on latency, which tells why. A configuration that drifted between two compared runs
 * shows in both.
 */
#include <stdbool.h>
#include <string.h>
#include <sys/utsname.h>
#include <zlib.h>

#include "cleanup.h"
#include "conditions-parts.h"
#include "duration.h"
#include "kconfig.h"
#include "preemption.h"
#include "sysfile.h"

#define CONFIG_MAX (4 * 1024 * 1024)

/* Options kept, set or not. */
static const char *const config_options[] = {
	"HZ",
	"HIGH_RES_TIMERS",
	"NO_HZ",
	"NO_HZ_IDLE",
	"NO_HZ_FULL",
	"HZ_PERIODIC",
	"PREEMPT",
	"PREEMPT_NONE",
	"PREEMPT_VOLUNTARY",
	"PREEMPT_LAZY",
	"PREEMPT_RT",
	"PREEMPT_RT_FULL",
	"PREEMPT_DYNAMIC",
	"PREEMPT_COUNT",
	"RT_GROUP_SCHED",
	"CPU_ISOLATION",
	"RCU_NOCB_CPU",
	"RCU_NOCB_CPU_DEFAULT_ALL",
	"RCU_BOOST",
	"IRQ_FORCED_THREADING",
	"IRQ_TIME_ACCOUNTING",
	"VIRT_CPU_ACCOUNTING_GEN",
	"CPU_FREQ",
	"CPU_FREQ_DEFAULT_GOV_PERFORMANCE",
	"CPU_FREQ_DEFAULT_GOV_SCHEDUTIL",
	"CPU_FREQ_DEFAULT_GOV_ONDEMAND",
	"CPU_FREQ_DEFAULT_GOV_POWERSAVE",
	"CPU_IDLE",
	"CPU_IDLE_GOV_MENU",
	"CPU_IDLE_GOV_TEO",
	"CPU_IDLE_GOV_HALTPOLL",
	"SCHED_SMT",
	"SCHED_MC",
	"SCHED_CORE",
	"SCHED_AUTOGROUP",
	"NUMA_BALANCING",
	"NUMA_BALANCING_DEFAULT_ENABLED",
	"COMPACTION",
	"TRANSPARENT_HUGEPAGE",
	"TRANSPARENT_HUGEPAGE_ALWAYS",
	"SWAP",
	"X86_TSC",
	"PARAVIRT",
	"HYPERVISOR_GUEST",
	"TRACEPOINTS",
	"FUNCTION_TRACER",
	"DYNAMIC_FTRACE",
	"HWLAT_TRACER",
	"OSNOISE_TRACER",
	"TIMERLAT_TRACER",
	"SMP",
	"MODULES",
	"SOFTLOCKUP_DETECTOR",
	"HARDLOCKUP_DETECTOR",
	"MITIGATION_PAGE_TABLE_ISOLATION",
	"MITIGATION_RETPOLINE",
	"PAGE_TABLE_ISOLATION",
	"RETPOLINE",
	"STACKPROTECTOR_STRONG",
	"INIT_ON_ALLOC_DEFAULT_ON",
	"INIT_ON_FREE_DEFAULT_ON",
};

/* Aids for finding bugs in the kernel that cost time wherever they are set. */
static const char *const debug_options[] = {
	"PROVE_LOCKING",
	"LOCKDEP",
	"DEBUG_LOCK_ALLOC",
	"LOCK_STAT",
	"DEBUG_SPINLOCK",
	"DEBUG_MUTEXES",
	"DEBUG_RT_MUTEXES",
	"DEBUG_RWSEMS",
	"DEBUG_PREEMPT",
	"DEBUG_ATOMIC_SLEEP",
	"PROVE_RCU",
	"RCU_EQS_DEBUG",
	"DEBUG_OBJECTS",
	"DEBUG_PAGEALLOC_ENABLE_DEFAULT",
	"DEBUG_KMEMLEAK",
	"SLUB_DEBUG_ON",
	"DEBUG_VM_PGTABLE",
	"DEBUG_IRQFLAGS",
	"DEBUG_TIMEKEEPING",
	"KASAN",
	"KCSAN",
	"KMSAN",
	"UBSAN_TRAP",
	"KCOV",
	"GCOV_KERNEL",
	"IRQSOFF_TRACER",
	"PREEMPT_TRACER",
	"PROFILE_ALL_BRANCHES",
	"PROFILE_ANNOTATED_BRANCHES",
	"FAULT_INJECTION",
	"CSD_LOCK_WAIT_DEBUG_DEFAULT",
};

/* The text of a gzip file; NULL: not one, or too much. */
static char *gunzip(const char *bytes, size_t size, size_t *ret_size)
{
	g_autofree char *out = g_malloc(CONFIG_MAX);
	z_stream z = { .next_in = (Bytef *)bytes,
		       .avail_in = size,
		       .next_out = (Bytef *)out,
		       .avail_out = CONFIG_MAX };
	int r;

	if (inflateInit2(&z, 16 + MAX_WBITS) != Z_OK)
		return NULL;
	r = inflate(&z, Z_FINISH);
	*ret_size = z.total_out;
	inflateEnd(&z);
	return r == Z_STREAM_END ? g_steal_pointer(&out) : NULL;
}

static char *config_read(const char *root, const char *release, size_t *ret_size)
{
	static const char *const places[] = { "boot/config-%s", "lib/modules/%s/config",
					      "usr/lib/modules/%s/config",
					      "lib/modules/%s/build/.config" };
	size_t packed_size;
	g_autofree char *packed = sysfile_bytes(root, "proc/config.gz", CONFIG_MAX, &packed_size);

	if (packed)
		return gunzip(packed, packed_size, ret_size);
	for (guint i = 0; release && i < G_N_ELEMENTS(places); i++) {
		g_auto(GStrv) around = g_strsplit(places[i], "%s", 2);
		g_autofree char *name = g_strconcat(around[0], release, around[1], NULL);
		char *text = sysfile_bytes(root, name, CONFIG_MAX, ret_size);

		if (text)
			return text;
	}
	return NULL;
}

json_t *conditions_config(const char *root, const char *release, char **ret_hash)
{
	g_autoptr(GHashTable) all = NULL;
	g_autofree char *text = NULL;
	json_t *kept, *debug;
	size_t size;

	text = config_read(root, release, &size);
	if (!text)
		return json_null();
	*ret_hash = g_compute_checksum_for_data(G_CHECKSUM_SHA256, (const guchar *)text, size);
	all = kconfig_parse(text, size);
	kept = json_object();
	for (guint i = 0; i < G_N_ELEMENTS(config_options); i++) {
		const char *value = g_hash_table_lookup(all, config_options[i]);

		json_object_set_new(kept, config_options[i], json_string(value ?: "n"));
	}
	debug = json_array();
	for (guint i = 0; i < G_N_ELEMENTS(debug_options); i++)
		if (g_strcmp0(g_hash_table_lookup(all, debug_options[i]), "y") == 0)
			json_array_append_new(debug, json_string(debug_options[i]));
	json_object_set_new(kept, "debug", debug);
	return kept;
}

static bool config_is(const json_t *config, const char *option)
{
	return g_strcmp0(json_string_value(json_object_get(config, option)), "y") == 0;
}

static enum preemption preemption_from_config(const json_t *config)
{
	if (config_is(config, "PREEMPT_RT") || config_is(config, "PREEMPT_RT_FULL"))
		return PREEMPTION_RT;
	if (config_is(config, "PREEMPT_LAZY"))
		return PREEMPTION_LAZY;
	if (config_is(config, "PREEMPT"))
		return PREEMPTION_FULL;
	if (config_is(config, "PREEMPT_VOLUNTARY"))
		return PREEMPTION_VOLUNTARY;
	if (config_is(config, "PREEMPT_NONE"))
		return PREEMPTION_NONE;
	return PREEMPTION_UNKNOWN;
}

/* A dynamic kernel's choice: what it says now, what it was told at boot, what it was built with. */
static enum preemption preemption_chosen(const char *root, const json_t *config)
{
	g_autofree char *now = sysfile_text(root, "sys/kernel/debug/sched/preempt");
	g_autofree char *boot = sysfile_text(root, "proc/cmdline");
	enum preemption p = now ? preemption_from_debugfs(now) : PREEMPTION_UNKNOWN;

	if (p == PREEMPTION_UNKNOWN && boot)
		p = preemption_from_command_line(boot);
	return p == PREEMPTION_UNKNOWN ? preemption_from_config(config) : p;
}

static void kernel_preemption(const char *root, const char *version, const json_t *config,
			      json_t *o)
{
	g_autofree char *realtime = sysfile_text(root, "sys/kernel/realtime");
	enum preemption p = PREEMPTION_UNKNOWN;
	const char *name;
	bool dynamic = false;

	if (version)
		p = preemption_from_version(version, &dynamic);
	if (g_strcmp0(realtime, "1") == 0)
		p = PREEMPTION_RT;
	if (p == PREEMPTION_UNKNOWN || (dynamic && p != PREEMPTION_RT))
		p = preemption_chosen(root, config);
	name = preemption_to_string(p);
	/* a version that says nothing of it is an answer, no version is none */
	json_object_set_new(o, "realtime",
			    version || p != PREEMPTION_UNKNOWN ? json_boolean(p == PREEMPTION_RT)
							       : json_null());
	json_object_set_new(o, "preemption", name ? json_string(name) : json_null());
	json_object_set_new(o, "preemption_dynamic", json_boolean(dynamic));
}

/* "Linux version 6.1.0 (builder) (compiler) #1 SMP PREEMPT_RT ...": what follows the last ")". */
static char *version_of_tree(const char *root)
{
	g_autofree char *text = sysfile_text(root, "proc/sys/kernel/version");
	g_autofree char *long_text = sysfile_text(root, "proc/version");
	const char *hash = long_text ? strrchr(long_text, '#') : NULL;

	return text ? g_steal_pointer(&text) : g_strdup(hash);
}

static char *release_of_tree(const char *root)
{
	g_autofree char *text = sysfile_text(root, "proc/sys/kernel/osrelease");
	g_autofree char *long_text = sysfile_text(root, "proc/version");
	g_auto(GStrv) words = NULL;

	if (text)
		return g_steal_pointer(&text);
	words = g_strsplit(long_text ?: "", " ", 4);
	return g_strv_length(words) > 2 ? g_strdup(words[2]) : NULL;
}

json_t *conditions_kernel(const char *root)
{
	g_autofree char *release = release_of_tree(root), *version = version_of_tree(root);
	g_autofree char *hash = NULL;
	json_t *o = json_object(), *config;
	struct utsname u;

	config = conditions_config(root, release, &hash);
	json_object_set_new(o, "release", release ? json_string(release) : json_null());
	json_object_set_new(o, "version", version ? json_string(version) : json_null());
	/* a captured tree does not say what machine it was captured on */
	json_object_set_new(o, "machine",
			    strcmp(root, "/") == 0 && uname(&u) == 0 ? json_string(u.machine)
								     : json_null());
	kernel_preemption(root, version, config, o);
	json_object_set_new(o, "command_line", sysfile_string(root, "proc/cmdline"));
	json_object_set_new(o, "tainted", sysfile_integer(root, "proc/sys/kernel/tainted"));
	json_object_set_new(o, "config_hash", hash ? json_string(hash) : json_null());
	json_object_set_new(o, "config", config);
	return o;
}
