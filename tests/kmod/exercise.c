// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Drives lrtbf.ko from user space, for test_kmod.py:
 *
 *   exercise run DEVICE [NAME=VALUE...]
 *       set up, start, read records, stop; result as JSON
 *   exercise bad DEVICE
 *       requests that must be refused; the first that is not fails
 *   exercise restart DEVICE
 *       a thread in LRTBF_WAIT, which cannot run before a stop and the next start are over
 *
 * NAME: a field of struct lrtbf_setup; `stop_ms`, stop after so long; `again`, run so many times
 * with one open file; `serve=1`, answer with LRTBF_WAIT and LRTBF_ANSWER instead of reading;
 * `lazy=1`, read only after the end. `run` says "started" on standard error once it runs; SIGUSR1
 * stops it. A failing call is told there, with the errno's name, and status 3.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "../../kmod/lrtbf-ioctl.h"

struct tally {
	uint64_t samples, lost, late, discarded, min_ns, max_ns, sum_ns, first_seq, last_seq;
	uint64_t disorder; /* a record before the one before it */
	uint64_t other_cpu;
};

struct order {
	int fd;
	struct lrtbf_setup setup;
	uint64_t stop_ms, again, serve, lazy;
	bool ended;
};

static void fail(const char *what)
{
	fprintf(stderr, "%s: %s\n", what, strerrorname_np(errno));
	exit(3);
}

static void tally_add(struct tally *tally, const struct lrtbf_record *record, int cpu)
{
	if (record->flags & LRTBF_RECORD_LOST)
		tally->lost++;
	if (record->flags & LRTBF_RECORD_LATE)
		tally->late++;
	if (record->flags & LRTBF_RECORD_DISCARDED)
		tally->discarded++;
	if (record->flags)
		return;
	if (!tally->samples)
		tally->first_seq = record->seq;
	else if (record->seq <= tally->last_seq)
		tally->disorder++;
	if (!tally->samples || record->latency_ns < tally->min_ns)
		tally->min_ns = record->latency_ns;
	if (record->latency_ns > tally->max_ns)
		tally->max_ns = record->latency_ns;
	if (cpu >= 0 && record->cpu != (uint32_t)cpu)
		tally->other_cpu++;
	tally->sum_ns += record->latency_ns;
	tally->last_seq = record->seq;
	tally->samples++;
}

static void read_all(const struct order *order, struct tally *tally)
{
	struct lrtbf_record records[512];
	ssize_t n;

	while ((n = read(order->fd, records, sizeof(records))) > 0)
		for (size_t i = 0; i < n / sizeof(records[0]); i++)
			tally_add(tally, &records[i], order->setup.cpu);
	if (n < 0)
		fail("read");
}

/* Stops it when it is asked to, by time or by signal. */
static void *stop_when_asked(void *data)
{
	const struct timespec tick = { .tv_nsec = 20000000 };
	const struct order *order = data;
	sigset_t asked;

	sigemptyset(&asked);
	sigaddset(&asked, SIGUSR1);
	for (uint64_t ms = 0; !order->stop_ms || ms < order->stop_ms; ms += 20) {
		if (__atomic_load_n(&order->ended, __ATOMIC_ACQUIRE))
			return NULL;
		if (sigtimedwait(&asked, NULL, &tick) == SIGUSR1)
			break;
	}
	if (ioctl(order->fd, LRTBF_STOP))
		fail("STOP");
	return NULL;
}

static void serve(const struct order *order)
{
	for (;;) {
		struct lrtbf_wait wait = { .size = sizeof(wait) };

		if (ioctl(order->fd, LRTBF_WAIT, &wait)) {
			if (errno != ECANCELED && errno != ENODEV)
				fail("WAIT");
			return;
		}
		if (ioctl(order->fd, LRTBF_ANSWER) && errno != ECANCELED)
			fail("ANSWER");
	}
}

static void wait_for_end(const struct order *order)
{
	struct pollfd poll_end = { .fd = order->fd, .events = 0 };

	if (poll(&poll_end, 1, -1) != 1 || !(poll_end.revents & POLLHUP))
		fail("poll");
}

