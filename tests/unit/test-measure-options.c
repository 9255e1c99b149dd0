/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "options.h"
#include "rights.h"

#include <errno.h>
#include <glib.h>
#include <string.h>

static cpu_set_t four(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	for (int i = 0; i < 4; i++)
		CPU_SET(i, &set);
	return set;
}

static int parse(struct options *ret, char **ret_message, const char *line)
{
	g_auto(GStrv) argv = NULL;
	cpu_set_t allowed = four();
	int argc;

	if (!g_shell_parse_argv(line, &argc, &argv, NULL))
		g_assert_not_reached();
	return options_parse(argc, argv, &allowed, &allowed, ret, ret_message);
}

static struct options good(const char *line)
{
	g_autofree char *message = NULL;
	struct options o;

	g_assert_cmpint(parse(&o, &message, line), ==, 0);
	g_assert_null(message);
	return o;
}

static void refused(const char *line, const char *word)
{
	g_autofree char *message = NULL;
	struct options o = { .order_fd = 77 };

	g_assert_cmpint(parse(&o, &message, line), ==, -EINVAL);
	g_assert_cmpint(o.order_fd, ==, 77); /* untouched */
	if (!strstr(message, word)) {
		g_test_message("'%s' does not name %s", message, word);
		g_test_fail();
	}
}

static void test_defaults(void)
{
	struct options o = good("m timer");

	g_assert_cmpint(o.what, ==, OPTIONS_MEASURE);
	g_assert_cmpstr(o.order.instrument, ==, "timer");
	g_assert_cmpuint(o.order.policy, ==, SCHED_FIFO);
	g_assert_cmpuint(o.order.priority, ==, 80);
	g_assert_cmpuint(o.order.interval_ns, ==, 1000000);
	g_assert_cmpuint(o.order.duration_ns, ==, 10000000000);
	g_assert_cmpint(o.order.dma_latency_us, ==, 0);
	g_assert_cmpint(CPU_COUNT(&o.order.cpus), ==, 4);
	g_assert_false(o.json);
	g_assert_cmpint(order_check(&o.order, NULL), ==, 0);
}

static void test_values(void)
{
	struct options o = good("m --interval 250us timer --duration=1.5s --warm-up=0s --break=3ms "
				"--within=100us --dither=1us --work=2ms --policy=rr --priority=5 "
				"--dma-latency=no --cpus='3, 1' --json");

	g_assert_cmpuint(o.order.interval_ns, ==, 250000);
	g_assert_cmpuint(o.order.duration_ns, ==, 1500000000);
	g_assert_cmpuint(o.order.warmup_ns, ==, 0);
	g_assert_cmpuint(o.order.break_ns, ==, 3000000);
	g_assert_cmpuint(o.order.within_ns, ==, 100000);
	g_assert_cmpuint(o.order.dither_ns, ==, 1000);
	g_assert_cmpuint(o.order.work_ns, ==, 2000000);
	g_assert_cmpuint(o.order.policy, ==, SCHED_RR);
	g_assert_cmpuint(o.order.priority, ==, 5);
	g_assert_cmpint(o.order.dma_latency_us, ==, -1);
	g_assert_true(CPU_ISSET(1, &o.order.cpus) && CPU_ISSET(3, &o.order.cpus));
	g_assert_cmpint(CPU_COUNT(&o.order.cpus), ==, 2);
	g_assert_true(o.json);
	o = good("m timer --policy=other --nice=-5");
	g_assert_cmpuint(o.order.priority, ==, 0);
	g_assert_cmpint(o.order.nice, ==, -5);
}

static void test_child(void)
{
	struct options o = good("lrtbf-measure --order-fd=3 --region-fd=4");

	g_assert_cmpint(o.what, ==, OPTIONS_CHILD);
	g_assert_cmpint(o.order_fd, ==, 3);
	g_assert_cmpint(o.region_fd, ==, 4);
	refused("m --order-fd=3", "--region-fd");
	refused("m --order-fd=3 --region-fd=4 timer", "instrument");
	refused("m --order-fd=1 --region-fd=4", "--order-fd");
}

static void test_refused(void)
{
	refused("m", "instrument");
	refused("m timer cpuloop", "cpuloop");
	refused("m timer -smp", "-smp");
	refused("m timer --int=1ms", "--int");
	refused("m timer --intervals=1ms", "--intervals");
	refused("m timer --interval", "value");
	refused("m timer --interval=1", "--interval");
	refused("m timer --interval=3000000000", "--interval");
	refused("m timer --duration=99999999999999999999s", "--duration");
	refused("m timer --priority=5x", "--priority");
	refused("m timer --priority=4294967297", "--priority");
	refused("m timer --policy=FIFO", "FIFO");
	refused("m timer --cpus=4", "4");
	refused("m timer --json=1", "--json");
	refused("m timer --", "--");
	refused("m timer --nice=5", "nice");
	refused("m timer --dma-latency=1.5us", "whole");
	refused("m timer --dma-latency=3h", "whole");
	refused("m a_word_that_is_much_longer_than_any_instrument", "instrument");
}

