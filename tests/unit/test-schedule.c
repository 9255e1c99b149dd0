/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "schedule.h"

#include "calendartext.h"
#include "plan-shared.h"
#include "scheduledropin.h"

#include <errno.h>
#include <string.h>

static void test_defaults(void)
{
	struct plan *p = parsed("duration = \"1s\";");

	g_assert_false(schedule_is_set(&p->schedule));
	g_assert_true(p->schedule.enabled);
	g_assert_cmpuint(p->schedule.accuracy_ns, ==, S);
	g_assert_cmpuint(p->schedule.start_within_ns, ==, 0);
	plan_free(p);
}

static void test_keys(void)
{
	struct plan *p = parsed("schedule = \"Mon..Fri 02:00\";\n"
				"persistent = true; wake_system = true; on_boot = \"15min\";\n"
				"randomized_delay = \"30s\"; accuracy = \"1ms\";\n"
				"start_within = \"1h\"; schedule_enabled = false;\n");
	const struct schedule_calendar *c = p->schedule.calendars->pdata[0];

	g_assert_true(schedule_is_set(&p->schedule));
	g_assert_cmpuint(p->schedule.calendars->len, ==, 1);
	g_assert_cmpstr(c->text, ==, "Mon..Fri 02:00");
	g_assert_cmpstr(c->file, ==, "x.conf");
	g_assert_cmpuint(c->line, ==, 1);
	g_assert_true(p->schedule.persistent);
	g_assert_true(p->schedule.wake_system);
	g_assert_false(p->schedule.enabled);
	g_assert_cmpuint(p->schedule.on_boot_ns, ==, 900 * S);
	g_assert_cmpuint(p->schedule.randomized_delay_ns, ==, 30 * S);
	g_assert_cmpuint(p->schedule.accuracy_ns, ==, S / 1000);
	g_assert_cmpuint(p->schedule.start_within_ns, ==, 3600 * S);
	plan_free(p);
}

/* Written out and read again it is the same, with a copy in between. */
static void test_round_trip(void)
{
	struct plan *p = parsed("schedule = [ \"*:0/5\",\n \"Sun 03:00 Europe/Berlin\" ];\n"
				"persistent = true; start_within = \"90s\";");
	struct plan *copy = plan_copy(p), *again;
	g_autofree char *text = NULL, *joined = NULL, *text2 = NULL;

	plan_free(p);
	text = plan_format(copy);
	again = parsed(text);
	text2 = plan_format(again);
	joined = schedule_join(&again->schedule);
	g_assert_cmpstr(text, ==, text2);
	g_assert_cmpstr(joined, ==, "*:0/5; Sun 03:00 Europe/Berlin");
	g_assert_cmpuint(((struct schedule_calendar *)copy->schedule.calendars->pdata[1])->line, ==,
			 2);
	g_assert_true(again->schedule.persistent);
	g_assert_cmpuint(again->schedule.start_within_ns, ==, 90 * S);
	plan_free(copy);
	plan_free(again);
}

static void test_refused(void)
{
	refused("schedule = \"\";", "x.conf:1:", "says when");
	refused("schedule = \"  \";", "x.conf:1:", "says when");
	refused("\nschedule = \"daily%n\";", "x.conf:2:", "'%'");
	refused("schedule = \"daily\\nExecStart=/bin/sh\";", "x.conf:1:", "one line");
	refused("schedule = \"daily\\\\\";", "x.conf:1:", "'\\'");
	refused("schedule = \"daily;weekly\";", "x.conf:1:", "';'");
	refused("schedule = \"t\xc3\xa4glich\";", "x.conf:1:", "one line");
	refused("schedule = [ \"daily\",\n\"#\" ];", "x.conf:2:", "'#'");
	refused("schedule = 5;", "x.conf:1:", "schedule");
	refused("duration = \"1s\";\npersistent = true;", "x.conf:2:", "has none");
	refused("start_within = \"1h\";", "x.conf:1:", "has none");
	refused("on_boot = \"1min\"; persistent = true;", "x.conf:1:", "on_boot");
	refused("schedule = \"daily\"; start_within = \"1ms\";", "x.conf:1:", "1s");
	refused("schedule = \"daily\"; accuracy = 1;", "x.conf:1:", "bare number");
	refused("schedule = \"daily\"; wake_system = \"yes\";", "x.conf:1:", "true or false");
	refused("schedule = \"daily\"; persistant = true;", "x.conf:1:", "persistant");
}

static void test_too_many(void)
{
	g_autoptr(GString) text = g_string_new("schedule = [ \"daily\"");
	g_autofree char *longest = g_strnfill(SCHEDULE_TEXT_MAX, '*');
	g_autofree char *over = g_strdup_printf("schedule = \"%s*\";", longest);

	for (int i = 0; i < SCHEDULE_CALENDARS_MAX; i++)
		g_string_append(text, ", \"daily\"");
	g_string_append(text, " ];");
	refused(text->str, "x.conf:1:", "over 32");
	refused(over, "x.conf:1:", "at most 256");
	g_assert_cmpint(schedule_text_check(longest, NULL), ==, 0);
}

/* Every byte but those of calendar expressions. */
static void test_bytes(void)
{
	for (int c = 1; c < 256; c++) {
		char text[] = { 'a', (char)c, 'b', '\0' };
		bool good = g_ascii_isalnum(c) || strchr(" *:/.,~+-_@", c);

		g_assert_cmpint(schedule_text_check(text, NULL), ==, good ? 0 : -EINVAL);
	}
}

/* --- the drop-in --- */

static char *changed(const char *old, const struct schedule_change *changes, size_t n)
{
	g_autofree char *why = NULL;
	char *text = NULL;

	if (scheduledropin_change(old, old ? strlen(old) : 0, changes, n, &text, &why) < 0)
		g_error("refused: %s", why);
	return text;
}

