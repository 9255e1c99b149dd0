/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The result region between a writer that may die anywhere and a reader that trusts nothing.
 */
#include "cleanup.h"
#include "region.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <linux/magic.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/vfs.h>
#include <sys/wait.h>

#define INTERVAL_NS 1000000ULL

static cpu_set_t cpus_of(int a, int b)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(a, &set);
	if (b >= 0)
		CPU_SET(b, &set);
	return set;
}

static struct region_header *region_new(int a, int b)
{
	cpu_set_t cpus = cpus_of(a, b);
	struct region_header *h = NULL;
	g_auto(fd_t) fd = -1;

	g_assert_cmpint(region_create_anonymous(&cpus, &fd), ==, 0);
	g_assert_cmpint(region_map(fd, true, &h), ==, 0);
	return h;
}

static void block_start(struct region_cpu *c, uint64_t grid_ns)
{
	c->interval_ns = INTERVAL_NS;
	c->grid_ns = c->next_ns = grid_ns;
	c->started = 1;
	c->figures.has_grid = 1;
}

static struct region_cpu *read_block(struct region_header *h, unsigned i, int expected)
{
	struct region_cpu *c = g_new0(struct region_cpu, 1);

	g_assert_cmpint(region_read_cpu(h, region_mapped(h), i, c), ==, expected);
	return c;
}

static void test_create(void)
{
	g_autofree char *path = g_strdup_printf("/dev/shm/lrtbf-test-%d", getpid());
	cpu_set_t cpus = cpus_of(3, 700);
	g_auto(fd_t) fd = -1;
	struct region_header *h;

	g_assert_cmpint(region_create(path, &cpus, &fd), ==, 0);
	g_assert_cmpint(region_create(path, &cpus, &fd), ==, -EEXIST);
	g_assert_cmpint(region_map(fd, false, &h), ==, 0);
	g_unlink(path);
	g_assert_cmpuint(h->n_cpus, ==, 2);
	g_assert_cmpuint(region_mapped(h), ==, region_size(2));
	g_assert_cmpuint(region_size(2) % sysconf(_SC_PAGESIZE), ==, 0);
	g_assert_cmpuint((uintptr_t)region_cpu(h, 1) % sysconf(_SC_PAGESIZE), ==, 0);
	g_assert_cmpint(region_cpu(h, 0)->cpu, ==, 3);
	g_assert_cmpint(region_cpu(h, 1)->cpu, ==, 700);
	g_free(read_block(h, 1, 0));
	g_free(read_block(h, 2, -EBADMSG));
	region_unmap(h);
}

static void test_only_tmpfs(void)
{
	g_autofree char *dir = g_dir_make_tmp("lrtbf-XXXXXX", NULL);
	g_autofree char *path = g_build_filename(dir, "region", NULL);
	cpu_set_t cpus = cpus_of(0, -1);
	struct statfs fs;
	int fd = -1;

	g_assert_cmpint(statfs(dir, &fs), ==, 0);
	if (fs.f_type == TMPFS_MAGIC) {
		g_test_skip("the folder for temporary files is on tmpfs");
	} else {
		g_assert_cmpint(region_create(path, &cpus, &fd), ==, -EMEDIUMTYPE);
		g_assert_false(g_file_test(path, G_FILE_TEST_EXISTS));
	}
	g_rmdir(dir);
}

