/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stands in for the kernel module lrtbf: preloaded into lrtbf-measure, it answers for /dev/lrtbf
 *and /dev/lrtbf-parport0 as the module would, with latencies of 1000 to 1999 ns. It measures
 *nothing: what is tested with it is everything on this side of the interface. LRTBF_FAKE_MODULE
 *says how:
 *
 *	denied busy		open(2) fails so
 *	abi noirq		another version; a port without an interrupt
 *	held usb offline	LRTBF_START fails so
 *	silent			no answer; ends after 16
 *	lossy			every 10th answer is lost, and every 2nd of these comes late
 *	detached storm suspend	ends so after 100 pulses
 *	full			5 records find no room
 *	late			every 50th period is 2.5 periods late
 *	moved			every 50th is of another CPU
 */
#undef _FILE_OFFSET_BITS /* or open() is open64() */

#include "lrtbf-ioctl.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#define FAKES	64
#define RECORDS 262144

int open(const char *path, int flags, ...);
int open64(const char *path, int flags, ...);
int ioctl(int fd, unsigned long request, ...);

struct fake {
	int fd; /* 0: free */
	bool of_port;
	struct lrtbf_setup setup;
	struct lrtbf_counters c;
	uint64_t start_ns, next_ns, event_ns;
	struct lrtbf_record *records;
	size_t n, taken;
};

static struct fake fakes[FAKES];
static pthread_mutex_t fakes_lock = PTHREAD_MUTEX_INITIALIZER;

