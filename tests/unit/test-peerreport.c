/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "peerreport.h"

#include "result.h"

#include <errno.h>
#include <string.h>

/* A report with @stage and @warnings put in. */
static char *report(const char *stage, const char *warnings)
{
	return g_strdup_printf(
		"{\"format\":\"lrtbf-report\",\"version\":1,"
		"\"session\":{\"id\":\"s20261130T020000Z_4f2a\",\"plan\":\"answer\","
		"\"state\":\"stopped\",\"reason\":\"Stopped.\",\"method\":{\"role\":\"target\"}},"
		"\"conditions\":{\"kernel\":{\"release\":\"6.1\"},\"warnings\":[%s]},"
		"\"stages\":[%s]}",
		warnings, stage);
}

static void parse(const char *text, struct peerreport *p)
{
	g_autofree char *why = NULL;

	if (peerreport_parse(text, strlen(text), p, &why) < 0)
		g_error("%s", why);
}

static void test_parts(void)
{
	g_autofree char *text = report(
		"{\"load\":\"hd\",\"verdict\":\"none\",\"duration_ns\":5000,\"cpus\":[1,2],"
		"\"findings\":[{\"id\":\"load-no-effect\",\"text\":\"Nothing.\",\"inconclusive\":"
		"true},"
		"{\"id\":\"incomplete\",\"text\":\"Ended.\",\"inconclusive\":true},"
		"{\"id\":\"load-root\",\"text\":\"As root.\",\"inconclusive\":false}],"
		"\"effect\":{\"bytes_written\":{\"mean\":2.5,\"stddev\":null,\"min\":1,\"max\":4,"
		"\"unit\":\"B/s\",\"seconds\":3}},"
		"\"all\":{\"count\":7,\"histogram\":[[1,2,7]],\"worst\":[],\"blocks\":null}}",
		"{\"id\":\"throttling\",\"text\":\"On.\",\"inconclusive\":false},"
		"{\"id\":\"load-root\",\"text\":\"As root.\",\"inconclusive\":false},"
		"{\"id\":\"irq-rule\",\"text\":\"No rule.\",\"inconclusive\":true}");
	g_autoptr(GPtrArray) metrics = NULL;
	const struct result_metric *m;
	struct peerreport p;

	parse(text, &p);
	g_assert_cmpstr(peerreport_text(&p, "session"), ==, "s20261130T020000Z_4f2a");
	g_assert_cmpstr(peerreport_text(&p, "load"), ==, "hd");
	g_assert_cmpstr(peerreport_text(&p, "plan"), ==, "answer");
	g_assert_cmpstr(peerreport_text(&p, "port"), ==, "");
	g_assert_cmpuint(peerreport_duration_ns(&p), ==, 5000);
	g_assert_cmpuint(p.doubts->len, ==, 2);
	g_assert_cmpstr(p.doubts->pdata[0], ==, "Nothing.");
	g_assert_cmpstr(p.doubts->pdata[1], ==, "No rule.");
	g_assert_cmpuint(p.warnings->len, ==, 2);
	g_assert_cmpstr(p.warnings->pdata[0], ==, "As root.");
	g_assert_cmpstr(p.warnings->pdata[1], ==, "On.");
	g_assert_null(json_object_get(p.conditions, "warnings"));
	g_assert_nonnull(json_object_get(p.conditions, "kernel"));
	g_assert_null(json_object_get(p.stage, "cpus"));
	g_assert_true(json_is_null(json_object_get(p.stage, "port")));
	g_assert_null(json_object_get(json_object_get(p.stage, "all"), "histogram"));
	g_assert_nonnull(json_object_get(json_object_get(p.stage, "all"), "count"));
	metrics = peerreport_metrics(p.stage);
	g_assert_cmpuint(metrics->len, ==, 1);
	m = metrics->pdata[0];
	g_assert_cmpstr(m->name, ==, "bytes_written");
	g_assert_cmpuint(m->n, ==, 3);
	g_assert_cmpfloat(m->mean, ==, 2.5);
	g_assert_cmpfloat(m->max, ==, 4);
	peerreport_done(&p);
}