/* Grid points are where they were, whatever the latencies; nothing is counted twice. */
static void test_record(void)
{
	g_autoptr(GRand) rand = g_rand_new_with_seed(4);
	struct region_header *h = region_new(0, 1);
	struct region_cpu *c = region_cpu(h, 0);
	const uint64_t grid = 123456789;
	g_autofree struct region_cpu *copy = NULL;
	uint64_t dither = 0;

	block_start(c, grid);
	for (int i = 0; i < 20000; i++) {
		/* long ones reach both calls below */
		uint64_t latency = g_rand_int_range(rand, 0, i % 25 ? 900000 : 9000000);
		uint64_t next = c->next_ns, now = next + latency;
		uint64_t shift = g_rand_int_range(rand, 0, 1000);
		int64_t move = (int64_t)(shift - dither);

		dither = shift;
		if (i % 50 == 0)
			next = region_migrate(c, latency, now - grid, move);
		else
			next = region_record(c, latency, now - grid, move);
		g_assert_cmpuint(next, ==, c->next_ns);
		g_assert_cmpuint((next - shift - grid) % INTERVAL_NS, ==, 0);
		g_assert_cmpuint(next + 1000, >, now);
		g_assert_cmpuint(next, <=, now + INTERVAL_NS + 1000);
	}
	copy = read_block(h, 0, 0);
	g_assert_cmpuint(copy->figures.migrated, ==, 400);
	g_assert_cmpuint(figures_count(&copy->figures), ==, 20000 - 400);
	g_assert_cmpuint(figures_count(&copy->figures) + copy->figures.missed + 400, ==,
			 (copy->next_ns - copy->grid_ns) / INTERVAL_NS);
	g_assert_cmpuint(copy->figures.missed, >, 0);
	region_unmap(h);
}

static void test_warm_up(void)
{
	struct region_header *h = region_new(0, -1);
	struct region_cpu *c = region_cpu(h, 0);
	g_autofree struct region_cpu *copy = NULL;

	block_start(c, 1000000);
	c->started = 0;
	g_assert_cmpuint(region_warm_up(c, 500, 0, 5000000, 0), ==, 2000000);
	g_assert_cmpuint(region_warm_up(c, 2500000, 0, 5000000, 0), ==,
			 5000000); /* 3 and 4 ms passed over */
	copy = read_block(h, 0, 0);
	g_assert_cmpuint(copy->grid_ns, ==, 5000000);
	g_assert_cmpuint(copy->figures.warmup, ==, 2);
	g_assert_cmpuint(copy->figures.warmup_max_ns, ==, 2500000);
	g_assert_cmpuint(copy->figures.missed, ==, 0);
	g_assert_cmpuint(figures_count(&copy->figures), ==, 0);
	region_close_cpu(copy, 9000000); /* measuring has not begun: nothing is pending */
	g_assert_cmpuint(copy->figures.pending_ns, ==, 0);
	region_unmap(h);
}

/* Late beyond the warm-up's end: the sample does not count, what it took from the measuring does.
 */
static void test_warm_up_stall(void)
{
	struct region_header *h = region_new(0, -1);
	struct region_cpu *c = region_cpu(h, 0);
	g_autofree struct region_cpu *copy = NULL;

	block_start(c, 1000000);
	g_assert_cmpuint(region_warm_up(c, 6250000, 0, 4500000, 0), ==, 8000000);
	copy = read_block(h, 0, 0);
	g_assert_cmpuint(copy->grid_ns, ==, 5000000);  /* the first point of the measuring */
	g_assert_cmpuint(copy->figures.missed, ==, 3); /* 5, 6, 7 ms */
	g_assert_true(copy->figures.missed_sum_ns == 2250000 + 1250000 + 250000);
	g_assert_cmpuint(figures_count(&copy->figures), ==, 0);
	g_assert_cmpuint(figures_corrected_count(&copy->figures), ==,
			 (copy->next_ns - copy->grid_ns) / INTERVAL_NS);
	region_unmap(h);
}

static void test_close(void)
{
	struct region_header *h = region_new(0, -1);
	struct region_cpu *c = region_cpu(h, 0);
	g_autofree struct region_cpu *copy = NULL, *ended = NULL;

	block_start(c, 1000000);
	region_record(c, 10, 0, 0);
	copy = read_block(h, 0, 0);
	region_close_cpu(copy, 1999999);
	g_assert_cmpuint(copy->figures.missed, ==, 0);
	region_close_cpu(copy, 5500000);
	g_assert_cmpuint(copy->figures.missed, ==, 4); /* 2, 3, 4, 5 ms */
	g_assert_cmpuint(copy->figures.pending_ns, ==, 3500000);
	region_close_cpu(copy, 5500000);
	g_assert_cmpuint(copy->figures.missed, ==, 4);
	g_assert_cmpuint(copy->figures.pending_ns, ==, 3500000);
	g_assert_cmpuint(figures_corrected_count(&copy->figures), ==,
			 (copy->next_ns - copy->grid_ns) / INTERVAL_NS);
	/* the same by itself once the child says that it has ended */
	h->end_mono_ns = 5500000;
	region_set_phase(h, REGION_ENDED);
	ended = read_block(h, 0, 0);
	g_assert_cmpmem(ended, sizeof(*ended), copy, sizeof(*copy));
	region_unmap(h);
}

