/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why a file and no pipe: the measuring thread must never wait for a reader, and what it has
 * measured must outlive both it and the daemon. Why tmpfs only: on a disk file system writeback
 * write-protects the pages every few seconds, mlock or not, and the next sample pays the fault.
 *
 * Why the reader copies a block in pieces it knows to be in use: a whole block is 160 KiB, most of
 * it the table of blocks that a short stage never fills; the shorter the copy, the faster a writer
 * it can keep up with.
 *
 * Why the mapping has a page in front: unmapping needs its size, and the size in the header can be
 * changed by the process on the other side.
 */
#include "region-record.h"

#include "cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#define READ_TRIES 256

static size_t page_up(size_t n)
{
	size_t page = sysconf(_SC_PAGESIZE);

	return (n + page - 1) / page * page;
}

static size_t region_cpu_size(void)
{
	return page_up(sizeof(struct region_cpu));
}

static size_t region_cpu_offset(void)
{
	return page_up(sizeof(struct region_header));
}

size_t region_size(unsigned n_cpus)
{
	return region_cpu_offset() + n_cpus * region_cpu_size();
}

void region_format(void *map, const cpu_set_t *cpus)
{
	struct region_header *h = map;
	unsigned n = 0;

	*h = (struct region_header){
		.magic = REGION_MAGIC,
		.version = REGION_VERSION,
		.n_cpus = CPU_COUNT(cpus),
		.size = region_size(CPU_COUNT(cpus)),
		.cpu_offset = region_cpu_offset(),
		.cpu_size = region_cpu_size(),
		.phase = REGION_EMPTY,
		.dma_latency_us = -1,
	};
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		struct region_cpu *c;

		if (!CPU_ISSET(cpu, cpus))
			continue;
		c = region_cpu(h, n++);
		c->cpu = cpu;
		figures_init(&c->figures);
	}
}

static int region_check_file(int fd)
{
	struct statfs fs;

	if (fstatfs(fd, &fs) < 0)
		return -errno;
	return fs.f_type == TMPFS_MAGIC ? 0 : -EMEDIUMTYPE;
}

static int region_fill_file(int fd, const cpu_set_t *cpus)
{
	size_t size = region_size(CPU_COUNT(cpus));
	void *map;
	int r;

	r = region_check_file(fd);
	if (r < 0)
		return r;
	r = posix_fallocate(fd, 0, size); /* now, not as a SIGBUS later */
	if (r > 0)
		return -r;
	map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		return -errno;
	region_format(map, cpus);
	(void)munmap(map, size); /* the size is the one just mapped: cannot fail */
	return 0;
}

int region_create(const char *path, const cpu_set_t *cpus, int *ret_fd)
{
	g_auto(fd_t) fd = -1;
	int r;

	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return -errno;
	r = region_fill_file(fd, cpus);
	if (r < 0) {
		(void)unlink(path); /* made a moment ago; the first error is the one that counts */
		return r;
	}
	*ret_fd = fd_steal(&fd);
	return 0;
}

int region_create_anonymous(const cpu_set_t *cpus, int *ret_fd)
{
	g_auto(fd_t) fd = memfd_create("lrtbf-region", MFD_CLOEXEC);
	int r;

	if (fd < 0)
		return -errno;
	r = region_fill_file(fd, cpus);
	if (r < 0)
		return r;
	*ret_fd = fd_steal(&fd);
	return 0;
}

