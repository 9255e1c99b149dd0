// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A 32-bit caller without a C library, as one for it need not be there: ten periods of a timer
 * through int 0x80. Exit status: 0, or the number of the step that went wrong.
 */
#include "../../kmod/lrtbf-ioctl.h"

enum { EXIT = 1, READ = 3, OPEN = 5, IOCTL = 54 };

/* gcc would make calls to memset() of an initialiser */
static struct lrtbf_setup setup;
static struct lrtbf_caps caps;
static struct lrtbf_counters counters;
static struct lrtbf_record records[16];

static int call(int number, int a, int b, int c)
{
	int r;

	__asm__ volatile("int $0x80" : "=a"(r) : "a"(number), "b"(a), "c"(b), "d"(c) : "memory");
	return r;
}

static int wrong_step(void)
{
	int fd = call(OPEN, (int)"/dev/lrtbf", 2, 0), n;

	caps.size = sizeof(caps);
	counters.size = sizeof(counters);
	setup.size = sizeof(setup);
	setup.role = LRTBF_ROLE_TIMER_IRQ;
	setup.period_ns = 2000000;
	setup.count = 10;
	setup.cpu = -1;
	if (fd < 0)
		return 1;
	if (call(IOCTL, fd, LRTBF_CAPS, (int)&caps) || caps.abi != LRTBF_ABI || caps.irq != -1 ||
	    !caps.records || caps.port[0])
		return 2;
	if (call(IOCTL, fd, LRTBF_SETUP, (int)&setup))
		return 3;
	if (call(IOCTL, fd, LRTBF_START, 0))
		return 4;
	n = call(READ, fd, (int)records, sizeof(records));
	if (n != 10 * sizeof(records[0]))
		return 5;
	for (n = 1; n < 10; n++)
		if (records[n].seq <= records[n - 1].seq || records[n].flags ||
		    records[n].at_ns - records[n - 1].at_ns !=
			    (records[n].seq - records[n - 1].seq) * setup.period_ns)
			return 6;
	if (call(IOCTL, fd, LRTBF_COUNTERS, (int)&counters) || counters.samples != 10 ||
	    counters.stop != LRTBF_STOP_COUNT || counters.lost_records)
		return 7;
	return call(IOCTL, fd, LRTBF_STOP, 0) ? 8 : 0;
}

__attribute__((force_align_arg_pointer)) void _start(void)
{
	call(EXIT, wrong_step(), 0, 0);
	__builtin_unreachable();
}
