/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trend-sample.h"

#include <math.h>
/* after jansson.h, which it looks for */
#include "cleanup.h"

#define SAMPLE_START_USEC 1767232800000000ULL /* 2026-01-01 02:00 UTC */
#define SAMPLE_DAY_USEC	  86400000000ULL

static void sample_conditions(struct trend *t)
{
	g_autoptr(json_t) before =
		json_pack("{s:{s:s, s:{s:s, s:[]}}, s:{s:s}}", "kernel", "release", "6.1.0-1-rt",
			  "config", "HZ", "250", "debug", "clock", "source", "tsc");
	g_autoptr(json_t) after = json_pack("{s:{s:s, s:{s:s, s:[s]}}, s:{s:s}}", "kernel",
					    "release", "6.1.0-2-rt", "config", "HZ", "1000",
					    "debug", "PROVE_LOCKING", "clock", "source", "tsc");

	if (trend_shifts(t) > 0)
		trend_shift_conditions(t, 0, before, after);
}

struct trend *trend_sample(unsigned n, const char *figure, bool by_kernel)
{
	struct trend_options o = { "nightly", "none", figure, by_kernel };
	struct trend *t = trend_new(&o);

	for (unsigned i = 0; i < n; i++) {
		g_autofree char *id = g_strdup_printf("s%08x", i);
		struct trend_point p = {
			.id = id,
			.started_usec = SAMPLE_START_USEC + i * SAMPLE_DAY_USEC,
			.value = i % 17 == 16 ? NAN
					      : (i < n / 2 ? 20000 : 30000) + i * 7919u % 97 * 50,
			.kernel = i < n / 2 ? "6.1.0-1-rt" : "6.1.0-2-rt",
			.verdict = i % 23 == 22	  ? VERDICT_INCONCLUSIVE
				   : i % 29 == 28 ? VERDICT_FAIL
						  : VERDICT_PASS,
		};

		trend_add(t, &p);
	}
	trend_finish(t);
	sample_conditions(t);
	return t;
}
