/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How long the formats for people take for a session of four stages on 64 CPUs, and for one on 256,
 * beside the JSON of the same: bytes, milliseconds, and the ratio. Meant: html of 64 CPUs below 300
 * ms and 2 MiB.
 */
#include "report.h"
#include "result-sample.h"

#include <stdio.h>
#include <string.h>

#define ROUNDS 5

static uint64_t bench_random(uint64_t *state)
{
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return *state >> 33;
}

/* Two minutes at 1 ms, a tail of one in 500. */
static void bench_fill(struct figures *f, uint64_t seed)
{
	uint64_t state = seed;

	f->has_grid = 1;
	for (unsigned i = 0; i < 120000; i++) {
		uint64_t ns = 2500 + bench_random(&state) % 900 + bench_random(&state) % 900;

		if (bench_random(&state) % 500 == 0)
			ns += (5000ULL << bench_random(&state) % 7) *
			      (bench_random(&state) % 1000) / 1000;
		figures_record(f, ns, (i + 1) * 1000000ULL);
	}
}

static struct result *bench_session(unsigned cpus, unsigned stages)
{
	struct result *r = sample_queued();

	r->state = SESSION_DONE;
	r->verdict = VERDICT_NONE;
	for (unsigned k = 0; k < stages; k++) {
		struct result_stage *s = result_stage_new();

		s->index = k;
		s->name = (g_free(s->name), g_strdup_printf("load%u", k));
		s->load = (g_free(s->load), g_strdup(s->name));
		s->repeat = 1;
		s->started_usec = 1796004013250000ULL + k * 130000000ULL;
		s->duration_ns = s->planned_ns = 120000000000ULL;
		for (unsigned c = 0; c < cpus; c++) {
			struct result_cpu *cpu = result_cpu_new((int)c);

			bench_fill(cpu->figures, k * 1000 + c + 1);
			g_ptr_array_add(s->cpus, cpu);
		}
		g_ptr_array_add(r->stages, s);
	}
	return r;
}

/* Milliseconds of the fastest of some rounds. */
static double bench_format(const char *format, const struct result *r, size_t *ret_bytes)
{
	double best = 0;

	for (unsigned i = 0; i < ROUNDS; i++) {
		g_autoptr(GString) out = g_string_new(NULL);
		int64_t begin = g_get_monotonic_time();
		double ms;

		g_assert_cmpint(report_render(format, r, NULL, out, NULL), ==, 0);
		ms = (double)(g_get_monotonic_time() - begin) / 1000;
		best = i == 0 || ms < best ? ms : best;
		*ret_bytes = out->len;
	}
	return best;
}

int main(void)
{
	static const char *const formats[] = { "json", "html", "svg", "text" };
	static const unsigned sizes[][2] = { { 64, 4 }, { 256, 1 } };

	for (size_t k = 0; k < G_N_ELEMENTS(sizes); k++) {
		struct result *r = bench_session(sizes[k][0], sizes[k][1]);
		double json = 0;

		printf("%u CPUs, %u stages, 120000 samples each:\n", sizes[k][0], sizes[k][1]);
		for (size_t i = 0; i < G_N_ELEMENTS(formats); i++) {
			size_t bytes = 0;
			double ms = bench_format(formats[i], r, &bytes);

			json = i == 0 ? ms : json;
			printf("  %-5s %8.1f ms %9zu bytes   %5.2f of json\n", formats[i], ms,
			       bytes, ms / json);
		}
		result_free(r);
	}
	return 0;
}
