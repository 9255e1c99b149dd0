// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A 32-bit caller without a C library, as one for it need not be there: ten periods of a timer
 * through int 0x80, and what is to be refused. Exit status: 0, or the number of the step that went
 * wrong.
 */
#include <asm/errno.h>

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

/* What a 64-bit caller is refused. */
static int refused(int fd)
{
	const int lines[][3] = {
		{ LRTBF_CAPS, 0, EFAULT },
		{ LRTBF_COUNTERS, -4, EFAULT },
		{ LRTBF_SETUP, (int)0xfffff000, EFAULT },
		{ LRTBF_SETUP, (int)&counters, EINVAL },	    /* of another size */
		{ LRTBF_SETUP & ~0x3fff0000, (int)&setup, EINVAL }, /* of none */
		{ LRTBF_ANSWER, 0, ECANCELED },
		{ LRTBF_STOP + 1000, 0, ENOTTY },
	};

	for (unsigned int i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		if (call(IOCTL, fd, lines[i][0], lines[i][1]) != -lines[i][2])
			return 0;
	return call(READ, fd, (int)records, 31) == -EINVAL &&
	       call(READ, fd, (int)records, sizeof(records)) == 0;
}

static int wrong_step(void)
{
	int fd = call(OPEN, (int)"/dev/lrtbf", 2, 0), n, done;

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
	/* a machine that stands still in between gives them in parts */
	for (done = 0; done < 10 * (int)sizeof(records[0]); done += n) {
		n = call(READ, fd, (int)records + done, (int)sizeof(records) - done);
		if (n <= 0)
			return 5;
	}
	for (n = 1; n < 10; n++)
		if (records[n].seq <= records[n - 1].seq || records[n].flags ||
		    records[n].at_ns - records[n - 1].at_ns !=
			    (records[n].seq - records[n - 1].seq) * setup.period_ns)
			return 6;
	if (call(IOCTL, fd, LRTBF_COUNTERS, (int)&counters) || counters.samples != 10 ||
	    counters.stop != LRTBF_STOP_COUNT || counters.lost_records)
		return 7;
	if (call(IOCTL, fd, LRTBF_STOP, 0))
		return 8;
	return refused(fd) ? 0 : 9;
}

__attribute__((force_align_arg_pointer)) void _start(void)
{
	call(EXIT, wrong_step(), 0, 0);
	__builtin_unreachable();
}