static void print_result(const struct order *order, const struct tally *tally)
{
	struct lrtbf_counters c = { .size = sizeof(c) };
	struct lrtbf_caps caps = { .size = sizeof(caps) };

	if (ioctl(order->fd, LRTBF_COUNTERS, &c))
		fail("COUNTERS");
	if (ioctl(order->fd, LRTBF_CAPS, &caps))
		fail("CAPS");
#define FIELD(name) printf("\"" #name "\": %lld, ", (long long)c.name)
	printf("{");
	FIELD(running), FIELD(stop), FIELD(context), FIELD(thread), FIELD(priority), FIELD(worker);
	FIELD(pulses), FIELD(answers), FIELD(samples), FIELD(lost), FIELD(late), FIELD(discarded);
	FIELD(strays), FIELD(interrupts), FIELD(missed), FIELD(lost_records);
	FIELD(off_ns), FIELD(off_max_ns), FIELD(resolution_ns);
	printf("\"access_ns\": %llu, \"irq\": %d, \"port\": \"%s\", ",
	       (unsigned long long)caps.access_ns, caps.irq, caps.port);
	printf("\"read\": {\"samples\": %" PRIu64 ", \"lost\": %" PRIu64 ", \"late\": %" PRIu64
	       ", \"discarded\": %" PRIu64 ", \"min_ns\": %" PRIu64 ", \"max_ns\": %" PRIu64
	       ", \"avg_ns\": %" PRIu64 ", \"first_seq\": %" PRIu64 ", \"last_seq\": %" PRIu64
	       ", \"disorder\": %" PRIu64 ", \"other_cpu\": %" PRIu64 "}}\n",
	       tally->samples, tally->lost, tally->late, tally->discarded, tally->min_ns,
	       tally->max_ns, tally->samples ? tally->sum_ns / tally->samples : 0, tally->first_seq,
	       tally->last_seq, tally->disorder, tally->other_cpu);
	fflush(stdout);
}

static void run_once(struct order *order)
{
	struct tally tally = {};
	pthread_t stopper;

	if (ioctl(order->fd, LRTBF_SETUP, &order->setup))
		fail("SETUP");
	if (ioctl(order->fd, LRTBF_START))
		fail("START");
	order->ended = false;
	fprintf(stderr, "started\n");
	pthread_create(&stopper, NULL, stop_when_asked, order);
	if (order->serve)
		serve(order);
	if (order->lazy)
		wait_for_end(order);
	read_all(order, &tally);
	__atomic_store_n(&order->ended, true, __ATOMIC_RELEASE);
	pthread_join(stopper, NULL);
	/* what it needs to print stays what it was */
	if (ioctl(order->fd, LRTBF_STOP))
		fail("STOP");
	print_result(order, &tally);
}

static void parse(struct order *order, const char *word)
{
	static const struct {
		const char *name;
		size_t offset, size;
	} fields[] = {
#define SETUP(name)                                                                                \
	{ #name, offsetof(struct order, setup.name), sizeof(((struct lrtbf_setup *)0)->name) }
#define OWN(name)                                                                                  \
	{                                                                                          \
#name, offsetof(struct order, name), sizeof(uint64_t)                              \
	}
		SETUP(role),	   SETUP(answer),   SETUP(receive),	  SETUP(period_ns),
		SETUP(timeout_ns), SETUP(count),    SETUP(priority),	  SETUP(cpu),
		SETUP(losses_max), SETUP(rate_max), SETUP(off_share_max), SETUP(flags),
		SETUP(watermark),  OWN(stop_ms),    OWN(again),		  OWN(serve),
		OWN(lazy),
	};
	const char *equals = strchr(word, '=');

	for (size_t i = 0; equals && i < sizeof(fields) / sizeof(fields[0]); i++) {
		uint64_t value = strtoll(equals + 1, NULL, 0);

		if (strlen(fields[i].name) == (size_t)(equals - word) &&
		    !strncmp(fields[i].name, word, equals - word)) {
			memcpy((char *)order + fields[i].offset, &value, fields[i].size);
			return;
		}
	}
	fprintf(stderr, "what is %s?\n", word);
	exit(64);
}

static int verb_run(const char *device, char **words)
{
	struct order order = { .setup = { .size = sizeof(order.setup), .cpu = -1 }, .again = 1 };

	sigset_t asked;

	for (; *words; words++)
		parse(&order, *words);
	sigemptyset(&asked);
	sigaddset(&asked, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &asked, NULL);
	order.fd = open(device, O_RDWR | O_CLOEXEC);
	if (order.fd < 0)
		fail("open");
	while (order.again--)
		run_once(&order);
	close(order.fd);
	return 0;
}

static void expect_at(int line, int fd, int error, unsigned long request, void *argument)
{
	int r = ioctl(fd, request, argument);

	if (r != -1 || errno != error) {
		fprintf(stderr, "line %d: %s, not %s\n", line, r ? strerrorname_np(errno) : "done",
			strerrorname_np(error));
		exit(1);
	}
}
#define expect(fd, error, request, argument)                                                       \
	expect_at(__LINE__, fd, error, request, (void *)(argument))

#define SIZED(request, size) _IOC(_IOC_DIR(request), _IOC_TYPE(request), _IOC_NR(request), size)

static void bad_sizes(int fd)
{
	char room[8192] = {};
	struct lrtbf_setup setup = { .size = sizeof(setup) - 8, .role = 1, .period_ns = 1000000 };

	expect(fd, EINVAL, LRTBF_SETUP, &setup); /* two sizes */
	expect(fd, EINVAL, SIZED(LRTBF_SETUP, sizeof(setup) - 8), &setup);
	*(uint32_t *)room = 8191;
	expect(fd, EINVAL, SIZED(LRTBF_SETUP, 8191), room);
	*(uint32_t *)room = sizeof(setup) + 8;
	room[sizeof(setup)] = 1; /* what only a later kernel knows */
	expect(fd, E2BIG, SIZED(LRTBF_SETUP, sizeof(setup) + 8), room);
	expect(fd, EINVAL, SIZED(LRTBF_CAPS, 0), room);
	expect(fd, ENOTTY, SIZED(LRTBF_START, 8), room);
	*(uint32_t *)room = 0;
	expect(fd, EINVAL, LRTBF_CAPS, room);
	expect(fd, EINVAL, LRTBF_COUNTERS, room);
	expect(fd, EINVAL, LRTBF_WAIT, room);
}

static void bad_pointers(int fd)
{
	static const unsigned long requests[] = { LRTBF_CAPS, LRTBF_SETUP, LRTBF_COUNTERS,
						  LRTBF_WAIT };
	long page = sysconf(_SC_PAGESIZE);
	char *pages =
		mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	munmap(pages + page, page);
	for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++) {
		char *half = pages + page - 8;

		*(uint32_t *)half = _IOC_SIZE(requests[i]);
		expect(fd, EFAULT, requests[i], NULL);
		expect(fd, EFAULT, requests[i], -4096L);
		expect(fd, EFAULT, requests[i], half);
	}
	munmap(pages, page);
}

