/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why one malloc arena: every thread that allocates would be given one of its own, of 64 MiB of
 * address space that MCL_FUTURE counts against RLIMIT_MEMLOCK.
 *
 * Why PREEMPT_RT needs more than a CPU to spare: there a thread of priority 1 (ktimers/N) ends the
 * sleeps of ordinary processes that were begun on CPU N. While a real-time thread spins on that CPU
 * they go on sleeping, wherever there is room for them, and throttling does not help: it holds off
 * ktimers, too. Only where ordinary processes never are does nobody sleep.
 */
#include "footing.h"

#include "cleanup.h"
#include "cpulist.h"
#include "preemption.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <unistd.h>

int footing_lock_memory(void)
{
	(void)mallopt(M_ARENA_MAX, 1); /* else only more memory is locked */
	return mlockall(MCL_CURRENT | MCL_FUTURE) < 0 ? -errno : 0;
}

int footing_hold_dma_latency(int latency_us, int *ret_fd)
{
	g_auto(fd_t) fd = open("/dev/cpu_dma_latency", O_WRONLY | O_CLOEXEC);
	int32_t value = latency_us;

	if (fd < 0)
		return -errno;
	if (write(fd, &value, sizeof(value)) != sizeof(value))
		return -errno;
	*ret_fd = fd_steal(&fd);
	return 0;
}

int footing_reachable(cpu_set_t *ret)
{
	cpu_set_t all;

	memset(&all, 0xff, sizeof(all));
	/* the kernel leaves out what is offline or outside the cpuset */
	if (sched_setaffinity(0, sizeof(all), &all) < 0 ||
	    sched_getaffinity(0, sizeof(*ret), ret) < 0)
		return -errno;
	return 0;
}

bool footing_is_spare(const cpu_set_t *reachable, const cpu_set_t *measured,
		      const cpu_set_t *isolated, bool preempt_rt)
{
	cpu_set_t both;

	CPU_AND(&both, measured, isolated);
	if (preempt_rt && !CPU_EQUAL(&both, measured))
		return false;
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, reachable) && !CPU_ISSET(cpu, measured) &&
		    !CPU_ISSET(cpu, isolated))
			return true;
	return false;
}

static bool footing_preempt_rt(void)
{
	struct utsname u;
	bool dynamic;

	return uname(&u) == 0 && preemption_from_version(u.version, &dynamic) == PREEMPTION_RT;
}

bool footing_spare(const cpu_set_t *reachable, const cpu_set_t *measured)
{
	g_autofree char *text = NULL;
	cpu_set_t isolated;

	CPU_ZERO(&isolated);
	if (g_file_get_contents("/sys/devices/system/cpu/isolated", &text, NULL, NULL) &&
	    cpulist_parse(g_strstrip(text), NULL, &isolated, NULL) < 0)
		CPU_ZERO(&isolated); /* none: an empty file */
	return footing_is_spare(reachable, measured, &isolated, footing_preempt_rt());
}

const char *footing_limits_spinning(void)
{
	g_autofree char *runtime = NULL;
	bool server = g_file_test("/sys/kernel/debug/sched/fair_server", G_FILE_TEST_IS_DIR);
	bool throttled =
		g_file_get_contents("/proc/sys/kernel/sched_rt_runtime_us", &runtime, NULL, NULL) &&
		runtime[0] != '-';

	if (throttled && server)
		return "throttling fair-server";
	return throttled ? "throttling" : server ? "fair-server" : "";
}