/* kill -9 in the middle of a write. */
static void test_killed_inside(void)
{
	struct region_header *h = region_new(0, -1);
	struct region_cpu *c = region_cpu(h, 0);
	g_autofree struct region_cpu *copy = NULL;
	double mean;
	pid_t pid;

	block_start(c, 1000000);
	pid = fork();
	if (pid == 0) {
		for (int i = 0; i < 1000; i++)
			region_record(c, 40000 + i, i * INTERVAL_NS, 0);
		region_begin(c);
		c->figures.bucket[histogram_bucket(900000)]++; /* the sums do not know it yet */
		kill(getpid(), SIGKILL);
	}
	g_assert_cmpint(waitpid(pid, NULL, 0), ==, pid);
	copy = read_block(h, 0, 1);
	g_assert_cmpuint(copy->figures.torn, ==, 1);
	g_assert_cmpuint(figures_count(&copy->figures), ==, 1001);
	g_assert_cmpmem(copy->figures.bucket, sizeof(copy->figures.bucket), c->figures.bucket,
			sizeof(c->figures.bucket));
	g_assert_cmpuint(copy->figures.min_ns, ==, 40000);
	g_assert_cmpuint(copy->figures.max_ns, >, 890000);
	g_assert_true(figures_mean_ns(&copy->figures, &mean));
	g_assert_cmpfloat_with_epsilon(mean, (40499.5 * 1000 + 900000) / 1001, 400);
	g_assert_cmpuint(c->figures.torn, ==, 0); /* what stands in the file is left alone */
	/* the grid point of the sample that is there is not missed as well */
	region_close_cpu(copy, 1000000 + 1001 * INTERVAL_NS);
	g_assert_cmpuint(copy->figures.missed, ==, 1);
	g_assert_cmpuint(figures_corrected_count(&copy->figures), ==,
			 (copy->next_ns - copy->grid_ns) / INTERVAL_NS);
	region_unmap(h);
}

/* Or of a rest: half of it done, nothing lost. */
static void test_killed_in_skip(void)
{
	struct region_header *h = region_new(0, -1);
	struct region_cpu *c = region_cpu(h, 0);
	g_autofree struct region_cpu *copy = NULL;

	block_start(c, 1000000);
	region_record(c, 40000, 0, 300); /* dither */
	region_begin(c);
	c->grid_ns += 5 * INTERVAL_NS;
	copy = read_block(h, 0, 1);
	g_assert_cmpuint(figures_count(&copy->figures), ==, 1);
	g_assert_cmpuint(copy->next_ns, ==, copy->grid_ns + INTERVAL_NS + 300);
	region_unmap(h);
}

struct writer {
	struct region_cpu *c;
	int stop;
};

static void *writer_run(void *data)
{
	struct writer *w = data;

	for (uint64_t i = 0; !__atomic_load_n(&w->stop, __ATOMIC_RELAXED); i++) {
		region_record(w->c, 1000 + i % 5000, i * INTERVAL_NS, 0);
		if (i % 8 == 0)
			g_usleep(20);
	}
	return NULL;
}

