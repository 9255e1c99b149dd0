/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A load is someone else's program run for hours with all it can do to the machine: it gets no more
 * rights than that takes, and the bounds keep a mistake in one from taking the machine down
 * (hackbench with a group too many eats all memory: the kernel shall choose it and nothing else).
 */
#include "rights.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cleanup.h"

/* What a load without a scratch folder may write into one file: it has no business writing any. */
#define RIGHTS_FILE_BYTES (64ULL << 20)
/* Over what a load says it writes: a header, a last block. */
#define RIGHTS_FILE_SLACK (1ULL << 20)
/* More threads than any load needs, fewer than the kernel has ids for. */
#define RIGHTS_PROCESSES_MAX 8192

static void rights_limit(int resource, rlim_t value)
{
	struct rlimit lim;

	if (getrlimit(resource, &lim) < 0)
		return;
	lim.rlim_max = MIN(lim.rlim_max, value);
	lim.rlim_cur = MIN(lim.rlim_cur, lim.rlim_max);
	(void)setrlimit(resource, &lim); /* lowering is always permitted */
}

static void rights_first_to_die(void)
{
	g_auto(fd_t) fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	if (fd >= 0)
		(void)!write(fd, "1000", 4); /* a help to the machine, not needed for the load */
}

int rights_bound(const struct errand *e)
{
	struct sched_param none = { 0 };

	rights_limit(RLIMIT_CORE, 0);
	rights_limit(RLIMIT_NPROC, RIGHTS_PROCESSES_MAX);
	rights_limit(RLIMIT_FSIZE,
		     e->scratch ? e->scratch_bytes + RIGHTS_FILE_SLACK : RIGHTS_FILE_BYTES);
	rights_limit(RLIMIT_MEMLOCK, 64 << 10);
	if (!e->keep_rights)
		rights_limit(RLIMIT_RTPRIO, 0);
	rights_first_to_die();
	if (sched_setscheduler(0, SCHED_OTHER, &none) < 0)
		return -errno;
	if (getpriority(PRIO_PROCESS, 0) < 0)
		(void)setpriority(PRIO_PROCESS, 0, 0); /* upwards is always permitted */
	return 0;
}

static int rights_no_capabilities(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2];

	memset(data, 0, sizeof(data));
	(void)prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); /* none in old kernels */
	return syscall(SYS_capset, &head, data) < 0 ? -errno : 0;
}

static int rights_become_nobody(void)
{
	if (geteuid() == ERRAND_NOBODY)
		return 0;
	if (setgroups(0, NULL) < 0 || setresgid(ERRAND_NOBODY, ERRAND_NOBODY, ERRAND_NOBODY) < 0 ||
	    setresuid(ERRAND_NOBODY, ERRAND_NOBODY, ERRAND_NOBODY) < 0)
		return -errno;
	return 0;
}

int rights_drop(const struct errand *e)
{
	int r;

	if (e->nobody) {
		r = rights_become_nobody();
		if (r < 0)
			return r;
	}
	if (e->keep_rights)
		return 0;
	r = rights_no_capabilities();
	if (r < 0)
		return r;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -errno;
	/* /proc/self belongs to root otherwise, and a user namespace's maps are written there */
	(void)prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
	return 0;
}
