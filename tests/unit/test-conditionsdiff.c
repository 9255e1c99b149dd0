/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What differs between two machines, worked out by hand. */
#include "conditionsdiff.h"

#include <string.h>

/* after jansson.h, which it looks for */
#include "cleanup.h"

static GPtrArray *diff_of(const char *a, const char *b)
{
	g_autoptr(json_t) ja = a ? json_loads(a, 0, NULL) : NULL;
	g_autoptr(json_t) jb = b ? json_loads(b, 0, NULL) : NULL;

	g_assert_true((!a || ja) && (!b || jb));
	return conditionsdiff_new(ja, jb);
}

/* "what a b costly", a line each. */
static void check(const char *a, const char *b, const char *expected)
{
	g_autoptr(GPtrArray) diff = diff_of(a, b);
	g_autoptr(GString) text = g_string_new(NULL);

	for (guint i = 0; i < diff->len; i++) {
		const struct conditionsdiff *d = diff->pdata[i];

		g_string_append_printf(text, "%s|%s|%s%s\n", d->what, d->a, d->b,
				       d->costly ? "|costly" : "");
	}
	g_assert_cmpstr(text->str, ==, expected);
}

static void test_nothing(void)
{
	check(NULL, NULL, "");
	check("{}", NULL, "");
	check("{}", "{}", "");
	check("[]", "{\"kernel\": 3, \"cpus\": {}, \"threads\": 1}", "");
	/* not known on one side */
	check("{\"kernel\": {\"release\": \"6.1\"}}", "{\"kernel\": {\"release\": null}}", "");
}

static void test_order(void)
{
	check("{\"virtualisation\": {\"machine\": null, \"product\": \"A\"},"
	      " \"clock\": {\"source\": \"tsc\"}, \"irqbalance\": false,"
	      " \"kernel\": {\"release\": \"6.1.0\", \"preemption\": \"rt\", \"tainted\": 0}}",
	      "{\"virtualisation\": {\"machine\": \"kvm\", \"product\": \"B\"},"
	      " \"clock\": {\"source\": \"hpet\"}, \"irqbalance\": true,"
	      " \"kernel\": {\"release\": \"6.6.0\", \"preemption\": \"full\", \"tainted\": 4096}}",
	      "kernel|6.1.0|6.6.0\n"
	      "preemption|rt|full|costly\n"
	      "virtual_machine|none|kvm|costly\n"
	      "clock_source|tsc|hpet|costly\n"
	      "irqbalance|no|yes|costly\n"
	      "product|A|B\n"
	      "tainted|0|4096\n");
}

static void test_options(void)
{
	/* the costly before the others; an option that one side does not know is none */
	check("{\"kernel\": {\"release\": \"6.1\", \"config_hash\": \"aa\", \"config\": {"
	      "\"SCHED_MC\": \"y\", \"PREEMPT_RT\": \"y\", \"HZ\": \"250\", \"NEW\": \"y\","
	      "\"debug\": [\"KASAN\", \"LOCKDEP\"]}}}",
	      "{\"kernel\": {\"release\": \"6.1\", \"config_hash\": \"bb\", \"config\": {"
	      "\"SCHED_MC\": \"n\", \"PREEMPT_RT\": \"n\", \"HZ\": \"1000\","
	      "\"debug\": [\"LOCKDEP\", \"PROVE_LOCKING\"]}}}",
	      "CONFIG_PREEMPT_RT|y|n|costly\n"
	      "CONFIG_HZ|250|1000|costly\n"
	      "CONFIG_KASAN|y|n|costly\n"
	      "CONFIG_PROVE_LOCKING|n|y|costly\n"
	      "CONFIG_SCHED_MC|y|n\n");
}

static void test_hash(void)
{
	/* only hashes are known */
	check("{\"kernel\": {\"config_hash\": \"0123456789abcdef\"}}",
	      "{\"kernel\": {\"config_hash\": \"fedcba9876543210\", \"config\": null}}",
	      "kernel_config_hash|0123456789ab|fedcba987654\n");
	/* one release, options alike: something else in it */
	check("{\"kernel\": {\"release\": \"6.1\", \"config_hash\": \"aa\", \"config\": {\"HZ\": "
	      "\"1\"}}}",
	      "{\"kernel\": {\"release\": \"6.1\", \"config_hash\": \"bb\", \"config\": {\"HZ\": "
	      "\"1\"}}}",
	      "kernel_config_hash|aa|bb\n");
	/* two releases never have one hash */
	check("{\"kernel\": {\"release\": \"6.1\", \"config_hash\": \"aa\", \"config\": {\"HZ\": "
	      "\"1\"}}}",
	      "{\"kernel\": {\"release\": \"6.2\", \"config_hash\": \"bb\", \"config\": {\"HZ\": "
	      "\"1\"}}}",
	      "kernel|6.1|6.2\n");
}