static void bad_values(int fd, bool port)
{
	const struct lrtbf_setup good = { .size = sizeof(good),
					  .role = port ? LRTBF_ROLE_LOOPBACK : LRTBF_ROLE_TIMER_IRQ,
					  .period_ns = 1000000,
					  .cpu = -1 };
	struct lrtbf_setup setup;

	expect(fd, EINVAL, LRTBF_START, 0);
#define BAD(field, value)                                                                          \
	(setup = good, setup.field = value, expect(fd, EINVAL, LRTBF_SETUP, &setup))
	BAD(role, 0);
	BAD(role, 6);
	BAD(role, 4000000000u);
	BAD(role, port ? LRTBF_ROLE_TIMER_IRQ : LRTBF_ROLE_LOOPBACK);
	BAD(period_ns, 0);
	BAD(period_ns, 19999);
	BAD(period_ns, 10000000001);
	BAD(period_ns, UINT64_MAX);
	BAD(timeout_ns, 500001);
	BAD(timeout_ns, UINT64_MAX);
	BAD(priority, 99);
	BAD(cpu, -2);
	BAD(cpu, 1 << 20);
	BAD(cpu, INT32_MAX);
	BAD(rate_max, 99);
	BAD(rate_max, 1000001);
	BAD(off_share_max, 901);
	BAD(flags, 3);
	BAD(watermark, 16385);
	BAD(reserved, 1);
	BAD(answer, 1);
	BAD(receive, 1);
	expect(fd, EINVAL, LRTBF_START, 0);
	setup = good;
	if (ioctl(fd, LRTBF_SETUP, &setup))
		fail("SETUP");
}

static void bad_port_values(int fd)
{
	struct lrtbf_setup logger = { .size = sizeof(logger),
				      .role = LRTBF_ROLE_LOGGER,
				      .period_ns = 1000000000,
				      .cpu = -1 },
			   target = { .size = sizeof(target),
				      .role = LRTBF_ROLE_TARGET,
				      .cpu = -1 };

	expect(fd, EINVAL, LRTBF_SETUP, &logger);
	logger.receive = 3;
	expect(fd, EINVAL, LRTBF_SETUP, &logger);
	logger.receive = LRTBF_RECEIVE_POLL;
	logger.timeout_ns = 10000001; /* with interrupts off */
	expect(fd, EINVAL, LRTBF_SETUP, &logger);
	logger.timeout_ns = 0;
	logger.flags = LRTBF_SETUP_STROBE;
	expect(fd, EINVAL, LRTBF_SETUP, &logger);
	expect(fd, EINVAL, LRTBF_SETUP, &target);
	target.answer = 4;
	expect(fd, EINVAL, LRTBF_SETUP, &target);
	target.answer = LRTBF_ANSWER_HANDLER;
	target.period_ns = 1000000;
	expect(fd, EINVAL, LRTBF_SETUP, &target);
}