/* Live reads: every one adds up, whatever the writer does. */
static void test_live(void)
{
	struct region_header *h = region_new(0, -1);
	struct writer w = { .c = region_cpu(h, 0) };
	g_autofree struct region_cpu *copy = g_new0(struct region_cpu, 1);
	unsigned whole = 0;
	uint64_t last = 0;
	pthread_t thread;

	block_start(w.c, 0);
	g_assert_cmpint(pthread_create(&thread, NULL, writer_run, &w), ==, 0);
	for (int i = 0; i < 2000; i++) {
		uint64_t n, in_blocks = 0;
		int r = region_read_cpu(h, region_mapped(h), 0, copy);

		g_assert_cmpint(r, >=, 0);
		n = figures_count(&copy->figures);
		g_assert_cmpuint(n, >=, last);
		last = n;
		if (r > 0)
			continue;
		whole++;
		for (uint32_t k = 0; k < copy->figures.n_blocks; k++)
			in_blocks += copy->figures.blocks[k].count;
		g_assert_cmpuint(in_blocks, ==, n);
		g_assert_cmpuint(n + copy->figures.missed, ==,
				 (copy->next_ns - copy->grid_ns) / INTERVAL_NS);
	}
	__atomic_store_n(&w.stop, 1, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	g_assert_cmpuint(whole, >, 0);
	g_free(read_block(h, 0, 0));
	region_unmap(h);
}

static void test_hostile(void)
{
	struct region_header *h = region_new(0, 1);
	struct region_cpu *c = region_cpu(h, 0);
	struct region_header copy;

	region_record(c, 1000, 0, 0);
	c->figures.n_blocks = 100000;
	g_free(read_block(h, 0, -EBADMSG));
	c->figures.n_blocks = 1;
	c->figures.n_worst = UINT32_MAX;
	g_free(read_block(h, 0, -EBADMSG));
	c->figures.n_worst = 1;
	c->figures.block_length_ns = 0;
	g_free(read_block(h, 0, -EBADMSG));
	c->figures.block_length_ns = FIGURES_BLOCK_START_NS;
	c->figures.bucket[5] = UINT64_MAX; /* the count would wrap */
	g_free(read_block(h, 0, -EBADMSG));
	c->figures.bucket[5] = 0;
	g_free(read_block(h, 0, 0));
	memset(h->text, 'x', sizeof(h->text));
	h->text[3] = '\n';
	g_assert_cmpint(region_check(h, region_mapped(h), &copy), ==, 0);
	g_assert_cmpuint(strlen(copy.text), ==, sizeof(copy.text) - 1);
	g_assert_cmpint(copy.text[3], ==, '?');
	h->n_cpus = 1000;
	g_free(read_block(h, 0, -EBADMSG));
	h->size = region_size(1000); /* more than there is */
	g_free(read_block(h, 0, -EBADMSG));
	region_unmap(h); /* by the size that was mapped */
}

static void test_map_refuses(void)
{
	g_auto(fd_t) fd = memfd_create("lrtbf-test", MFD_CLOEXEC);
	int pipes[2];
	struct region_header *h = NULL;

	g_assert_cmpint(region_map(fd, false, &h), ==, -EBADMSG); /* empty */
	g_assert_cmpint(ftruncate(fd, region_size(1)), ==, 0);
	g_assert_cmpint(region_map(fd, false, &h), ==, -EBADMSG); /* zeroes */
	g_assert_cmpint(pipe(pipes), ==, 0);
	g_assert_cmpint(region_map(pipes[0], false, &h), ==, -EBADMSG);
	close(pipes[0]);
	close(pipes[1]);
	g_assert_null(h);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/region/create", test_create);
	g_test_add_func("/region/only-tmpfs", test_only_tmpfs);
	g_test_add_func("/region/record", test_record);
	g_test_add_func("/region/warm-up", test_warm_up);
	g_test_add_func("/region/warm-up-stall", test_warm_up_stall);
	g_test_add_func("/region/close", test_close);
	g_test_add_func("/region/killed-inside", test_killed_inside);
	g_test_add_func("/region/killed-in-skip", test_killed_in_skip);
	g_test_add_func("/region/live", test_live);
	g_test_add_func("/region/hostile", test_hostile);
	g_test_add_func("/region/map-refuses", test_map_refuses);
	return g_test_run();
}