static void test_command_line(void)
{
	check("{\"kernel\": {\"command_line\": \"BOOT_IMAGE=/a root=/dev/sda1 quiet  "
	      "isolcpus=1\"}}",
	      "{\"kernel\": {\"command_line\": \"BOOT_IMAGE=/b root=/dev/sdb1 quiet\"}}",
	      "command_line|isolcpus=1||costly\n");
	check("{\"kernel\": {\"command_line\": \"quiet\"}}",
	      "{\"kernel\": {\"command_line\": \"splash quiet debug\"}}",
	      "command_line||splash debug\n");
	check("{\"kernel\": {\"command_line\": \"BOOT_IMAGE=/a quiet\"}}",
	      "{\"kernel\": {\"command_line\": \"quiet BOOT_IMAGE=/b\"}}", "");
}

static void test_cpus(void)
{
	check("{\"cpus\": [{\"cpu\": 0, \"governor\": \"performance\"},"
	      "{\"cpu\": 1, \"governor\": \"performance\"}, {\"cpu\": 2, \"governor\": "
	      "\"powersave\"},"
	      "{\"cpu\": -1, \"governor\": \"x\"}, {\"cpu\": 99999999, \"governor\": \"y\"}]}",
	      "{\"cpus\": [{\"cpu\": 0, \"governor\": \"powersave\"},"
	      "{\"cpu\": 1, \"governor\": \"powersave\"}]}",
	      "governor|0-1 performance, 2 powersave|0-1 powersave|costly\n");
	check("{\"cpus\": [{\"cpu\": 0, \"governor\": null}]}",
	      "{\"cpus\": [{\"cpu\": 0, \"governor\": \"powersave\"}]}", "");
	check("{\"processor\": {\"mitigations\": {\"mds\": \"Not affected\", \"l1tf\": \"x\"}}}",
	      "{\"processor\": {\"mitigations\": {\"mds\": \"Vulnerable\", \"spectre\": \"x\"}}}",
	      "mitigation_mds|Not affected|Vulnerable|costly\n");
}

#define THREAD(name, priority)                                                                     \
	"{\"name\": \"" name "\", \"policy\": \"fifo\", \"priority\": " priority "}"

static void test_threads(void)
{
	/* numbers of lines and CPUs do not count; ours and the stoppers neither */
	check("{\"threads\": [" THREAD("irq/24-eth0", "50") "," THREAD("ktimers/0", "1") "," THREAD(
		      "ktimers/1", "1") "," THREAD("migration/0", "99") "]}",
	      "{\"threads\": [" THREAD("irq/31-eth0", "50") "," THREAD("ktimers/0", "1") "," THREAD(
		      "lrtbf-measure", "95") "]}",
	      "");
	check("{\"threads\": [" THREAD("irq/24-eth0", "50") "," THREAD("irq/25-eth0", "51") "]}",
	      "{\"threads\": [" THREAD("irq/24-eth0", "90") "," THREAD("jackd", "70") "]}",
	      "thread irq/eth0|fifo 50, fifo 51|fifo 90\n"
	      "thread jackd||fifo 70\n");
	check("{}", "{\"threads\": [" THREAD("jackd", "70") "]}", "");
}

static void test_many_threads(void)
{
	g_autoptr(json_t) a = json_pack("{s:[]}", "threads"), b = json_pack("{s:[]}", "threads");
	g_autoptr(GPtrArray) diff = NULL;
	const struct conditionsdiff *last;

	for (int i = 0; i < 100; i++) {
		g_autofree char *name = g_strdup_printf("irq/%d-dev%d", i, i);

		json_array_append_new(json_object_get(b, "threads"),
				      json_pack("{s:s, s:s, s:i}", "name", name, "policy", "fifo",
						"priority", 50));
	}
	diff = conditionsdiff_new(a, b);
	g_assert_cmpuint(diff->len, ==, 13);
	last = diff->pdata[12];
	g_assert_cmpstr(last->what, ==, "threads");
	g_assert_cmpstr(last->b, ==, "88 more differ");
}

static void test_hostile(void)
{
	g_autofree char *text = g_strnfill(100000, 'x');
	g_autoptr(json_t) a = json_pack("{s:{s:s}}", "kernel", "release", "a\nb\033[1m");
	g_autoptr(json_t) b = json_pack("{s:{s:s}}", "kernel", "release", text);
	g_autoptr(GPtrArray) diff = conditionsdiff_new(a, b);
	const struct conditionsdiff *d;

	g_assert_cmpuint(diff->len, ==, 1);
	d = diff->pdata[0];
	g_assert_null(strpbrk(d->a, "\n\033"));
	g_assert_cmpuint(strlen(d->b), ==, 400);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/conditionsdiff/nothing", test_nothing);
	g_test_add_func("/conditionsdiff/order", test_order);
	g_test_add_func("/conditionsdiff/options", test_options);
	g_test_add_func("/conditionsdiff/hash", test_hash);
	g_test_add_func("/conditionsdiff/command-line", test_command_line);
	g_test_add_func("/conditionsdiff/cpus", test_cpus);
	g_test_add_func("/conditionsdiff/threads", test_threads);
	g_test_add_func("/conditionsdiff/many-threads", test_many_threads);
	g_test_add_func("/conditionsdiff/hostile", test_hostile);
	return g_test_run();
}