static void test_refused(void)
{
	static const char *const texts[] = {
		"",
		"null",
		"[]",
		"{}",
		"garbage",
		"{\"format\":\"lrtbf-report\"",
		"{\"format\":\"lrtbf-report\",\"version\":1}",
		"{\"format\":\"lrtbf-report\",\"version\":1,\"session\":[],\"stages\":{}}",
		"{\"format\":\"lrtbf-measure\",\"version\":1}",
	};
	static const char *const stages[] = { "", "{},{}", "1", "[]", "null" };

	for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
		g_autofree char *why = NULL;
		struct peerreport p;

		g_assert_cmpint(peerreport_parse(texts[i], strlen(texts[i]), &p, &why), ==,
				-EBADMSG);
		g_assert_cmpuint(strlen(why), >, 20);
	}
	for (size_t i = 0; i < G_N_ELEMENTS(stages); i++) {
		g_autofree char *text = report(stages[i], "");
		struct peerreport p;

		g_assert_cmpint(peerreport_parse(text, strlen(text), &p, NULL), ==, -EBADMSG);
	}
}

/* Nothing but what must be there, and everything of another type than it should be. */
static void test_odd(void)
{
	static const char *const stages[] = {
		"{}",
		"{\"load\":1,\"findings\":{\"a\":1},\"effect\":[1],\"all\":[3],\"duration_ns\":"
		"\"x\"}",
		"{\"findings\":[1,null,[],{\"text\":5,\"inconclusive\":true},{\"id\":7}],"
		"\"effect\":{\"a\":1,\"b\":{\"seconds\":-1,\"unit\":2}},\"duration_ns\":-4}",
	};

	for (size_t i = 0; i < G_N_ELEMENTS(stages); i++) {
		g_autofree char *text = report(stages[i], "3,[],{\"id\":[]}");
		g_autoptr(GPtrArray) metrics = NULL;
		struct peerreport p;

		parse(text, &p);
		g_assert_cmpuint(p.doubts->len + p.warnings->len, ==, 0);
		g_assert_cmpuint(peerreport_duration_ns(&p), ==, 0);
		metrics = peerreport_metrics(p.stage);
		for (guint k = 0; k < metrics->len; k++)
			g_assert_cmpuint(((struct result_metric *)metrics->pdata[k])->n, ==, 0);
		peerreport_done(&p);
	}
}

static void test_bounds(void)
{
	g_autoptr(GString) long_text = g_string_new(NULL), many = g_string_new(NULL);
	g_autofree char *stage = NULL, *text = NULL, *large = NULL, *huge = NULL;
	struct peerreport p;

	while (long_text->len < 5000)
		g_string_append(long_text, "\u00e4\u4e2d");
	g_string_append_printf(many, "{\"id\":\"x\",\"text\":\"%s\"}", long_text->str);
	for (int i = 0; i < 100; i++)
		g_string_append_printf(many, ",{\"id\":\"x\",\"text\":\"%d\"}", i);
	text = report("{}", many->str);
	parse(text, &p);
	g_assert_cmpuint(p.warnings->len, ==, 32);
	g_assert_cmpuint(strlen(p.warnings->pdata[0]), <=, 404);
	g_assert_true(g_utf8_validate(p.warnings->pdata[0], -1, NULL));
	peerreport_done(&p);

	large = g_strnfill(PEERREPORT_KEPT_MAX, 'a');
	stage = g_strdup_printf("{\"load\":\"%s\"}", large);
	g_free(text);
	text = report(stage, "");
	g_assert_cmpint(peerreport_parse(text, strlen(text), &p, NULL), ==, -EMSGSIZE);
	huge = g_strnfill(PEERREPORT_MAX + 1, ' ');
	g_assert_cmpint(peerreport_parse(huge, strlen(huge), &p, NULL), ==, -EMSGSIZE);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/peerreport/parts", test_parts);
	g_test_add_func("/peerreport/refused", test_refused);
	g_test_add_func("/peerreport/odd", test_odd);
	g_test_add_func("/peerreport/bounds", test_bounds);
	return g_test_run();
}