static bool how(const char *word)
{
	const char *said = getenv("LRTBF_FAKE_MODULE");

	return said && strcmp(said, word) == 0;
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static struct fake *fake_find(int fd)
{
	for (int i = 0; fd > 0 && i < FAKES; i++)
		if (fakes[i].fd == fd)
			return &fakes[i];
	return NULL;
}

static int fake_fail(int error)
{
	errno = error;
	return -1;
}

/* --- records --- */

static void fake_record(struct fake *f, uint64_t at_ns, uint64_t latency_ns, uint32_t flags)
{
	bool full = how("full") && f->c.pulses >= 50 && f->c.pulses < 55;

	f->c.samples += flags == 0;
	f->c.lost += (flags & LRTBF_RECORD_LOST) != 0;
	f->c.late += (flags & LRTBF_RECORD_LATE) != 0;
	if (full || f->n == RECORDS) {
		f->c.lost_records++;
		return;
	}
	f->records[f->n++] = (struct lrtbf_record){
		.seq = f->c.pulses,
		.at_ns = at_ns,
		.latency_ns = latency_ns,
		.flags = flags,
		.cpu = how("moved") && f->c.pulses % 50 == 49 ? 1000u : (uint32_t)f->setup.cpu,
	};
}

static void fake_end(struct fake *f, uint32_t stop)
{
	if (!f->c.running)
		return;
	f->c.running = 0;
	f->c.stop = stop;
}

/* One pulse or period. */
static void fake_pulse(struct fake *f)
{
	uint64_t at_ns = f->next_ns, period_ns = f->setup.period_ns;
	uint64_t latency_ns = 1000 + f->c.pulses % 1000, missed = 0;

	if (how("late") && f->c.pulses % 50 == 49) {
		latency_ns = period_ns * 5 / 2;
		missed = 2;
	}
	if (how("silent") || (how("lossy") && f->c.pulses % 10 == 9)) {
		fake_record(f, at_ns, 0, LRTBF_RECORD_LOST);
		if (how("lossy") && f->c.pulses % 20 == 19)
			fake_record(f, at_ns, period_ns * 3 / 4, LRTBF_RECORD_LATE);
	} else {
		fake_record(f, at_ns, latency_ns, 0);
		f->c.interrupts++;
	}
	f->c.pulses++;
	f->c.missed += missed;
	f->next_ns += (missed + 1) * period_ns;
	if (how("silent") && f->c.pulses == 16)
		fake_end(f, LRTBF_STOP_LOSSES);
	if (f->c.pulses == 100 && how("detached"))
		fake_end(f, LRTBF_STOP_DETACHED);
	if (f->c.pulses == 100 && how("storm"))
		fake_end(f, LRTBF_STOP_STORM);
	if (f->c.pulses == 100 && how("suspend"))
		fake_end(f, LRTBF_STOP_SUSPEND);
}

static void fake_advance(struct fake *f)
{
	uint64_t now = now_ns();

	while (f->c.running && f->setup.period_ns > 0 && f->next_ns + f->setup.period_ns / 2 <= now)
		fake_pulse(f);
}

/* --- requests --- */

static int fake_caps(struct fake *f, struct lrtbf_caps *caps)
{
	bool irq = f->of_port && !how("noirq");

	*caps = (struct lrtbf_caps){
		.size = sizeof(*caps),
		.abi = how("abi") ? LRTBF_ABI + 1 : LRTBF_ABI,
		.irq = irq ? 7 : -1,
		.access_ns = f->of_port && f->start_ns ? 1234 : 0,
		.records = RECORDS,
		.roles = !f->of_port ? 1u << LRTBF_ROLE_TIMER_IRQ | 1u << LRTBF_ROLE_TIMER_KTHREAD
			 : irq	     ? 1u << LRTBF_ROLE_LOOPBACK | 1u << LRTBF_ROLE_TARGET |
					 1u << LRTBF_ROLE_LOGGER
			       : 1u << LRTBF_ROLE_LOGGER,
	};
	if (f->of_port)
		strcpy(caps->port, "parport0");
	return 0;
}

static int fake_start(struct fake *f)
{
	if (how("held"))
		return fake_fail(EBUSY);
	if (how("usb"))
		return fake_fail(EOPNOTSUPP);
	if (how("offline"))
		return fake_fail(ENXIO);
	f->start_ns = now_ns();
	f->next_ns = f->start_ns + f->setup.period_ns;
	f->c = (struct lrtbf_counters){
		.running = 1,
		.context = LRTBF_CONTEXT_THREAD,
		.thread = getpid(),
		.resolution_ns = f->of_port ? 1234 : 0,
	};
	return 0;
}

/* A target's logger asks every 2 ms. */
static int fake_wait(struct fake *f)
{
	struct timespec t = { .tv_nsec = 2000000 };

	pthread_mutex_unlock(&fakes_lock);
	nanosleep(&t, NULL);
	pthread_mutex_lock(&fakes_lock);
	if (!f->c.running)
		return fake_fail(ECANCELED);
	f->event_ns = now_ns();
	f->c.interrupts++;
	return 0;
}

static int fake_answer(struct fake *f)
{
	f->c.answers++;
	fake_record(f, f->event_ns, 1500, 0);
	return 0;
}

static int fake_request(struct fake *f, unsigned long request, void *argument)
{
	switch (request) {
	case LRTBF_CAPS:
		return fake_caps(f, argument);
	case LRTBF_SETUP:
		f->setup = *(const struct lrtbf_setup *)argument;
		return 0;
	case LRTBF_START:
		return fake_start(f);
	case LRTBF_STOP:
		fake_advance(f);
		fake_end(f, LRTBF_STOP_ASKED);
		return 0;
	case LRTBF_COUNTERS:
		fake_advance(f);
		f->c.size = sizeof(f->c);
		*(struct lrtbf_counters *)argument = f->c;
		return 0;
	case LRTBF_WAIT:
		return fake_wait(f);
	case LRTBF_ANSWER:
		return fake_answer(f);
	}
	return fake_fail(ENOTTY);
}

/* --- what is called instead of the C library --- */

static int fake_open(const char *path)
{
	struct fake *f = NULL;

	if (how("denied"))
		return fake_fail(EACCES);
	if (how("busy"))
		return fake_fail(EBUSY);
	if (strcmp(path, "/dev/lrtbf") != 0 && strcmp(path, "/dev/lrtbf-parport0") != 0)
		return fake_fail(ENOENT);
	pthread_mutex_lock(&fakes_lock);
	for (int i = 0; i < FAKES && !f; i++)
		if (fakes[i].fd == 0)
			f = &fakes[i];
	if (f) {
		*f = (struct fake){ .of_port = strcmp(path, "/dev/lrtbf") != 0 };
		f->records = calloc(RECORDS, sizeof(*f->records));
		f->fd = dup(STDERR_FILENO); /* any number that is nobody else's */
	}
	pthread_mutex_unlock(&fakes_lock);
	return f ? f->fd : fake_fail(EBUSY);
}

static int fake_open_any(const char *name, const char *path, int flags, int mode)
{
	int (*real)(const char *, int, ...) =
		(int (*)(const char *, int, ...))dlsym(RTLD_NEXT, name);

	return strncmp(path, "/dev/lrtbf", 10) == 0 ? fake_open(path) : real(path, flags, mode);
}

int open(const char *path, int flags, ...)
{
	va_list ap;
	int mode;

	va_start(ap, flags);
	mode = flags & O_CREAT ? va_arg(ap, int) : 0;
	va_end(ap);
	return fake_open_any("open", path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
	va_list ap;
	int mode;

	va_start(ap, flags);
	mode = flags & O_CREAT ? va_arg(ap, int) : 0;
	va_end(ap);
	return fake_open_any("open64", path, flags, mode);
}

int close(int fd)
{
	int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, "close");
	struct fake *f;

	pthread_mutex_lock(&fakes_lock);
	f = fake_find(fd);
	if (f) {
		free(f->records);
		*f = (struct fake){ 0 };
	}
	pthread_mutex_unlock(&fakes_lock);
	return real(fd);
}

int ioctl(int fd, unsigned long request, ...)
{
	int (*real)(int, unsigned long, ...) =
		(int (*)(int, unsigned long, ...))dlsym(RTLD_NEXT, "ioctl");
	struct fake *f;
	void *argument;
	va_list ap;
	int r;

	va_start(ap, request);
	argument = va_arg(ap, void *);
	va_end(ap);
	pthread_mutex_lock(&fakes_lock);
	f = fake_find(fd);
	r = f ? fake_request(f, request, argument) : 0;
	pthread_mutex_unlock(&fakes_lock);
	return f ? r : real(fd, request, argument);
}

ssize_t read(int fd, void *buffer, size_t size)
{
	ssize_t (*real)(int, void *, size_t) =
		(ssize_t(*)(int, void *, size_t))dlsym(RTLD_NEXT, "read");
	struct fake *f;
	size_t n = 0;

	pthread_mutex_lock(&fakes_lock);
	f = fake_find(fd);
	if (f) {
		fake_advance(f);
		n = size / sizeof(*f->records);
		if (n > f->n - f->taken)
			n = f->n - f->taken;
		memcpy(buffer, f->records + f->taken, n * sizeof(*f->records));
		f->taken += n;
	}
	pthread_mutex_unlock(&fakes_lock);
	if (!f)
		return real(fd, buffer, size);
	return n > 0 || !f->c.running ? (ssize_t)(n * sizeof(*f->records)) : fake_fail(EAGAIN);
}

int ppoll(struct pollfd *fds, nfds_t n, const struct timespec *timeout, const sigset_t *mask)
{
	int (*real)(struct pollfd *, nfds_t, const struct timespec *, const sigset_t *) =
		(int (*)(struct pollfd *, nfds_t, const struct timespec *, const sigset_t *))dlsym(
			RTLD_NEXT, "ppoll");
	struct fake *f;
	bool running;

	pthread_mutex_lock(&fakes_lock);
	f = n == 1 ? fake_find(fds->fd) : NULL;
	running = f && f->c.running;
	pthread_mutex_unlock(&fakes_lock);
	if (!f)
		return real(fds, n, timeout, mask);
	if (!running) {
		fds->revents = POLLIN | POLLHUP;
		return 1;
	}
	fds->revents = 0;
	return nanosleep(timeout, NULL) < 0 ? -1 : 0;
}