/* Nothing that was asked for is left out in silence. */
static void test_unfit(void)
{
	static const struct {
		const char *line, *word;
	} cases[] = {
		{ "m timer --work=1ms", "--work" },
		{ "m cpuloop --interval=1ms", "--interval" },
		{ "m cpuloop --dither=1us", "--dither" },
		{ "m ktimer --dither=1us", "--dither" },
		{ "m timer --interval=2s --duration=1s", "interval of 2s" },
		{ "m timer --interval=0s", "interval" },
		{ "m timer --duration=0s", "duration" },
		{ "m timer --port=parport0", "--port" },
		{ "m timer --role=irq", "--role" },
		{ "m cpuloop --timeout=1ms", "--timeout" },
		{ "m parport --role=irq", "irq" },
		{ "m ktimer --role=loopback", "loopback" },
		{ "m ktimer --port=parport0", "port" },
		{ "m parport --interval=10us", "20us" },
		{ "m parport --timeout=600us", "half" },
		{ "m parport --role=logger --interval=1s --timeout=11ms", "10ms" },
		{ "m parport --answer=user", "target" },
		{ "m parport --receive=irq", "logger" },
		{ "m parport --strobe", "Strobe" },
		{ "m parport --virtual", "Virtual" },
		{ "m parport --role=target --strobe --virtual", "--virtual" },
		{ "m parport --role=target --interval=1ms", "interval" },
		{ "m parport --role=target --timeout=1ms", "lost" },
		{ "m parport --policy=rr", "fifo" },
		{ "m parport --cpus=0,1", "one CPU" },
	};
	struct options o = good("m timer --interval=1s --duration=1s");

	g_assert_cmpint(options_check(&o, instrument_find("timer"), NULL), ==, 0);
	o = good("m cpuloop --duration=100us --work=10us");
	g_assert_cmpint(options_check(&o, instrument_find("cpuloop"), NULL), ==, 0);
	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *message = NULL;

		o = good(cases[i].line);
		g_assert_cmpint(options_check(&o, instrument_find(o.order.instrument), &message),
				==, -EINVAL);
		if (!strstr(message, cases[i].word)) {
			g_test_message("%s: '%s' does not name %s", cases[i].line, message,
				       cases[i].word);
			g_test_fail();
		}
	}
}

static struct order complete(const char *line)
{
	struct options o = good(line);
	g_autofree char *message = NULL;

	if (options_check(&o, instrument_find(o.order.instrument), &message) < 0)
		g_error("%s: %s", line, message);
	return o.order;
}

/* What the kernel module's instruments need and nobody asked for. */
static void test_roles(void)
{
	struct order o = complete("m parport");

	g_assert_cmpuint(o.role, ==, ROLE_LOOPBACK);
	g_assert_cmpstr(o.port, ==, "parport0");
	g_assert_cmpuint(o.timeout_ns, ==, 500000);
	g_assert_cmpint(CPU_COUNT(&o.cpus), ==, 1);
	o = complete("m parport --role=logger --port=parport-2 --interval=100us --cpus=3");
	g_assert_cmpuint(o.receive, ==, ROLE_RECEIVE_POLL);
	g_assert_cmpstr(o.port, ==, "parport-2");
	g_assert_cmpuint(o.timeout_ns, ==, 50000);
	g_assert_true(CPU_ISSET(3, &o.cpus));
	o = complete("m parport --role=logger --receive=irq --strobe --timeout=20us");
	g_assert_cmpuint(o.receive, ==, ROLE_RECEIVE_IRQ);
	g_assert_cmpuint(o.pulse, ==, ROLE_PULSE_STROBE);
	g_assert_cmpuint(o.timeout_ns, ==, 20000);
	o = complete("m parport --role=target --virtual");
	g_assert_cmpuint(o.pulse, ==, ROLE_PULSE_VIRTUAL);
	o = complete("m parport --role=target");
	g_assert_cmpuint(o.pulse, ==, ROLE_PULSE_DATA);
	g_assert_cmpuint(o.answer, ==, ROLE_ANSWER_HANDLER);
	g_assert_cmpuint(o.interval_ns, ==, 0);
	g_assert_cmpuint(o.timeout_ns, ==, 0);
	o = complete("m ktimer --cpus=1,3");
	g_assert_cmpuint(o.role, ==, ROLE_IRQ);
	g_assert_cmpstr(o.port, ==, "");
	g_assert_cmpuint(o.timeout_ns, ==, 0);
	g_assert_cmpint(CPU_COUNT(&o.cpus), ==, 2);
	refused("m parport --port=/dev/parport0", "parport0");
	refused("m parport --port=../null", "parport0");
	refused("m parport --role=master", "--role");
}

static void test_latency(void)
{
	g_assert_cmpint(good("m timer --dma-latency=10us").order.dma_latency_us, ==, 10);
	g_assert_cmpint(good("m timer --dma-latency=10").order.dma_latency_us, ==, 10);
	g_assert_cmpint(good("m timer --dma-latency=2ms").order.dma_latency_us, ==, 2000);
	g_assert_cmpint(good("m timer --dma-latency=none").order.dma_latency_us, ==, -1);
}

static void test_rights_texts(void)
{
	struct order o;

	order_init(&o);
	o.policy = SCHED_FIFO;
	o.priority = 80;
	for (int error = 1; error < 134; error++) {
		static const int policies[] = { SCHED_FIFO, SCHED_OTHER, 6 };

		for (size_t i = 0; i < G_N_ELEMENTS(policies); i++) {
			g_autofree char *text = NULL;

			o.policy = policies[i];
			text = rights_policy_text(-error, &o, 3);
			g_assert_cmpuint(strlen(text), >, 20);
			g_assert_cmpuint(strlen(text), <, 512);
			g_assert_true(g_str_has_suffix(text, "."));
		}
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/measure-options/defaults", test_defaults);
	g_test_add_func("/measure-options/values", test_values);
	g_test_add_func("/measure-options/child", test_child);
	g_test_add_func("/measure-options/refused", test_refused);
	g_test_add_func("/measure-options/unfit", test_unfit);
	g_test_add_func("/measure-options/roles", test_roles);
	g_test_add_func("/measure-options/latency", test_latency);
	g_test_add_func("/measure-options/rights", test_rights_texts);
	return g_test_run();
}