/* The file behind a page of our own that holds the size. */
static int region_map_sized(int fd, bool writable, size_t size, void **ret)
{
	int prot = PROT_READ | (writable ? PROT_WRITE : 0);
	size_t front = page_up(sizeof(size_t));
	char *base;

	base = mmap(NULL, front + size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (base == MAP_FAILED)
		return -errno;
	if (mmap(base + front, size, prot, MAP_SHARED | MAP_FIXED, fd, 0) == MAP_FAILED) {
		int r = -errno;

		(void)munmap(base, front + size); /* cannot fail for what was just mapped */
		return r;
	}
	*(size_t *)base = size;
	*ret = base + front;
	return 0;
}

int region_map(int fd, bool writable, struct region_header **ret)
{
	struct stat st;
	void *map = NULL;
	int r;

	if (fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EBADMSG;
	r = region_check_file(fd);
	if (r < 0)
		return r;
	if ((size_t)st.st_size < region_size(1) || (size_t)st.st_size > region_size(CPU_SETSIZE))
		return -EBADMSG;
	r = region_map_sized(fd, writable, st.st_size, &map);
	if (r < 0)
		return r;
	r = region_check(map, st.st_size, NULL);
	if (r < 0) {
		region_unmap(map);
		return r;
	}
	*ret = map;
	return 0;
}

size_t region_mapped(const struct region_header *h)
{
	return *(const size_t *)((const char *)h - page_up(sizeof(size_t)));
}

void region_unmap(struct region_header *h)
{
	size_t front = page_up(sizeof(size_t));

	if (h)
		(void)munmap((char *)h - front,
			     front + region_mapped(h)); /* our own page says how much */
}

struct region_cpu *region_cpu(struct region_header *h, unsigned i)
{
	return (struct region_cpu *)((char *)h + region_cpu_offset() + i * region_cpu_size());
}

void region_begin(struct region_cpu *c)
{
	region_begin_inline(c);
}

void region_end(struct region_cpu *c)
{
	region_end_inline(c);
}

uint64_t region_record(struct region_cpu *c, uint64_t latency_ns, uint64_t at_ns, int64_t shift_ns)
{
	struct record_place place = { 0 };

	return region_record_inline(c, &place, latency_ns, at_ns, c->next_ns, c->interval_ns,
				    shift_ns);
}

/* To the first grid point after @passed more of them, moved by @shift_ns. */
static uint64_t region_advance(struct region_cpu *c, uint64_t latency_ns, uint64_t at_ns,
			       uint64_t passed, int64_t shift_ns)
{
	c->next_ns += (passed + 1) * c->interval_ns + (uint64_t)shift_ns;
	c->last_ns = latency_ns;
	c->last_at_ns = at_ns;
	return c->next_ns;
}

uint64_t region_migrate(struct region_cpu *c, uint64_t latency_ns, uint64_t at_ns, int64_t shift_ns)
{
	uint64_t passed = 0, next_ns;

	region_begin_inline(c);
	c->figures.migrated++;
	if (c->interval_ns > 0)
		passed = record_miss(&c->figures, latency_ns, c->interval_ns);
	next_ns = region_advance(c, latency_ns, at_ns, passed, shift_ns);
	region_end_inline(c);
	return next_ns;
}

uint64_t region_warm_up(struct region_cpu *c, uint64_t latency_ns, uint64_t at_ns,
			uint64_t begin_ns, int64_t shift_ns)
{
	uint64_t passed = latency_ns / c->interval_ns,
		 last_ns = c->next_ns + passed * c->interval_ns;
	uint64_t missed = 0, next_ns;

	if (passed > 0 && last_ns >= begin_ns)
		missed = MIN(passed, (last_ns - begin_ns) / c->interval_ns + 1);
	region_begin_inline(c);
	c->figures.warmup++;
	c->figures.warmup_max_ns = MAX(c->figures.warmup_max_ns, latency_ns);
	(void)record_missed(&c->figures, latency_ns - (passed - missed) * c->interval_ns,
			    c->interval_ns); /* @missed of them */
	c->grid_ns += (passed - missed + 1) * c->interval_ns;
	next_ns = region_advance(c, latency_ns, at_ns, passed, shift_ns);
	region_end_inline(c);
	return next_ns;
}

uint64_t region_skip(struct region_cpu *c, uint64_t now_ns)
{
	uint64_t left_out = 0;

	if (now_ns >= c->next_ns && c->interval_ns > 0)
		left_out = ((now_ns - c->next_ns) / c->interval_ns + 1) * c->interval_ns;
	region_begin_inline(c);
	c->grid_ns += left_out;
	c->next_ns += left_out;
	region_end_inline(c);
	return c->next_ns;
}

void region_set_phase(struct region_header *h, enum region_phase phase)
{
	__atomic_store_n(&h->phase, phase, __ATOMIC_RELEASE);
}

enum region_phase region_phase(const struct region_header *h)
{
	return __atomic_load_n(&h->phase, __ATOMIC_ACQUIRE);
}

void region_close_cpu(struct region_cpu *c, uint64_t now_mono_ns)
{
	uint64_t n;

	if (!c->started || c->done || c->batched || c->interval_ns == 0)
		return;
	n = figures_close(&c->figures, c->next_ns, c->interval_ns, now_mono_ns);
	c->next_ns += n * c->interval_ns;
}

/* A word at a time, so that no counter is seen half-written. */
static void copy_words(void *dst, const void *src, size_t size)
{
	const uint64_t *from = src;
	uint64_t *to = dst;

	for (size_t i = 0; i < size / sizeof(*to); i++)
		to[i] = __atomic_load_n(&from[i], __ATOMIC_RELAXED);
}

G_STATIC_ASSERT(sizeof(struct region_cpu) % sizeof(uint64_t) == 0);
G_STATIC_ASSERT(offsetof(struct region_cpu, figures.blocks) % sizeof(uint64_t) == 0);

static void region_copy_cpu(const struct region_cpu *src, struct region_cpu *ret)
{
	size_t head = offsetof(struct region_cpu, figures.blocks);
	size_t used;

	copy_words(ret, src, head);
	used = MIN(ret->figures.n_blocks, FIGURES_BLOCKS) * sizeof(struct figures_block);
	copy_words(ret->figures.blocks, src->figures.blocks, used);
	memset((char *)ret->figures.blocks + used, 0, sizeof(ret->figures.blocks) - used);
}

/* 0: quiet from before the copy until after it. */
static int region_try_copy(const struct region_cpu *src, struct region_cpu *ret)
{
	uint32_t before = __atomic_load_n(&src->seq, __ATOMIC_ACQUIRE);

	if (before & 1)
		return -EAGAIN;
	region_copy_cpu(src, ret);
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if (__atomic_load_n(&src->seq, __ATOMIC_RELAXED) != before)
		return -EAGAIN;
	ret->seq = before;
	return 0;
}

/*
 * Where the grid stands follows from the buckets as well, whichever step the kill cut in two: the
 * point whose sample is there has elapsed, and no other has.
 */
static void region_rebuild_cpu(struct region_cpu *c)
{
	uint64_t i = c->interval_ns, n;

	figures_rebuild(&c->figures);
	if (i == 0)
		return;
	n = figures_corrected_count(&c->figures) + c->figures.migrated;
	/* what is over a multiple of the interval is the dither */
	c->next_ns = c->grid_ns + n * i + (c->next_ns % i + i - c->grid_ns % i) % i;
}

/* What the arithmetic of a close may rely on. */
static bool region_cpu_sane(const struct region_cpu *c)
{
	return c->cpu >= 0 && c->cpu < CPU_SETSIZE && c->started <= 1 && c->done <= 1 &&
	       c->batched <= 1 && (c->interval_ns == 0 || c->next_ns >= c->grid_ns);
}

static bool region_port_sane(const struct region_port *p)
{
	return p->known <= 1 && p->role < _ROLE_MAX && p->answer < _ROLE_ANSWER_MAX &&
	       p->receive < _ROLE_RECEIVE_MAX && p->stop < _REGION_STOP_MAX;
}

static void printable(char *text, size_t size)
{
	text[size - 1] = '\0';
	for (; *text; text++)
		if (!g_ascii_isprint(*text))
			*text = '?';
}

int region_read_cpu(const void *map, size_t size, unsigned i, struct region_cpu *ret)
{
	struct region_header h;
	const struct region_cpu *src;
	int r;

	if (region_check(map, size, &h) < 0 || i >= h.n_cpus)
		return -EBADMSG;
	src = region_cpu((struct region_header *)map, i);
	r = -EAGAIN;
	for (unsigned try = 0; try < READ_TRIES && r < 0; try++)
		r = region_try_copy(src, ret);
	if (r < 0) {
		region_copy_cpu(src, ret);
		region_rebuild_cpu(ret);
	}
	printable(ret->port.name, sizeof(ret->port.name));
	printable(ret->port.port, sizeof(ret->port.port));
	if (!region_cpu_sane(ret) || !region_port_sane(&ret->port) ||
	    figures_check(&ret->figures) < 0 || figures_foreign(&ret->figures))
		return -EBADMSG;
	if (h.phase == REGION_ENDED)
		region_close_cpu(ret, h.end_mono_ns);
	return r < 0;
}

int region_check(const void *map, size_t size, struct region_header *ret)
{
	struct region_header h;
	enum region_phase phase;

	if (size < sizeof(h))
		return -EBADMSG;
	phase = region_phase(map); /* first: what was written before it is in the copy */
	memcpy(&h, map, sizeof(h));
	h.phase = phase;
	if (h.magic != REGION_MAGIC || h.version != REGION_VERSION || h.n_cpus < 1 ||
	    h.n_cpus > CPU_SETSIZE || h.size != region_size(h.n_cpus) || h.size > size ||
	    h.cpu_offset != region_cpu_offset() || h.cpu_size != region_cpu_size() ||
	    h.phase >= _REGION_PHASE_MAX)
		return -EBADMSG;
	printable(h.reason_id, sizeof(h.reason_id));
	printable(h.text, sizeof(h.text));
	printable(h.warnings, sizeof(h.warnings));
	if (ret)
		*ret = h;
	return 0;
}
