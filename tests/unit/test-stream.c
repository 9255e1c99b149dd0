/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What becomes of the kernel module's records: samples, losses, missed periods, and what its
 * counters say. Without the module.
 */
#include "cleanup.h"
#include "stream.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

#define US    1000ULL
#define MS    1000000ULL
#define START (1000 * MS * 1000)
#define CPU   3

struct fixture {
	struct order order;
	struct region_cpu block;
	struct worker w;
	struct stream s;
	uint64_t start_ns;
};

/* From 10 ms on for a second, every millisecond, on CPU 3. */
static struct fixture *fixture_new(uint32_t role)
{
	struct fixture *f = g_new0(struct fixture, 1);

	order_init(&f->order);
	f->order.role = role;
	f->order.interval_ns = MS;
	if (role_of_port(role))
		strcpy(f->order.port, "parport0");
	figures_init(&f->block.figures);
	f->start_ns = START;
	f->w = (struct worker){
		.order = &f->order,
		.block = &f->block,
		.cpu = CPU,
		.start_ns = &f->start_ns,
		.control = pthread_self(),
		.end_ns = WORKER_END_OPEN,
	};
	f->s = (struct stream){
		.w = &f->w,
		.grid = !role_of_port(role),
		.begin_ns = START + 10 * MS,
		.end_ns = START + 1010 * MS,
		.dev = { .fd = -1, .order = &f->order, .cpu = CPU },
	};
	f->block.figures.has_grid = f->s.grid;
	return f;
}

static void take(struct fixture *f, uint64_t at_ns, uint64_t latency_ns, uint32_t flags, int cpu)
{
	const struct lrtbf_record r = {
		.at_ns = START + at_ns,
		.latency_ns = latency_ns,
		.flags = flags,
		.cpu = (uint32_t)cpu,
	};

	stream_take(&f->s, &r, 1);
}

static void assert_grid(const struct fixture *f)
{
	const struct region_cpu *c = &f->block;

	g_assert_cmpuint(figures_corrected_count(&c->figures) + c->figures.migrated, ==,
			 (c->next_ns - c->grid_ns) / MS);
	g_assert_cmpint(figures_check(&c->figures), ==, 0);
}

static void test_periods(void)
{
	g_autofree struct fixture *f = fixture_new(ROLE_IRQ);

	for (uint64_t i = 1; i < 10; i++)
		take(f, i * MS, 50 * US, 0, CPU);
	g_assert_cmpuint(f->block.figures.warmup, ==, 9);
	g_assert_cmpuint(f->block.figures.warmup_max_ns, ==, 50 * US);
	g_assert_cmpuint(f->block.started, ==, 0);
	for (uint64_t i = 10; i < 20; i++)
		take(f, i * MS, i * US, 0, CPU);
	g_assert_cmpuint(f->block.started, ==, 1);
	g_assert_cmpuint(figures_count(&f->block.figures), ==, 10);
	g_assert_cmpuint(f->block.figures.min_ns, ==, 10 * US);
	g_assert_cmpuint(f->block.figures.max_ns, ==, 19 * US);
	g_assert_cmpuint(f->block.figures.worst[0].at_ns, ==, 19 * MS + 19 * US);
	take(f, 20 * MS, 3 * MS + 5, 0, CPU); /* 21, 22 and 23 passed by */
	g_assert_cmpuint(f->block.figures.missed, ==, 3);
	assert_grid(f);
	take(f, 24 * MS, 7, 0, CPU + 1);
	g_assert_cmpuint(f->block.figures.migrated, ==, 1);
	assert_grid(f);
	/* two records found no room: nobody knows what they were, and they are not missed */
	take(f, 27 * MS, 8, 0, CPU);
	g_assert_cmpuint(f->block.figures.missed, ==, 3);
	assert_grid(f);
	g_assert_false(f->s.over);
	take(f, 1010 * MS, 9, 0, CPU);
	g_assert_true(f->s.over);
	g_assert_cmpuint(figures_count(&f->block.figures), ==, 12);
	assert_grid(f);
}

