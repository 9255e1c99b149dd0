/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lrtbf-measure as the daemon sees it: descriptors 3 and 4, signals, the region afterwards.
 */
#include "cleanup.h"
#include "finding.h"
#include "order.h"
#include "region.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

struct fixture {
	struct order order;
	struct region_header *h;
	int region_fd, cpu;
	pid_t pid;
};

static void fixture_setup(struct fixture *f, gconstpointer data)
{
	cpu_set_t mine;

	g_assert_cmpint(sched_getaffinity(0, sizeof(mine), &mine), ==, 0);
	for (f->cpu = 0; !CPU_ISSET(f->cpu, &mine); f->cpu++)
		;
	order_init(&f->order);
	f->order.duration_ns = 500000000;
	CPU_SET(f->cpu, &f->order.cpus);
	g_assert_cmpint(region_create_anonymous(&f->order.cpus, &f->region_fd), ==, 0);
	g_assert_cmpint(region_map(f->region_fd, false, &f->h), ==, 0);
}

static void fixture_teardown(struct fixture *f, gconstpointer data)
{
	region_unmap(f->h);
	fd_close(f->region_fd);
}

static int bytes_fd(const void *data, size_t size)
{
	int fd = memfd_create("order", 0);

	g_assert_cmpint(write(fd, data, size), ==, (ssize_t)size);
	g_assert_cmpint(lseek(fd, 0, SEEK_SET), ==, 0);
	return fd;
}

/* In a child: run the program on these descriptors. */
static void run_program(int order_fd, int region_fd)
{
	const char *path = g_getenv("LRTBF_MEASURE");
	int order_high = fcntl(order_fd, F_DUPFD, 20), region_high = fcntl(region_fd, F_DUPFD, 20);
	int null = open("/dev/null", O_RDWR);

	dup2(null, STDOUT_FILENO); /* TAP is ours */
	dup2(null, STDERR_FILENO);
	dup2(order_high, 3);
	dup2(region_high, 4);
	execl(path, path, "--order-fd=3", "--region-fd=4", NULL);
	_exit(99);
}

static void start_bytes(struct fixture *f, const void *data, size_t size)
{
	int fd = bytes_fd(data, size);

	f->pid = fork();
	if (f->pid == 0)
		run_program(fd, f->region_fd);
	close(fd);
}

static void start(struct fixture *f)
{
	start_bytes(f, &f->order, sizeof(f->order));
}

static int end(struct fixture *f)
{
	int status;

	g_assert_cmpint(waitpid(f->pid, &status, 0), ==, f->pid);
	return status;
}

static void wait_for_samples(struct fixture *f, uint64_t n)
{
	for (int i = 0; i < 1000; i++) {
		g_autofree struct region_cpu *c = g_new(struct region_cpu, 1);

		g_assert_cmpint(region_read_cpu(f->h, region_mapped(f->h), 0, c), >=, 0);
		if (figures_count(&c->figures) >= n)
			return;
		g_usleep(10000);
	}
	g_assert_not_reached();
}

static struct region_cpu *block(struct fixture *f)
{
	struct region_cpu *c = g_new(struct region_cpu, 1);

	g_assert_cmpint(region_read_cpu(f->h, region_mapped(f->h), 0, c), ==, 0);
	g_assert_cmpuint(figures_count(&c->figures) + c->figures.missed + c->figures.migrated, ==,
			 (c->next_ns - c->grid_ns) / c->interval_ns);
	g_assert_cmpuint(figures_corrected_count(&c->figures), ==,
			 figures_count(&c->figures) + c->figures.missed);
	return c;
}

static void test_run(struct fixture *f, gconstpointer data)
{
	g_autofree struct region_cpu *c = NULL;
	g_auto(GStrv) warnings = NULL;

	f->order.warmup_ns = 300000000;
	f->order.parent_pid = getpid();
	start(f);
	g_assert_cmpint(end(f), ==, 0);
	g_assert_cmpint(region_phase(f->h), ==, REGION_ENDED);
	g_assert_cmpint(f->h->child_pid, ==, f->pid);
	g_assert_cmpuint(f->h->end_mono_ns, >=, f->h->start_mono_ns + 799000000);
	g_assert_cmpuint(f->h->begin_mono_ns, >=, f->h->start_mono_ns + 299000000);
	c = block(f);
	g_assert_cmpint(c->cpu, ==, f->cpu);
	g_assert_cmpint(c->policy, ==, SCHED_OTHER);
	g_assert_cmpuint(c->done, ==, 1);
	g_assert_cmpuint(c->figures.warmup, >, 0);
	g_assert_cmpuint(c->grid_ns, >=, f->h->start_mono_ns + 300000000);
	g_assert_cmpuint(figures_count(&c->figures), >, 0);
	g_assert_cmpuint(c->figures.pending_ns, ==, 0);
	warnings = g_strsplit(f->h->warnings, " ", -1);
	for (char **id = warnings; *id; id++)
		g_assert_true(**id == '\0' || finding_kind(*id) != NULL);
}

