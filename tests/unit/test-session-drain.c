/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A region read into a result, our own checkpoints marked in it, and what happened to the machine
 * meanwhile. */
#include "cleanup.h"
#include "clock.h"
#include "drain.h"
#include "watch.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#define MS    NSEC_PER_MSEC
#define START (1000 * NSEC_PER_SEC) /* of the stage, CLOCK_MONOTONIC */

struct fixture {
	int fd;
	struct region_header *h;
	struct drain *drain;
	struct result_stage *stage;
};

/* CPUs 3 and 7, 1 ms, measuring since START. */
static void fixture_init(struct fixture *f)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(3, &cpus);
	CPU_SET(7, &cpus);
	g_assert_cmpint(region_create_anonymous(&cpus, &f->fd), ==, 0);
	g_assert_cmpint(region_map(f->fd, true, &f->h), ==, 0);
	f->h->start_mono_ns = START;
	f->h->start_real_ns = 5 * NSEC_PER_SEC;
	for (unsigned i = 0; i < 2; i++) {
		struct region_cpu *c = region_cpu(f->h, i);

		c->interval_ns = MS;
		c->grid_ns = c->next_ns = START + MS;
		c->policy = SCHED_FIFO;
		c->priority = 80;
		c->figures.has_grid = 1;
		c->started = 1;
	}
	region_set_phase(f->h, REGION_RUNNING);
	f->stage = result_stage_new();
	g_assert_cmpint(drain_new(f->fd, &f->drain), ==, 0);
}

static void fixture_done(struct fixture *f)
{
	drain_free(f->drain);
	result_stage_free(f->stage);
	region_unmap(f->h);
	close(f->fd);
}

/* The wake-up that is due, @latency_ns late. */
static void wake_up(struct fixture *f, unsigned i, uint64_t latency_ns)
{
	struct region_cpu *c = region_cpu(f->h, i);

	region_record(c, latency_ns, c->next_ns + latency_ns - START, 0);
}

static struct figures *figures_of(struct fixture *f, guint i)
{
	return ((struct result_cpu *)f->stage->cpus->pdata[i])->figures;
}

static void test_read(void)
{
	struct session_live live[3];
	struct fixture f;
	int cpu;

	fixture_init(&f);
	g_assert_cmpuint(drain_live(f.drain, live, 3), ==, 2); /* before the first reading */
	g_assert_cmpint(live[0].cpu, ==, 3);
	g_assert_cmpint(live[1].cpu, ==, 7);
	g_assert_cmpint(drain_read(f.drain, f.stage), ==, 0);
	g_assert_cmpuint(drain_live(f.drain, live, 3), ==, 2);
	g_assert_cmpuint(live[0].count, ==, 0);
	g_assert_cmpuint(drain_maximum_ns(f.drain, &cpu), ==, 0);
	g_assert_cmpint(cpu, ==, -1);

	wake_up(&f, 0, 10000);
	wake_up(&f, 0, 20000);
	wake_up(&f, 1, 30000);
	g_assert_cmpint(drain_read(f.drain, f.stage), ==, 0);
	g_assert_cmpuint(drain_maximum_ns(f.drain, &cpu), ==, 30000);
	g_assert_cmpint(cpu, ==, 7);
	g_assert_cmpuint(drain_live(f.drain, live, 1), ==, 1);
	drain_live(f.drain, live, 3);
	g_assert_cmpint(live[0].cpu, ==, 3);
	g_assert_cmpuint(live[0].count, ==, 2);
	g_assert_cmpuint(live[0].min_ns, ==, 10000);
	g_assert_cmpuint(live[0].avg_ns, ==, 15000);
	g_assert_cmpuint(live[0].max_ns, ==, 20000);
	g_assert_cmpuint(live[0].last_ns, ==, 20000);
	/* a smaller one is no new maximum */
	wake_up(&f, 0, 25000);
	g_assert_cmpint(drain_read(f.drain, f.stage), ==, 0);
	g_assert_cmpuint(drain_maximum_ns(f.drain, &cpu), ==, 30000);

	g_assert_cmpuint(f.stage->cpus->len, ==, 2);
	g_assert_cmpuint(f.stage->started_usec, ==, 5000000);
	g_assert_cmpuint(f.stage->duration_ns, ==,
			 3 * MS); /* of the CPU that has measured longest */
	g_assert_cmpint(((struct result_cpu *)f.stage->cpus->pdata[1])->policy, ==, SCHED_FIFO);
	g_assert_cmpint(((struct result_cpu *)f.stage->cpus->pdata[1])->priority, ==, 80);
	fixture_done(&f);
}

