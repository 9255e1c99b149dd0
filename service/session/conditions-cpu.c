/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Idle states are kept with their usage at the start and get that of the end: their difference is
 * the proof that holding /dev/cpu_dma_latency kept a CPU awake, which its being open is not.
 */
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "cleanup.h"
#include "conditions-parts.h"
#include "cpulist.h"
#include "proc-cpuinfo.h"
#include "sysfile.h"

#define CPU_DIR		"sys/devices/system/cpu"
#define CPUINFO_MAX	(16 * 1024 * 1024)
#define MSR_SMI_COUNT	0x34 /* Intel SDM volume 4, MSR_SMI_COUNT */
#define IDLE_STATES_MAX 16

static json_t *string_or_null(const char *text)
{
	return text ? json_string(text) : json_null();
}

static void processor_from_cpuinfo(const char *root, json_t *o)
{
	struct proc_cpuinfo info = { 0 };
	size_t size;
	g_autofree char *text = sysfile_bytes(root, "proc/cpuinfo", CPUINFO_MAX, &size);
	g_autofree char *board = sysfile_text(root, "proc/device-tree/model");

	if (text)
		proc_cpuinfo_parse(text, size, &info);
	json_object_set_new(o, "model", string_or_null(info.model ?: board));
	json_object_set_new(o, "vendor", string_or_null(info.vendor));
	json_object_set_new(o, "microcode", string_or_null(info.microcode));
	proc_cpuinfo_done(&info);
}

json_t *conditions_processor(const char *root)
{
	static const char *const lists[] = { "online", "possible", "isolated", "nohz_full" };
	g_autoptr(GPtrArray) names = sysfile_list(root, CPU_DIR "/vulnerabilities");
	json_t *o = json_object(), *mitigations = json_object();

	processor_from_cpuinfo(root, o);
	for (guint i = 0; i < G_N_ELEMENTS(lists); i++)
		json_object_set_new(o, lists[i], sysfile_string(root, CPU_DIR "/%s", lists[i]));
	json_object_set_new(o, "smt", sysfile_string(root, CPU_DIR "/smt/control"));
	json_object_set_new(o, "smt_active", sysfile_integer(root, CPU_DIR "/smt/active"));
	json_object_set_new(o, "frequency_boost", sysfile_integer(root, CPU_DIR "/cpufreq/boost"));
	json_object_set_new(o, "idle_driver",
			    sysfile_string(root, CPU_DIR "/cpuidle/current_driver"));
	json_object_set_new(o, "idle_governor",
			    sysfile_string(root, CPU_DIR "/cpuidle/current_governor"));
	for (guint i = 0; i < names->len; i++)
		json_object_set_new(mitigations, names->pdata[i],
				    sysfile_string(root, CPU_DIR "/vulnerabilities/%s",
						   (const char *)names->pdata[i]));
	json_object_set_new(o, "mitigations", mitigations);
	return o;
}

/* Needs the msr module, CAP_SYS_RAWIO and an Intel processor: null in all other places. */
static json_t *cpu_smi_count(const char *root, int cpu)
{
	g_autofree char *name = g_strdup_printf("dev/cpu/%d/msr", cpu);
	g_autofree char *path = g_build_filename(root, name, NULL);
	g_auto(fd_t) fd = open(path, O_RDONLY | O_CLOEXEC);
	uint64_t value;

	if (fd < 0 || pread(fd, &value, sizeof(value), MSR_SMI_COUNT) != sizeof(value))
		return json_null();
	return json_integer((json_int_t)(value & UINT32_MAX));
}

static json_t *cpu_idle_states(const char *root, int cpu)
{
	json_t *states = json_array();

	for (int i = 0; i < IDLE_STATES_MAX; i++) {
		g_autofree char *at = g_strdup_printf(CPU_DIR "/cpu%d/cpuidle/state%d", cpu, i);
		g_autofree char *name = sysfile_text(root, "%s/name", at);
		json_t *s;

		if (!name)
			break;
		s = json_object();
		json_object_set_new(s, "name", json_string(name));
		json_object_set_new(s, "latency_us", sysfile_integer(root, "%s/latency", at));
		json_object_set_new(s, "disabled", sysfile_integer(root, "%s/disable", at));
		json_object_set_new(s, "usage", sysfile_integer(root, "%s/usage", at));
		json_object_set_new(s, "time_us", sysfile_integer(root, "%s/time", at));
		json_array_append_new(states, s);
	}
	return states;
}

static json_t *cpu_conditions(const char *root, int cpu)
{
	json_t *o = json_object();

	json_object_set_new(o, "cpu", json_integer(cpu));
	json_object_set_new(o, "governor",
			    sysfile_string(root, CPU_DIR "/cpu%d/cpufreq/scaling_governor", cpu));
	json_object_set_new(o, "frequency_driver",
			    sysfile_string(root, CPU_DIR "/cpu%d/cpufreq/scaling_driver", cpu));
	json_object_set_new(o, "min_khz",
			    sysfile_integer(root, CPU_DIR "/cpu%d/cpufreq/scaling_min_freq", cpu));
	json_object_set_new(o, "max_khz",
			    sysfile_integer(root, CPU_DIR "/cpu%d/cpufreq/scaling_max_freq", cpu));
	json_object_set_new(o, "current_khz",
			    sysfile_integer(root, CPU_DIR "/cpu%d/cpufreq/scaling_cur_freq", cpu));
	json_object_set_new(
		o, "siblings",
		sysfile_string(root, CPU_DIR "/cpu%d/topology/thread_siblings_list", cpu));
	json_object_set_new(o, "core",
			    sysfile_integer(root, CPU_DIR "/cpu%d/topology/core_id", cpu));
	json_object_set_new(
		o, "package",
		sysfile_integer(root, CPU_DIR "/cpu%d/topology/physical_package_id", cpu));
	json_object_set_new(o, "smi_count", cpu_smi_count(root, cpu));
	json_object_set_new(o, "idle", cpu_idle_states(root, cpu));
	return o;
}

json_t *conditions_cpus(const char *root)
{
	json_t *a = json_array();
	cpu_set_t online;

	if (cpulist_online(root, &online) < 0)
		return a;
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &online))
			json_array_append_new(a, cpu_conditions(root, cpu));
	return a;
}