static void test_term(struct fixture *f, gconstpointer data)
{
	g_autofree struct region_cpu *c = NULL;

	f->order.duration_ns = 3600000000000;
	start(f);
	wait_for_samples(f, 100);
	kill(f->pid, SIGTERM);
	g_assert_cmpint(end(f), ==, 0);
	g_assert_cmpint(region_phase(f->h), ==, REGION_ENDED);
	c = block(f);
	g_assert_cmpuint(c->done, ==, 1);
	g_assert_cmpuint(figures_count(&c->figures), >=, 100);
}

/* Nothing has been measured then, not even for no time. */
static void test_term_in_warm_up(struct fixture *f, gconstpointer data)
{
	g_autofree struct region_cpu *c = g_new0(struct region_cpu, 1);

	f->order.warmup_ns = 3600000000000;
	start(f);
	for (int i = 0; i < 1000 && c->figures.warmup == 0; i++) {
		g_usleep(10000);
		g_assert_cmpint(region_read_cpu(f->h, region_mapped(f->h), 0, c), >=, 0);
	}
	kill(f->pid, SIGTERM);
	g_assert_cmpint(end(f), ==, 0);
	g_assert_cmpint(region_phase(f->h), ==, REGION_ENDED);
	g_assert_cmpuint(f->h->begin_mono_ns, ==, 0);
	g_free(c);
	c = block(f);
	g_assert_cmpuint(c->done, ==, 1);
	g_assert_cmpuint(c->started, ==, 0);
	g_assert_cmpuint(c->figures.warmup, >, 0);
	g_assert_cmpuint(figures_corrected_count(&c->figures), ==, 0);
}

/* Stopped in the warm-up, gone on in the measuring: all of its grid points are accounted for. */
static void test_stall_across_begin(struct fixture *f, gconstpointer data)
{
	g_autofree struct region_cpu *c = NULL;
	uint64_t begin_ns;

	f->order.warmup_ns = 400000000;
	start(f);
	while (region_phase(f->h) < REGION_RUNNING)
		g_usleep(1000);
	g_usleep(200000);
	kill(f->pid, SIGSTOP);
	g_usleep(500000);
	kill(f->pid, SIGCONT);
	g_assert_cmpint(end(f), ==, 0);
	c = block(f);
	begin_ns = f->h->start_mono_ns + f->order.warmup_ns;
	g_assert_cmpuint(c->grid_ns, >=, begin_ns);
	g_assert_cmpuint(c->grid_ns, <, begin_ns + f->order.interval_ns);
	g_assert_cmpuint(figures_corrected_count(&c->figures), >=, 499);
	g_assert_cmpuint(c->figures.missed, >=, 200);
}

static void test_kill(struct fixture *f, gconstpointer data)
{
	g_autofree struct region_cpu *c = NULL;

	f->order.duration_ns = 3600000000000;
	start(f);
	wait_for_samples(f, 200);
	kill(f->pid, SIGKILL);
	g_assert_true(WIFSIGNALED(end(f)));
	g_assert_cmpint(region_phase(f->h), ==, REGION_RUNNING);
	c = block(f);
	g_assert_cmpuint(figures_count(&c->figures), >=, 200);
}

/* Stopped, and killed before it could go on: what was not seen is accounted for. */
static void test_killed_in_a_stall(struct fixture *f, gconstpointer data)
{
	g_autofree struct region_cpu *c = NULL;
	uint64_t now;

	f->order.duration_ns = 3600000000000;
	start(f);
	wait_for_samples(f, 100);
	kill(f->pid, SIGSTOP);
	g_usleep(300000);
	now = (uint64_t)g_get_monotonic_time() * 1000;
	kill(f->pid, SIGKILL);
	(void)end(f);
	c = block(f);
	region_close_cpu(c, now);
	g_assert_cmpuint(c->figures.pending_ns, >, 250000000);
	g_assert_cmpuint(c->figures.missed, >, 250);
	g_assert_cmpuint(figures_corrected_count(&c->figures), ==,
			 (c->next_ns - c->grid_ns) / c->interval_ns);
}