static void test_dropin(void)
{
	const struct schedule_change first[] = { { "schedule", "Mon 02:00;Fri 03:00 " },
						 { "start_within", "10min" },
						 { "persistent", "true" } };
	const struct schedule_change off = { "schedule_enabled", "false" };
	const struct schedule_change other = { "schedule", "daily" };
	g_autofree char *a = changed(NULL, first, 3);
	g_autofree char *b = changed(a, &off, 1);
	g_autofree char *c = changed(b, &other, 1);
	struct plan *p = parsed(b);
	g_autofree char *joined = schedule_join(&p->schedule);

	g_assert_cmpstr(joined, ==, "Mon 02:00; Fri 03:00");
	g_assert_true(p->schedule.persistent);
	g_assert_false(p->schedule.enabled);
	g_assert_cmpuint(p->schedule.start_within_ns, ==, 600 * S);
	plan_free(p);
	p = parsed(c);
	g_assert_cmpuint(p->schedule.calendars->len, ==, 1);
	g_assert_true(p->schedule.persistent);
	g_assert_false(p->schedule.enabled);
	plan_free(p);
}

static void dropin_refused(const char *old, const struct schedule_change *change, int error,
			   const char *part)
{
	g_autofree char *why = NULL;
	char *text = NULL;

	g_assert_cmpint(scheduledropin_change(old, old ? strlen(old) : 0, change, 1, &text, &why),
			==, error);
	g_assert_nonnull(why);
	g_assert_nonnull(strstr(why, part));
	g_assert_null(text);
}

static void test_dropin_refused(void)
{
	const struct schedule_change off = { "schedule_enabled", "false" };
	const struct schedule_change other = { "priority", "98" };
	g_autofree char *ours = changed(NULL, &off, 1);
	g_autofree char *foreign = g_strconcat(ours, "priority = 3;\n", NULL);
	g_autofree char *broken = g_strconcat(ours, "schedule = [\n", NULL);

	dropin_refused(NULL, &other, -ENOENT, "priority");
	dropin_refused("schedule = \"daily\";\n", &off, -EKEYREJECTED, "somebody else's");
	dropin_refused("", &off, -EKEYREJECTED, "somebody else's");
	dropin_refused(foreign, &off, -EKEYREJECTED, "priority");
	dropin_refused(broken, &off, -EKEYREJECTED, "50-schedule.conf:");
}

/* Whatever a caller wishes stays inside its quotes. */
static void test_dropin_quotes(void)
{
	const struct schedule_change hostile[] = {
		{ "schedule", "a\"; priority = 98; x = \"\n" },
		{ "accuracy", "\"; lock_memory = false; #" },
		{ "persistent", "true; priority = 98" },
	};
	g_autofree char *text = changed(NULL, hostile, G_N_ELEMENTS(hostile));
	g_autoptr(GPtrArray) problems = problems_new();

	g_assert_null(plan_parse("x", text, strlen(text), "x", problems));
	for (guint i = 0; i < problems->len; i++)
		g_assert_null(strstr(((struct problem *)problems->pdata[i])->text, "priority\""));
	g_assert_nonnull(strstr(text, "persistent = false;\n"));
}

/* --- what systemd-analyze prints --- */

static int next(const char *text, uint64_t *ret)
{
	return calendartext_next(text, strlen(text), ret);
}

static void test_calendar_text(void)
{
	uint64_t usec = 7;

	g_assert_cmpint(next("  Original form: 02:00\nNormalized form: *-*-* 02:00:00\n"
			     "    Next elapse: Tue 2026-12-01 02:00:00 UTC\n"
			     "       From now: 5h 10min left\n",
			     &usec),
			==, 0);
	g_assert_cmpuint(usec, ==, UINT64_C(1796090400000000));
	g_assert_cmpint(next("Normalized form: x\n    Next elapse: Tue 2026-12-01 02:00:00 CET\n"
			     "       (in UTC): Tue 2026-12-01 01:00:00 UTC\n",
			     &usec),
			==, 0);
	g_assert_cmpuint(usec, ==, UINT64_C(1796086800000000));
	usec = 7;
	g_assert_cmpint(next("    Next elapse: never\n", &usec), ==, -ENODATA);
	g_assert_cmpint(next("    Next elapse: Tue 2026-12-01 02:00:00 CET\n", &usec), ==,
			-EBADMSG);
	g_assert_cmpint(next("    Next elapse: Tue 2026-13-01 02:00:00 UTC\n", &usec), ==,
			-EBADMSG);
	g_assert_cmpint(next("    Next elapse: Tue 2026-12-01 02:00:00 UTC x\n", &usec), ==,
			-EBADMSG);
	g_assert_cmpint(next("    Next elapse: Tue 1826-12-01 02:00:00 UTC\n", &usec), ==,
			-EBADMSG);
	g_assert_cmpint(next("", &usec), ==, -EBADMSG);
	g_assert_cmpuint(usec, ==, 7);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/schedule/defaults", test_defaults);
	g_test_add_func("/schedule/keys", test_keys);
	g_test_add_func("/schedule/round-trip", test_round_trip);
	g_test_add_func("/schedule/refused", test_refused);
	g_test_add_func("/schedule/too-many", test_too_many);
	g_test_add_func("/schedule/bytes", test_bytes);
	g_test_add_func("/schedule/dropin", test_dropin);
	g_test_add_func("/schedule/dropin-refused", test_dropin_refused);
	g_test_add_func("/schedule/dropin-quotes", test_dropin_quotes);
	g_test_add_func("/schedule/calendar-text", test_calendar_text);
	return g_test_run();
}
