// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Requests, reads and polls of any kind, COUNT by each of four threads, for test_kmod.py:
 *
 *   fuzz DEVICE COUNT SEED
 *
 * They have one file between them, which each of them closes and opens now and then, so that each
 * call meets every other one under way. Most setups are good ones: what is refused at once tests
 * little. The kernel's messages tell whether it was right. Status 3: it cannot be opened, with the
 * errno's name on standard error.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "../../kmod/lrtbf-ioctl.h"

#define SIZED(request, size) _IOC(_IOC_DIR(request), _IOC_TYPE(request), _IOC_NR(request), size)

/* xorshift64*: the same everywhere for the same seed */
static uint64_t random_next(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * 0x2545f4914f6cdd1d;
}

/* What a role wants; one in four with something that it does not. */
static void fuzz_setup(struct lrtbf_setup *setup, uint64_t *state)
{
	uint64_t r = random_next(state);
	uint32_t role = 1 + r % 5;

	*setup = (struct lrtbf_setup){
		.size = sizeof(*setup),
		.role = role,
		.answer = role == LRTBF_ROLE_TARGET ? 1 + (r >> 8) % 3 : 0,
		.receive = role == LRTBF_ROLE_LOGGER ? 1 + (r >> 16 & 1) : 0,
		.period_ns = role == LRTBF_ROLE_TARGET ? 0 : 100000 + (r >> 24 & 0xfffff),
		.count = r >> 44 & 63,
		.cpu = (int)(r >> 50 & 3) - 1,
		.watermark = r >> 52 & 1,
	};
	for (uint64_t i = (r >> 56) % 16; i < 4; i++)
		((uint32_t *)setup)[random_next(state) % (sizeof(*setup) / 4)] = random_next(state);
}

/* What the four threads share. */
struct fuzz {
	const char *device;
	long count;
	int fd;	     /* -1: closed, or another thread's call still has it */
	char *pages; /* one to write to, one to read from, one of nothing */
	long page;
};

struct fuzz_thread {
	struct fuzz *fuzz;
	uint64_t state;
	pthread_t thread;
};

/* Of the caller's memory: good, half good, bad. */
static void *fuzz_pointer(const struct fuzz *fuzz, char *room, uint64_t r)
{
	switch (r % 32) {
	case 0:
		return NULL;
	case 1:
		return (void *)(uintptr_t)(r * 0x9e3779b97f4a7c15);
	case 2:
		return fuzz->pages + fuzz->page - (r >> 8) % 96;
	case 3:
		return fuzz->pages + fuzz->page + (r >> 8) % 96;
	case 4:
		return fuzz->pages + 2 * fuzz->page - (r >> 8) % 96;
	default:
		return room;
	}
}

static unsigned long fuzz_request(uint64_t r)
{
	static const unsigned long requests[] = { LRTBF_CAPS, LRTBF_SETUP, LRTBF_START,
						  LRTBF_STOP, LRTBF_START, LRTBF_COUNTERS,
						  LRTBF_WAIT, LRTBF_ANSWER };
	unsigned long request = r & 0x300 && r & 0x400 ? LRTBF_SETUP : requests[r % 8];

	if ((r >> 16) % 32 == 0)
		return request ^ 1u << (r >> 24 & 31);
	if ((r >> 16) % 32 == 1)
		return SIZED(request, r >> 24 & 0x3fff);
	return request;
}

static void fuzz_one(const struct fuzz *fuzz, uint64_t *state)
{
	union {
		char bytes[16384];
		struct lrtbf_setup setup;
		struct lrtbf_wait wait;
		uint32_t words[4096];
	} room;
	uint64_t r = random_next(state);
	unsigned long request = fuzz_request(r);
	int fd = __atomic_load_n(&fuzz->fd, __ATOMIC_RELAXED);
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };

	memset(room.bytes, r >> 56 & 1, sizeof(room));
	if (_IOC_NR(request) == _IOC_NR(LRTBF_SETUP))
		fuzz_setup(&room.setup, state);
	if (_IOC_NR(request) == _IOC_NR(LRTBF_WAIT))
		room.wait.timeout_ns = r & 1 << 13 ? 0 : 1000000;
	room.words[0] = r >> 36 & 15 ? _IOC_SIZE(request) : random_next(state);
	ioctl(fd, request, fuzz_pointer(fuzz, room.bytes, random_next(state)));
	if (r >> 40 & 1)
		(void)!read(fd, fuzz_pointer(fuzz, room.bytes, random_next(state)),
			    r >> 42 & 0xfff);
	if (r >> 41 & 1)
		poll(&poll_fd, 1, r >> 54 & 3);
}

static void fuzz_reopen(struct fuzz *fuzz, uint64_t r)
{
	int fd = open(fuzz->device, O_RDWR | O_CLOEXEC | (r & 1 << 20 ? O_NONBLOCK : 0));

	/* of a port there is one at a time, so the old one is closed first; another may be quicker
	 */
	if (fd < 0) {
		fd = __atomic_exchange_n(&fuzz->fd, -1, __ATOMIC_RELAXED);
		if (fd >= 0)
			close(fd);
		fd = open(fuzz->device, O_RDWR | O_CLOEXEC | (r & 1 << 20 ? O_NONBLOCK : 0));
	}
	if (fd >= 0)
		fd = __atomic_exchange_n(&fuzz->fd, fd, __ATOMIC_RELAXED);
	if (fd >= 0)
		close(fd);
}

static void *fuzz_thread(void *data)
{
	struct fuzz_thread *self = data;

	for (long i = 0; i < self->fuzz->count; i++) {
		uint64_t r = random_next(&self->state);

		if (r % 128 == 0 || __atomic_load_n(&self->fuzz->fd, __ATOMIC_RELAXED) < 0)
			fuzz_reopen(self->fuzz, r);
		fuzz_one(self->fuzz, &self->state);
	}
	return NULL;
}

static void fuzz_interrupt(int number)
{
	(void)number;
}

/* Who waits without end is interrupted, as often as it takes. */
static void fuzz_join(const struct fuzz_thread *thread)
{
	struct timespec until;

	do {
		pthread_kill(thread->thread, SIGUSR2);
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += 5000000;
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
	} while (pthread_timedjoin_np(thread->thread, NULL, &until));
}

static int fuzz(const char *device, long count, uint64_t seed)
{
	const struct sigaction action = { .sa_handler = fuzz_interrupt };
	struct fuzz shared = { .device = device, .count = count, .page = sysconf(_SC_PAGESIZE) };
	struct fuzz_thread threads[4];

	shared.fd = open(device, O_RDWR | O_CLOEXEC | O_NONBLOCK);
	if (shared.fd < 0) {
		fprintf(stderr, "open: %s\n", strerrorname_np(errno));
		return 3;
	}
	shared.pages = mmap(NULL, 3 * shared.page, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	mprotect(shared.pages + shared.page, shared.page, PROT_READ);
	mprotect(shared.pages + 2 * shared.page, shared.page, PROT_NONE);
	sigaction(SIGUSR2, &action, NULL);
	for (uint64_t i = 0; i < 4; i++) {
		threads[i] = (struct fuzz_thread){ .fuzz = &shared, .state = seed * 8 + i * 2 + 1 };
		pthread_create(&threads[i].thread, NULL, fuzz_thread, &threads[i]);
	}
	for (int i = 0; i < 4; i++)
		fuzz_join(&threads[i]);
	close(shared.fd);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 4)
		return fuzz(argv[1], atol(argv[2]), strtoull(argv[3], NULL, 0));
	fprintf(stderr, "usage: fuzz DEVICE COUNT SEED\n");
	return 64;
}