/* A wake-up of the warm-up that comes in the measuring has cost it its periods. */
static void test_late_warm_up(void)
{
	g_autofree struct fixture *f = fixture_new(ROLE_KTHREAD);

	take(f, 5 * MS, 8 * MS + 1, 0, CPU);
	take(f, 14 * MS, 1, 0, CPU);
	g_assert_cmpuint(f->block.figures.missed, ==, 4); /* 10, 11, 12, 13 */
	g_assert_cmpuint(figures_count(&f->block.figures), ==, 1);
	assert_grid(f);
}

static void test_pulses(void)
{
	g_autofree struct fixture *f = fixture_new(ROLE_LOOPBACK);

	take(f, 1 * MS, 70 * US, 0, CPU);
	take(f, 2 * MS, 0, LRTBF_RECORD_LOST, CPU);
	take(f, 2 * MS, 900 * US, LRTBF_RECORD_LATE, CPU);
	g_assert_cmpuint(f->block.figures.warmup, ==, 1);
	g_assert_cmpuint(f->block.figures.lost + f->block.figures.late, ==, 0);
	take(f, 10 * MS, 20 * US, 0, CPU);
	take(f, 11 * MS, 0, LRTBF_RECORD_LOST, CPU);
	take(f, 11 * MS, 700 * US, LRTBF_RECORD_LATE, CPU);
	take(f, 12 * MS, 21 * US, LRTBF_RECORD_DISCARDED, CPU);
	take(f, 13 * MS, 800 * US, LRTBF_RECORD_LOST | LRTBF_RECORD_LATE, CPU);
	take(f, 14 * MS, 22 * US, 0, CPU + 1); /* the handler may be anywhere */
	take(f, 15 * MS, 1, 1u << 31, CPU);    /* of a newer module: no sample */
	g_assert_cmpuint(figures_count(&f->block.figures), ==, 2);
	g_assert_cmpuint(f->block.figures.min_ns, ==, 20 * US);
	g_assert_cmpuint(f->block.figures.lost, ==, 2);
	g_assert_cmpuint(f->block.figures.late, ==, 2);
	g_assert_cmpuint(f->block.figures.migrated + f->block.figures.missed, ==, 0);
	g_assert_cmpint(figures_check(&f->block.figures), ==, 0);
	/* the end does not hide a late answer to a pulse before it */
	take(f, 1010 * MS, 1, 0, CPU);
	take(f, 1009 * MS, 900 * US, LRTBF_RECORD_LATE, CPU);
	g_assert_cmpuint(figures_count(&f->block.figures), ==, 2);
	g_assert_cmpuint(f->block.figures.late, ==, 3);
}

static void test_break(void)
{
	g_autofree struct fixture *f = fixture_new(ROLE_LOOPBACK);

	f->order.break_ns = 100 * US;
	take(f, 1 * MS, 150 * US, 0, CPU);
	g_assert_cmpuint(f->w.warmup_broke_ns, ==, 150 * US);
	take(f, 10 * MS, 99 * US, 0, CPU);
	take(f, 11 * MS, 200 * US, LRTBF_RECORD_LATE, CPU);
	g_assert_false(f->s.over);
	take(f, 12 * MS, 100 * US, 0, CPU);
	take(f, 13 * MS, 300 * US, 0, CPU);
	g_assert_true(f->s.over);
	g_assert_cmpuint(f->w.broke_ns, ==, 100 * US);
	g_assert_cmpuint(f->block.figures.max_ns, ==, 100 * US);
}

