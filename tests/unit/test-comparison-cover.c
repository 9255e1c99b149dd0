/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Do the intervals hold the truth as often as they claim? Made systems whose difference is known,
 * compared over and over through the whole of it, with a fixed seed. Bounds are wide enough for
 * what the method is known to reach (Welch's on logarithms of three values 96 %, batches of
 * dependent data 90 %), and narrow enough for what a wrong one gives (half of that).
 */
#include "comparison-made.h"

#include <math.h>

/* after jansson.h, which it looks for */
#include "cleanup.h"

#define TRUTH 10.0 /* percent */

static double normal(GRand *rand)
{
	double u = 1 - g_rand_double(rand), v = g_rand_double(rand);

	return sqrt(-2 * log(u)) * cos(2 * G_PI * v);
}

/* Means of a second's 100 samples, each like the one before it with @alike; @boot: of the session.
 */
static void fill(struct result_stage *s, GRand *rand, unsigned seconds, double mean_ns, double boot,
		 double alike)
{
	struct figures *f = made_figures(s);
	double state = normal(rand), level = mean_ns * exp(boot * normal(rand));

	for (unsigned i = 0; i < seconds; i++) {
		uint64_t ns;

		state = alike * state + sqrt(1 - alike * alike) * normal(rand);
		ns = (uint64_t)(level * exp(0.1 * state));
		for (unsigned k = 0; k < 4; k++)
			figures_record(f, ns + k, i * MADE_SECOND + k + 1);
	}
}

static struct result *session(const char *label, GRand *rand, double mean_ns, double boot,
			      double alike, unsigned seconds)
{
	struct result *r = made_session(label, "6.1");

	fill(made_stage(r, "none"), rand, seconds, mean_ns, boot, alike);
	return r;
}

struct outcome {
	unsigned held, shown;
};

static struct outcome simulate(unsigned runs, unsigned each, double percent, double boot,
			       double alike, unsigned seconds)
{
	GRand *rand = g_rand_new_with_seed(2005);
	struct outcome o = { 0 };

	for (unsigned i = 0; i < runs; i++) {
		struct result *all[11] = { NULL };
		g_autoptr(json_t) j = NULL;
		json_t *d;
		double low, high;

		for (unsigned k = 0; k < 2 * each; k++)
			all[k] = session(k < each ? "a" : "b", rand,
					 k < each ? 10000 : 10000 * (1 + percent / 100), boot,
					 alike, seconds);
		j = made_json(NULL, all);
		d = made_difference(j, 1, "none", "avg_ns");
		low = json_real_value(json_object_get(d, "low"));
		high = json_real_value(json_object_get(d, "high"));
		o.held += low <= percent && high >= percent;
		o.shown += low > 0 || high < 0;
	}
	g_rand_free(rand);
	return o;
}

static void check(const char *what, const struct outcome *o, unsigned runs, unsigned low,
		  unsigned high)
{
	g_test_message("%s: of %u intervals %u hold the truth, %u leave out 0", what, runs, o->held,
		       o->shown);
	g_assert_cmpuint(o->held, >=, low);
	g_assert_cmpuint(o->held, <=, high);
}

static void test_sessions(void)
{
	struct outcome three = simulate(300, 3, TRUTH, 0.03, 0, 4);
	struct outcome five = simulate(200, 5, TRUTH, 0.03, 0, 4);

	check("three sessions", &three, 300, 279, 297);
	check("five sessions", &five, 200, 183, 198);
	g_assert_cmpuint(five.shown, >, 90);
}

/* Equal systems: a difference is shown about as often as one of twenty, and not more. */
static void test_equal(void)
{
	struct outcome o = simulate(300, 3, 0, 0.03, 0, 4);

	check("equal systems", &o, 300, 279, 297);
	g_assert_cmpuint(o.shown, <=, 21);
}

/* Within a run: independent seconds, and such that are alike. */
static void test_runs(void)
{
	struct outcome o = simulate(200, 1, TRUTH, 0, 0, 100);
	struct outcome alike = simulate(200, 1, TRUTH, 0, 0.8, 200);

	check("runs", &o, 200, 180, 197);
	check("runs of dependent data", &alike, 200, 170, 197);
}

/*
 * Runs that differ by three times their inner error, of equal systems: intervals of the run leave
 * out 0 in half of the pairs, which is why they must not be read as more.
 */
static void test_runs_are_not_systems(void)
{
	struct outcome o = simulate(200, 1, 0, 0.03, 0, 100);

	check("equal systems by one run each", &o, 200, 20, 130);
	g_assert_cmpuint(o.shown, >, 80);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	if (g_getenv("LRTBF_VALGRIND"))
		return g_test_run(); /* the same code is under it in the other tests */
	g_test_add_func("/comparison-cover/sessions", test_sessions);
	g_test_add_func("/comparison-cover/equal", test_equal);
	g_test_add_func("/comparison-cover/runs", test_runs);
	g_test_add_func("/comparison-cover/runs-are-not-systems", test_runs_are_not_systems);
	return g_test_run();
}