static void test_close(void)
{
	struct figures *stuck;
	struct fixture f;

	fixture_init(&f);
	for (int i = 0; i < 10; i++)
		wake_up(&f, 0, 1000);
	for (int i = 0; i < 20; i++)
		wake_up(&f, 1, 1000);
	/* killed 25.5 ms after the start */
	g_assert_cmpint(drain_close(f.drain, f.stage, START + 25 * MS + MS / 2), >=, 0);
	stuck = figures_of(&f, 0);
	g_assert_cmpuint(figures_count(stuck), ==, 10);
	g_assert_cmpuint(stuck->missed, ==, 15);
	g_assert_cmpuint(stuck->pending_ns, ==, 14 * MS + MS / 2);
	g_assert_cmpuint(figures_corrected_count(stuck), ==, 25);
	g_assert_cmpuint(figures_of(&f, 1)->missed, ==, 5);
	g_assert_cmpuint(f.stage->duration_ns, ==, 25 * MS);
	fixture_done(&f);
}

/* The next point's dither is no time that was measured; points that a stall out of the warm-up
 * missed are. */
static void test_duration_on_a_grid(void)
{
	struct region_cpu *c;
	struct fixture f;

	fixture_init(&f);
	c = region_cpu(f.h, 0);
	region_record(c, 1000, MS, (int64_t)(MS / 3));
	drain_read(f.drain, f.stage);
	g_assert_cmpuint(f.stage->duration_ns, ==, MS);
	c = region_cpu(f.h, 1);
	c->started = 0; /* stopped meanwhile */
	region_warm_up(c, 7 * MS, 8 * MS, START + 3 * MS, 0);
	drain_read(f.drain, f.stage);
	g_assert_cmpuint(figures_of(&f, 1)->missed, ==, 6);
	g_assert_cmpuint(f.stage->duration_ns, ==, 6 * MS);
	fixture_done(&f);
}

/* Without a grid, read at every moment of its end. */
static void test_duration_without_a_grid(void)
{
	struct fixture f;

	fixture_init(&f);
	for (unsigned i = 0; i < 2; i++) {
		struct region_cpu *c = region_cpu(f.h, i);

		c->interval_ns = c->grid_ns = c->next_ns = 0;
		region_record(c, 1000, 40 * MS, 0);
	}
	drain_read(f.drain, f.stage); /* the warm-up: however long it takes */
	g_assert_cmpuint(f.stage->duration_ns, ==, 0);
	f.h->begin_mono_ns = START + MS;
	drain_read(f.drain, f.stage);
	g_assert_cmpuint(f.stage->duration_ns, ==, 39 * MS);
	f.h->end_mono_ns = START + 51 * MS;
	drain_read(f.drain, f.stage);
	g_assert_cmpuint(f.stage->duration_ns, ==, 39 * MS);
	region_set_phase(f.h, REGION_ENDED);
	drain_read(f.drain, f.stage);
	g_assert_cmpuint(f.stage->duration_ns, ==, 50 * MS);
	fixture_done(&f);
}