static void test_lock(struct fixture *f, gconstpointer data)
{
	g_autofree char *path = g_strdup_printf("/proc/self/fd/%d", f->region_fd);
	g_auto(fd_t) mine = open(path, O_RDWR | O_CLOEXEC);

	g_assert_cmpint(mine, >=, 0);
	f->order.duration_ns = 3600000000000;
	start(f);
	wait_for_samples(f, 1);
	/* letting go of the locked file (a mapping holds it too) does not unlock it: the child has
	 * it */
	region_unmap(f->h);
	f->h = NULL;
	fd_close(f->region_fd);
	f->region_fd = -1;
	g_assert_cmpint(flock(mine, LOCK_EX | LOCK_NB), ==, -1);
	g_assert_cmpint(errno, ==, EWOULDBLOCK);
	kill(f->pid, SIGKILL);
	(void)end(f);
	g_assert_cmpint(flock(mine, LOCK_EX | LOCK_NB), ==, 0);
}

/* A parent in between dies: so does the child. */
static void test_orphan(struct fixture *f, gconstpointer data)
{
	int fd;
	pid_t middle;

	f->order.duration_ns = 3600000000000;
	fd = bytes_fd(&f->order, sizeof(f->order));
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	middle = fork();
	if (middle == 0) {
		if (fork() == 0)
			run_program(fd, f->region_fd);
		pause();
	}
	close(fd);
	wait_for_samples(f, 1);
	f->pid = f->h->child_pid;
	kill(middle, SIGKILL);
	waitpid(middle, NULL, 0);
	g_assert_true(WIFSIGNALED(end(f))); /* ours now */
	prctl(PR_SET_CHILD_SUBREAPER, 0);
}

static void test_wrong_parent(struct fixture *f, gconstpointer data)
{
	f->order.parent_pid = 1;
	start(f);
	g_assert_cmpint(WEXITSTATUS(end(f)), ==, 1);
	g_assert_cmpint(region_phase(f->h), ==, REGION_EMPTY);
}

static void expect_failed(struct fixture *f, const char *reason_id, const char *word)
{
	g_assert_cmpint(WEXITSTATUS(end(f)), ==, 1);
	g_assert_cmpint(region_phase(f->h), ==, REGION_FAILED);
	g_assert_cmpstr(f->h->reason_id, ==, reason_id);
	if (!strstr(f->h->text, word)) {
		g_test_message("'%s' does not name %s", f->h->text, word);
		g_test_fail();
	}
}

static void test_bad_order(struct fixture *f, gconstpointer data)
{
	start_bytes(f, "nonsense", 8);
	expect_failed(f, "Failed", "8 bytes");
}

static void test_bad_instrument(struct fixture *f, gconstpointer data)
{
	g_strlcpy(f->order.instrument, "sundial", sizeof(f->order.instrument));
	start(f);
	expect_failed(f, "InvalidOption", "sundial");
}

static void test_other_cpus(struct fixture *f, gconstpointer data)
{
	CPU_SET(1023, &f->order.cpus);
	start(f);
	expect_failed(f, "Failed", "belong");
}

static void test_no_region(struct fixture *f, gconstpointer data)
{
	int good = f->region_fd;

	f->region_fd = bytes_fd("this is no region", 17);
	start(f);
	fd_close(f->region_fd);
	f->region_fd = good;
	g_assert_cmpint(WEXITSTATUS(end(f)), ==, 1);
}

static void test_narrow_mask(struct fixture *f, gconstpointer data)
{
	g_autofree struct region_cpu *c = NULL;
	cpu_set_t old, other;

	/* a daemon that sits on one CPU can have another measured */
	g_assert_cmpint(sched_getaffinity(0, sizeof(old), &old), ==, 0);
	other = old;
	CPU_CLR(f->cpu, &other);
	if (CPU_COUNT(&other) == 0) {
		g_test_skip("one CPU");
		return;
	}
	sched_setaffinity(0, sizeof(other), &other);
	start(f);
	g_assert_cmpint(end(f), ==, 0);
	sched_setaffinity(0, sizeof(old), &old);
	c = block(f);
	g_assert_cmpint(c->cpu, ==, f->cpu);
	g_assert_cmpuint(c->figures.migrated, ==, 0);
}

#define ADD(name, func)                                                                            \
	g_test_add("/measure-child/" name, struct fixture, NULL, fixture_setup, func,              \
		   fixture_teardown)

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	ADD("run", test_run);
	ADD("term", test_term);
	ADD("term-in-warm-up", test_term_in_warm_up);
	ADD("stall-across-begin", test_stall_across_begin);
	ADD("kill", test_kill);
	ADD("killed-in-a-stall", test_killed_in_a_stall);
	ADD("lock", test_lock);
	ADD("orphan", test_orphan);
	ADD("wrong-parent", test_wrong_parent);
	ADD("bad-order", test_bad_order);
	ADD("bad-instrument", test_bad_instrument);
	ADD("other-cpus", test_other_cpus);
	ADD("no-region", test_no_region);
	ADD("narrow-mask", test_narrow_mask);
	return g_test_run();
}