static void test_ends(void)
{
	static const struct {
		uint32_t role, stop;
		uint64_t interrupts, lost_records;
		const char *finding;
		int error;
	} cases[] = {
		{ ROLE_LOOPBACK, LRTBF_STOP_ASKED, 1, 0, NULL, 0 },
		{ ROLE_LOOPBACK, LRTBF_STOP_LOSSES, 0, 0, "port-silent", 0 },
		{ ROLE_LOGGER, LRTBF_STOP_ASKED, 0, 0, NULL, 0 },
		{ ROLE_TARGET, LRTBF_STOP_ASKED, 0, 0, "port-silent", 0 },
		{ ROLE_TARGET, LRTBF_STOP_ASKED, 1, 0, NULL, 0 },
		{ ROLE_TARGET, LRTBF_STOP_STORM, 9, 0, "port-storm", 0 },
		{ ROLE_IRQ, LRTBF_STOP_SUSPEND, 9, 0, "suspended", 0 },
		{ ROLE_IRQ, LRTBF_STOP_ASKED, 9, 2, "lost-records", 0 },
		{ ROLE_LOOPBACK, LRTBF_STOP_DETACHED, 9, 0, NULL, -ENODEV },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree struct fixture *f = fixture_new(cases[i].role);
		const struct lrtbf_counters c = {
			.stop = cases[i].stop,
			.interrupts = cases[i].interrupts,
			.lost_records = cases[i].lost_records,
		};

		stream_judge(&f->s, &c);
		g_assert_cmpstr(f->w.findings[0], ==, cases[i].finding);
		g_assert_cmpint(f->w.error, ==, cases[i].error);
		if (cases[i].error)
			g_assert_nonnull(strstr(f->w.text, "parport0"));
	}
}

static void test_facts_stop(void)
{
	static const struct {
		uint32_t stop, told;
	} cases[] = {
		{ LRTBF_STOP_NONE, REGION_STOP_NONE },
		{ LRTBF_STOP_SUSPEND, REGION_STOP_SUSPEND },
		{ LRTBF_STOP_SUSPEND + 1, REGION_STOP_NONE },
		{ UINT32_MAX, REGION_STOP_NONE },
	};
	g_autofree struct fixture *f = fixture_new(ROLE_LOOPBACK);

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		const struct lrtbf_counters c = { .stop = cases[i].stop };
		struct region_port facts = { 0 };

		lrtbfdev_facts(&f->s.dev, &c, &facts);
		g_assert_cmpuint(facts.stop, ==, cases[i].told);
	}
}

static void test_device_absent(void)
{
	g_autofree struct fixture *f = fixture_new(ROLE_LOOPBACK);
	g_autofree char *dir = g_dir_make_tmp("lrtbf-XXXXXX", NULL);
	g_autofree char *module = g_strdup_printf("%s/lrtbf", dir);
	g_autofree char *other = g_strdup_printf("%s/lrtbf-parport5", dir);
	char *message = NULL;
	struct lrtbfdev d;

	g_assert_cmpint(lrtbfdev_open(&d, dir, &f->order, CPU, &message), ==, -ENODEV);
	g_assert_nonnull(strstr(message, "modprobe lrtbf"));
	g_clear_pointer(&message, g_free);
	g_assert_true(g_file_set_contents(module, "", 0, NULL));
	g_assert_cmpint(lrtbfdev_open(&d, dir, &f->order, CPU, &message), ==, -ENODEV);
	g_assert_nonnull(strstr(message, "parport_pc"));
	g_clear_pointer(&message, g_free);
	g_assert_true(g_file_set_contents(other, "", 0, NULL));
	g_assert_cmpint(lrtbfdev_open(&d, dir, &f->order, CPU, &message), ==, -ENODEV);
	g_assert_nonnull(strstr(message, "parport5"));
	g_clear_pointer(&message, g_free);
	strcpy(f->order.port, "parport5"); /* a file, and no device of the module */
	g_assert_cmpint(lrtbfdev_open(&d, dir, &f->order, CPU, &message), ==, -ENODEV);
	g_assert_cmpint(d.fd, ==, -1);
	g_free(message);
	g_assert_cmpint(unlink(module) + unlink(other) + rmdir(dir), ==, 0);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	signal(SIGUSR1, SIG_IGN); /* what workers tell the control thread by */
	g_test_add_func("/stream/periods", test_periods);
	g_test_add_func("/stream/late-warm-up", test_late_warm_up);
	g_test_add_func("/stream/pulses", test_pulses);
	g_test_add_func("/stream/break", test_break);
	g_test_add_func("/stream/ends", test_ends);
	g_test_add_func("/stream/facts-stop", test_facts_stop);
	g_test_add_func("/stream/device-absent", test_device_absent);
	return g_test_run();
}