/* What the kernel module said of each CPU, in one; and a batch that was not read is not missed. */
static void test_port(void)
{
	struct fixture f;

	fixture_init(&f);
	drain_read(f.drain, f.stage);
	g_assert_null(f.stage->port);
	for (unsigned i = 0; i < 2; i++) {
		struct region_cpu *c = region_cpu(f.h, i);

		c->batched = 1;
		c->port = (struct region_port){
			.known = 1,
			.role = ROLE_KTHREAD,
			.context = REGION_CONTEXT_THREAD,
			.stop = i ? REGION_STOP_SUSPEND : REGION_STOP_NONE,
			.irq = -1,
			.tid = 100 + (int)i,
			.policy = SCHED_FIFO,
			.priority = 80,
			.name = "lrtbf-timer/x",
			.samples = 10 + i,
			.off_max_ns = 50 - i,
		};
	}
	for (int again = 0; again < 2; again++) { /* no sums of sums */
		const json_t *port, *threads;

		drain_read(f.drain, f.stage);
		port = f.stage->port;
		threads = json_object_get(port, "threads");
		g_assert_cmpstr(json_string_value(json_object_get(port, "role")), ==, "kthread");
		g_assert_true(json_is_null(json_object_get(port, "port")));
		g_assert_cmpint(json_integer_value(json_object_get(port, "samples")), ==, 21);
		g_assert_cmpint(json_integer_value(json_object_get(port, "off_max_ns")), ==, 50);
		g_assert_cmpstr(json_string_value(json_object_get(port, "stop")), ==, "suspend");
		g_assert_cmpuint(json_array_size(json_object_get(port, "context")), ==, 1);
		g_assert_cmpuint(json_array_size(threads), ==, 2);
		g_assert_cmpint(
			json_integer_value(json_object_get(json_array_get(threads, 1), "cpu")), ==,
			7);
	}
	wake_up(&f, 0, 1000);
	drain_close(f.drain, f.stage, START + 500 * MS);
	g_assert_cmpuint(figures_of(&f, 0)->missed, ==, 0);
	g_assert_cmpuint(figures_of(&f, 0)->pending_ns, ==, 0);
	region_cpu(f.h, 0)->port.role = 77;
	g_assert_cmpint(drain_read(f.drain, f.stage), ==, -EBADMSG);
	fixture_done(&f);
}

/* Samples near one of our own commits are marked, whenever they are read. */
static void test_self(void)
{
	struct figures *g;
	struct fixture f;

	fixture_init(&f);
	for (int i = 0; i < 300; i++)
		wake_up(&f, 0, i == 100 ? 500000 : i == 200 ? 600000 : 1000);
	drain_read(f.drain, f.stage);
	g = figures_of(&f, 0);
	g_assert_cmpuint(g->worst[0].self, ==, 0);
	/* one that ended before the stage began is none of ours; one 8 ms before the first of the
	 * two */
	drain_commit(f.drain, f.stage, START - 50 * MS, START - 40 * MS);
	g_assert_cmpuint(f.stage->checkpoints->len, ==, 0);
	drain_commit(f.drain, f.stage, START + 91 * MS, START + 93 * MS);
	g_assert_cmpuint(f.stage->checkpoints->len, ==, 1);
	g_assert_cmpuint(g_array_index(f.stage->checkpoints, uint64_t, 0), ==, 91 * MS);
	g = figures_of(&f, 0);
	g_assert_cmpuint(g->worst[0].latency_ns, ==, 600000);
	g_assert_cmpuint(g->worst[0].self, ==, 0);
	g_assert_cmpuint(g->worst[1].latency_ns, ==, 500000);
	g_assert_cmpuint(g->worst[1].self, ==, 1);
	/* the next reading knows it too */
	drain_read(f.drain, f.stage);
	g_assert_cmpuint(figures_of(&f, 0)->worst[1].self, ==, 1);
	g_assert_cmpuint(figures_of(&f, 0)->worst[0].self, ==, 0);
	/* as well as one that is read first after the commits, and not the newest of them its own
	 */
	wake_up(&f, 1, 1000);
	region_record(region_cpu(f.h, 1), 800000, 100 * MS, 0);
	drain_commit(f.drain, f.stage, START + 290 * MS, START + 291 * MS);
	drain_read(f.drain, f.stage);
	g_assert_cmpuint(figures_of(&f, 1)->worst[0].latency_ns, ==, 800000);
	g_assert_cmpuint(figures_of(&f, 1)->worst[0].self, ==, 1);
	g_assert_cmpuint(figures_of(&f, 1)->worst[1].self, ==, 0);
	/* and the daemon after this one, from what the store has kept */
	drain_free(f.drain);
	g_assert_cmpint(drain_new(f.fd, &f.drain), ==, 0);
	wake_up(&f, 0, 700000);
	drain_read(f.drain, f.stage);
	g_assert_cmpuint(figures_of(&f, 0)->worst[2].self, ==, 1);
	g_assert_cmpuint(figures_of(&f, 0)->worst[1].self, ==, 0);
	g_assert_cmpuint(figures_of(&f, 0)->worst[0].self, ==, 0);
	fixture_done(&f);
}

