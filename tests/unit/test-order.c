/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cleanup.h"
#include "order.h"
#include "policy.h"

#include <errno.h>
#include <string.h>

static struct order order_good(void)
{
	struct order o;

	order_init(&o);
	CPU_SET(0, &o.cpus);
	return o;
}

static void test_round_trip(void)
{
	struct order o = order_good(), back = { 0 };
	g_autofree char *message = NULL;
	int fds[2];

	o.policy = SCHED_FIFO;
	o.priority = 80;
	o.dither_ns = 1000;
	CPU_SET(1023, &o.cpus);
	g_assert_cmpint(pipe(fds), ==, 0);
	g_assert_cmpint(order_write(fds[1], &o), ==, 0);
	close(fds[1]);
	g_assert_cmpint(order_read(fds[0], &back, &message), ==, 0);
	close(fds[0]);
	g_assert_null(message);
	g_assert_cmpmem(&o, sizeof(o), &back, sizeof(back));
}

static void test_bytes(void)
{
	struct order o = order_good(), back = { 0 };
	char longer[sizeof(o) + 1] = { 0 };
	char *message = NULL;

	memcpy(longer, &o, sizeof(o));
	for (size_t n = 0; n <= sizeof(longer); n++) {
		if (n == sizeof(o))
			continue;
		g_assert_cmpint(order_parse(longer, n, &back, &message), ==, -EBADMSG);
		g_assert_nonnull(message);
		g_clear_pointer(&message, g_free);
	}
	o.version++;
	g_assert_cmpint(order_parse(&o, sizeof(o), &back, &message), ==, -EBADMSG);
	g_assert_nonnull(strstr(message, "version"));
	g_free(message);
	g_assert_cmpint(order_parse(&o, sizeof(o), &back, NULL), ==, -EBADMSG);
	g_assert_cmpuint(back.magic, ==, 0); /* untouched */
}

static void assert_refused(const struct order *o, const char *word)
{
	g_autofree char *message = NULL;

	g_assert_cmpint(order_check(o, &message), ==, -EINVAL);
	if (!strstr(message, word)) {
		g_test_message("'%s' does not name %s", message, word);
		g_test_fail();
	}
}

static void test_ranges(void)
{
	static const struct {
		size_t offset;
		uint64_t bad, good;
		const char *word;
	} cases[] = {
		{ offsetof(struct order, interval_ns), 999, 1000, "interval" },
		{ offsetof(struct order, interval_ns), 3600000000001, 3600000000000, "interval" },
		{ offsetof(struct order, duration_ns), 0, 1000, "duration" },
		{ offsetof(struct order, duration_ns), UINT64_MAX, 1000, "duration" },
		{ offsetof(struct order, warmup_ns), UINT64_MAX, 0, "warm-up" },
		{ offsetof(struct order, break_ns), UINT64_MAX, 0, "Break" },
		{ offsetof(struct order, dither_ns), 1000000, 999999, "dither" },
		{ offsetof(struct order, work_ns), 999, 1000, "work" },
		{ offsetof(struct order, dl_runtime_ns), 1, 0, "deadline" },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct order o = order_good();
		uint64_t *field = (uint64_t *)((char *)&o + cases[i].offset);

		*field = cases[i].bad;
		assert_refused(&o, cases[i].word);
		*field = cases[i].good;
		g_assert_cmpint(order_check(&o, NULL), ==, 0);
	}
}

static void test_policies(void)
{
	struct order o = order_good();

	o.priority = 1;
	assert_refused(&o, "fifo and rr");
	o.policy = SCHED_FIFO;
	g_assert_cmpint(order_check(&o, NULL), ==, 0);
	o.priority = 0;
	assert_refused(&o, "priority");
	o.priority = 99; /* control has to outrank it */
	assert_refused(&o, "99");
	o.policy = 77;
	assert_refused(&o, "77");
	o.policy = SCHED_DEADLINE;
	o.priority = 0;
	assert_refused(&o, "runtime");
	o.dl_runtime_ns = 100000;
	o.dl_deadline_ns = o.dl_period_ns = 1000000;
	g_assert_cmpint(order_check(&o, NULL), ==, 0);
}

static void test_words(void)
{
	struct order o = order_good();

	memset(o.instrument, 'a', sizeof(o.instrument)); /* no end */
	assert_refused(&o, "instrument");
	strcpy(o.instrument, "../x");
	assert_refused(&o, "instrument");
	o = order_good();
	CPU_ZERO(&o.cpus);
	assert_refused(&o, "CPU");
}

static void test_roles(void)
{
	struct order good = order_good(), o;

	good.policy = SCHED_FIFO;
	good.priority = 80;
	good.role = ROLE_LOGGER;
	good.receive = ROLE_RECEIVE_IRQ;
	good.timeout_ns = 500000;
	strcpy(good.port, "parport0");
	g_assert_cmpint(order_check(&good, NULL), ==, 0);
	good.pulse = ROLE_PULSE_STROBE;
	g_assert_cmpint(order_check(&good, NULL), ==, 0);
	o = good;
	o.receive = ROLE_RECEIVE_POLL;
	assert_refused(&o, "Strobe");
	o.pulse = ROLE_PULSE_DATA;
	g_assert_cmpint(order_check(&o, NULL), ==, 0);
	o.pulse = ROLE_PULSE_VIRTUAL;
	assert_refused(&o, "Virtual");
	o.receive = ROLE_RECEIVE_IRQ;
	g_assert_cmpint(order_check(&o, NULL), ==, 0);
	o.pulse = _ROLE_PULSE_MAX;
	assert_refused(&o, "pulse");
	o = good;
	o.receive = 77;
	assert_refused(&o, "role");
	o = good;
	o.role = _ROLE_MAX;
	assert_refused(&o, "role");
	o = good;
	o.timeout_ns = 0;
	assert_refused(&o, "time-out");
	o.timeout_ns = 500001;
	assert_refused(&o, "half");
	o = good;
	CPU_SET(1, &o.cpus);
	assert_refused(&o, "one CPU");
	o = good;
	o.policy = SCHED_RR;
	assert_refused(&o, "fifo");
	o = good;
	o.answer = ROLE_ANSWER_USER;
	assert_refused(&o, "target");
	o = good;
	o.port[0] = '\0';
	assert_refused(&o, "port");
	strcpy(o.port, "a/b");
	assert_refused(&o, "port");
	memset(o.port, 'a', sizeof(o.port)); /* no end */
	assert_refused(&o, "port");
	o = good;
	o.role = ROLE_IRQ;
	assert_refused(&o, "port");
	o = order_good();
	strcpy(o.port, "parport0"); /* of a timer */
	assert_refused(&o, "port");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/order/round-trip", test_round_trip);
	g_test_add_func("/order/bytes", test_bytes);
	g_test_add_func("/order/ranges", test_ranges);
	g_test_add_func("/order/policies", test_policies);
	g_test_add_func("/order/words", test_words);
	g_test_add_func("/order/roles", test_roles);
	return g_test_run();
}