static void bad_reads(int fd)
{
	char room[64];
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };

	if (read(fd, room, 31) != -1 || errno != EINVAL || read(fd, room, 64) != 0 ||
	    write(fd, room, 32) != -1 || lseek(fd, 0, SEEK_SET) != -1 ||
	    poll(&poll_fd, 1, 0) != 1 || !(poll_fd.revents & POLLHUP))
		fail("read, write, lseek or poll of what does not run");
}

static void bad_while_running(int fd)
{
	struct lrtbf_setup setup = { .size = sizeof(setup) };
	struct lrtbf_wait wait = { .size = sizeof(wait) };
	char room[32], *nowhere;

	if (ioctl(fd, LRTBF_START))
		fail("START");
	expect(fd, EBUSY, LRTBF_START, 0);
	expect(fd, EBUSY, LRTBF_SETUP, &setup);
	expect(fd, EINVAL, LRTBF_WAIT, &wait);
	expect(fd, EINVAL, LRTBF_ANSWER, 0);
	usleep(200000);
	nowhere = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (read(fd, nowhere, 32) != -1 || errno != EFAULT)
		fail("read to nowhere");
	if (read(fd, room, 32) != 32)
		fail("read");
	if (ioctl(fd, LRTBF_STOP) || ioctl(fd, LRTBF_STOP))
		fail("STOP");
	expect(fd, ECANCELED, LRTBF_WAIT, &wait);
	expect(fd, ECANCELED, LRTBF_ANSWER, 0);
}

static int verb_bad(const char *device)
{
	int fd = open(device, O_RDWR | O_CLOEXEC);
	struct lrtbf_caps caps = { .size = sizeof(caps) };

	if (fd < 0)
		fail("open");
	if (ioctl(fd, LRTBF_CAPS, &caps))
		fail("CAPS");
	expect(fd, ENOTTY, 0, 0);
	expect(fd, ENOTTY, _IO('L', 0xb7), 0);
	expect(fd, ENOTTY, _IO('M', 0xb2), 0);
	expect(fd, ENOTTY, -1, -1);
	bad_sizes(fd);
	bad_pointers(fd);
	bad_reads(fd);
	if (caps.port[0])
		bad_port_values(fd);
	bad_values(fd, caps.port[0]);
	bad_while_running(fd);
	close(fd);
	return 0;
}

static void own_cpu(int cpu)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus))
		fail("sched_setaffinity");
}

static void *wait_once(void *data)
{
	struct lrtbf_wait wait = { .size = sizeof(wait) };
	int fd = *(const int *)data;

	own_cpu(1);
	return (void *)(intptr_t)(ioctl(fd, LRTBF_WAIT, &wait) ? errno : 0);
}

static void *keep_cpu(void *data)
{
	const struct sched_param fifo = { .sched_priority = 1 };
	const bool *ended = data;

	own_cpu(1);
	if (sched_setscheduler(0, SCHED_FIFO, &fifo))
		fail("sched_setscheduler");
	while (!__atomic_load_n(ended, __ATOMIC_ACQUIRE))
		sched_yield(); /* to the kernel's own threads of that class */
	return NULL;
}

/* The thread asked about a run that has ended since: the one after it is none of its business. */
static int verb_restart(const char *device)
{
	struct lrtbf_setup setup = { .size = sizeof(setup),
				     .role = LRTBF_ROLE_TARGET,
				     .answer = LRTBF_ANSWER_USER,
				     .cpu = -1 };
	struct timespec until;
	pthread_t waiter, keeper;
	bool ended = false;
	void *error;
	int fd = open(device, O_RDWR | O_CLOEXEC);

	if (fd < 0)
		fail("open");
	own_cpu(0);
	if (ioctl(fd, LRTBF_SETUP, &setup) || ioctl(fd, LRTBF_START))
		fail("START");
	pthread_create(&waiter, NULL, wait_once, &fd);
	usleep(500000);
	pthread_create(&keeper, NULL, keep_cpu, &ended);
	usleep(100000);
	if (ioctl(fd, LRTBF_STOP) || ioctl(fd, LRTBF_START))
		fail("STOP and START");
	__atomic_store_n(&ended, true, __ATOMIC_RELEASE);
	pthread_join(keeper, NULL);
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += 20;
	errno = pthread_timedjoin_np(waiter, &error, &until);
	if (errno)
		fail("the thread that waits");
	errno = (int)(intptr_t)error;
	if (errno != ECANCELED)
		fail("WAIT");
	return 0;
}

int main(int argc, char **argv)
{
	if (argc >= 3 && !strcmp(argv[1], "run"))
		return verb_run(argv[2], argv + 3);
	if (argc == 3 && !strcmp(argv[1], "bad"))
		return verb_bad(argv[2]);
	if (argc == 3 && !strcmp(argv[1], "restart"))
		return verb_restart(argv[2]);
	fprintf(stderr, "usage: exercise run|bad|restart DEVICE ...\n");
	return 64;
}