static void test_damaged(void)
{
	struct drain *none = NULL;
	struct fixture f;
	int fd;

	fixture_init(&f);
	wake_up(&f, 0, 1000);
	drain_read(f.drain, f.stage);
	f.h->n_cpus = 4000000;
	g_assert_cmpint(drain_read(f.drain, f.stage), ==, -EBADMSG);
	g_assert_cmpuint(figures_count(figures_of(&f, 0)), ==, 1); /* what was read stays */
	fixture_done(&f);

	/* more CPUs than at first, in a file that has room for them */
	fixture_init(&f);
	f.h->n_cpus = 1;
	f.h->size = region_size(1);
	drain_free(f.drain);
	g_assert_cmpint(drain_new(f.fd, &f.drain), ==, 0);
	f.h->n_cpus = 2;
	f.h->size = region_size(2);
	g_assert_cmpint(drain_read(f.drain, f.stage), ==, -EBADMSG);
	fixture_done(&f);

	fd = memfd_create("empty", MFD_CLOEXEC);
	g_assert_cmpint(drain_new(fd, &none), <, 0);
	g_assert_null(none);
	close(fd);
}

/* The file behind the mapping gets shorter: a damaged region, and no SIGBUS. */
static void test_cut_off(void)
{
	static const off_t sizes[] = { 200000, 5000, 1, 0 };
	struct fixture f;

	fixture_init(&f);
	wake_up(&f, 0, 1000);
	drain_read(f.drain, f.stage);
	for (size_t i = 0; i < G_N_ELEMENTS(sizes); i++) {
		g_assert_cmpint(ftruncate(f.fd, sizes[i]), ==, 0);
		g_assert_cmpint(drain_read(f.drain, f.stage), ==, -EBADMSG);
	}
	g_assert_cmpuint(figures_count(figures_of(&f, 0)), ==, 1);
	fixture_done(&f);
}

static void put(const char *root, const char *name, const char *text)
{
	g_autofree char *path = g_build_filename(root, name, NULL);
	g_autofree char *dir = g_path_get_dirname(path);

	g_assert_cmpint(g_mkdir_with_parents(dir, 0755), ==, 0);
	g_assert_true(g_file_set_contents(path, text, -1, NULL));
}

static bool has(const GPtrArray *findings, const char *id, const char *says)
{
	for (guint i = 0; i < findings->len; i++) {
		const struct finding *x = findings->pdata[i];

		if (strcmp(x->kind->id, id) == 0)
			return strstr(x->text, says) != NULL;
	}
	return false;
}

#define CLOCKSOURCE "sys/devices/system/clocksource/clocksource0/current_clocksource"
#define ONLINE	    "sys/devices/system/cpu/online"

static void test_watch(void)
{
	g_autofree char *root = g_dir_make_tmp("lrtbf-watch-XXXXXX", NULL);
	g_autofree char *remove = g_strdup_printf("rm -rf '%s'", root);
	g_autoptr(GPtrArray) quiet = findings_new();
	g_autoptr(GPtrArray) findings = findings_new();
	struct watch w;
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(1, &cpus);
	CPU_SET(2, &cpus);
	put(root, CLOCKSOURCE, "tsc\n");
	put(root, ONLINE, "0-3\n");
	watch_begin(&w, root, &cpus);
	watch_look(&w);
	watch_end(&w, quiet);
	g_assert_cmpuint(quiet->len, ==, 0);

	watch_begin(&w, root, &cpus);
	put(root, ONLINE, "0-1,3\n");
	watch_look(&w);
	put(root, ONLINE, "0-2\n"); /* back again, and one that is not measured is gone */
	put(root, CLOCKSOURCE, "hpet\n");
	w.suspended_ns -= 90 * NSEC_PER_SEC;
	watch_end(&w, findings);
	g_assert_true(has(findings, "cpu-offline", "CPU 2 "));
	g_assert_true(has(findings, "clock-changed", "from tsc to hpet"));
	g_assert_true(has(findings, "suspended", " 90 s"));
	g_assert_cmpuint(findings->len, ==, 3);
	g_assert_cmpint(system(remove), ==, 0);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/session/drain/read", test_read);
	g_test_add_func("/session/drain/close", test_close);
	g_test_add_func("/session/drain/duration-on-a-grid", test_duration_on_a_grid);
	g_test_add_func("/session/drain/duration-without-a-grid", test_duration_without_a_grid);
	g_test_add_func("/session/drain/port", test_port);
	g_test_add_func("/session/drain/self", test_self);
	g_test_add_func("/session/drain/damaged", test_damaged);
	g_test_add_func("/session/drain/cut-off", test_cut_off);
	g_test_add_func("/session/watch", test_watch);
	return g_test_run();
}
