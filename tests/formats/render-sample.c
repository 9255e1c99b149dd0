/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * render-sample SAMPLE FORMAT [PLOT]: a made session in one of the report formats, to stdout; with
 * status 3 and a sentence where it has no such form. Without arguments: the names of the ordinary
 * samples; with --samples those of all, with --formats those of the formats. For tests that hand
 * reports to the programs which read them.
 */
#include "degenerate.h"
#include "report.h"
#include "result-sample.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECOND 1000000000ULL

static uint64_t random_next(uint64_t *state)
{
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return *state >> 33;
}

static struct result_stage *add_stage(struct result *r, const char *name, unsigned repeat,
				      unsigned cpus, unsigned seconds)
{
	struct result_stage *s = result_stage_new();

	s->index = r->stages->len;
	s->name = (g_free(s->name), g_strdup(name));
	s->load = (g_free(s->load), g_strdup(name));
	s->repeat = repeat;
	s->verdict = VERDICT_NONE;
	s->complete = true;
	s->started_usec = 1796004013250000ULL + s->index * (seconds + 2) * 1000000ULL;
	s->duration_ns = s->planned_ns = seconds * SECOND;
	for (unsigned c = 0; c < cpus; c++)
		g_ptr_array_add(s->cpus, result_cpu_new((int)c));
	g_ptr_array_add(r->stages, s);
	return s;
}

/* 100 a second, about @base_ns, one in 50 with a tail. */
static void fill(struct result_stage *s, uint64_t base_ns)
{
	for (guint c = 0; c < s->cpus->len; c++) {
		struct figures *f = ((struct result_cpu *)s->cpus->pdata[c])->figures;
		uint64_t state = (s->index + 1) * 1000 + c + 1;

		f->has_grid = 1;
		for (uint64_t i = 0; i < s->duration_ns / SECOND * 100; i++) {
			uint64_t ns = base_ns + random_next(&state) % base_ns;

			if (random_next(&state) % 50 == 0)
				ns += base_ns * (random_next(&state) % 40);
			figures_record(f, ns, i * (SECOND / 100) + 1);
		}
	}
}

static struct result *made_named(const char *label)
{
	struct result *r = sample_queued();

	r->state = SESSION_DONE;
	r->verdict = VERDICT_NONE;
	r->label = (g_free(r->label), g_strdup(label));
	return r;
}

static struct result *made_repeats(void)
{
	static const char *const names[] = { "none", "hd", "hd", "none" };
	static const unsigned repeats[] = { 1, 1, 2, 2 };
	struct result *r = made_named("repeats");

	for (size_t i = 0; i < G_N_ELEMENTS(names); i++)
		fill(add_stage(r, names[i], repeats[i], 2, 20), i % 3 ? 9000 : 3000);
	return r;
}

static struct result *made_wide(void)
{
	struct result *r = made_named("256 CPUs");

	fill(add_stage(r, "none", 1, 256, 5), 4000);
	return r;
}

static struct result *made_one(void)
{
	struct result *r = made_named("one sample");
	struct result_stage *s = add_stage(r, "none", 1, 1, 1);

	figures_record(((struct result_cpu *)s->cpus->pdata[0])->figures, 12345, SECOND / 2);
	return r;
}

static struct result *made_silent(void)
{
	struct result *r = made_named("no samples");

	add_stage(r, "none", 1, 2, 1);
	return r;
}

/* Some above another program's range. */
static struct result *made_open(void)
{
	struct result *r = made_named("known in part");
	struct result_stage *s = add_stage(r, "none", 1, 1, 20);
	struct figures *f;

	fill(s, 3000);
	f = ((struct result_cpu *)s->cpus->pdata[0])->figures;
	f->has_grid = 0;
	f->unplaced = 9;
	f->unplaced_from_ns = 500000;
	return r;
}

static struct result *made_tail(void)
{
	struct result *r = made_named("with a tail");
	struct result_stage *s = add_stage(r, "none", 1, 2, 200);

	fill(s, 3000);
	s->analysis =
		json_pack("{s:{s:f,s:f,s:f,s:[f,f],s:f,s:i,s:i,s:I,s:[{s:i,s:f,s:f,s:f,s:I},"
			  "{s:i,s:f,s:f,s:f,s:I}]}}",
			  "tail", "location_ns", 95e3, "scale_ns", 14e3, "shape", -0.2,
			  "shape_interval", -0.3, -0.1, "p_value", 0.4, "blocks", 200, "merged", 1,
			  "block_length_ns", (json_int_t)SECOND, "levels", "times", 10, "level_ns",
			  149e3, "low_ns", 135e3, "high_ns", 171e3, "duration_ns",
			  (json_int_t)(2000 * SECOND), "times", 100, "level_ns", 156e3, "low_ns",
			  140e3, "high_ns", 188e3, "duration_ns", (json_int_t)(20000 * SECOND));
	return r;
}

static const struct result_sample more_samples[] = {
	{ "repeated", made_repeats },
	{ "wide", made_wide },
	{ "one", made_one },
	{ "silent", made_silent },
	{ "open", made_open },
	{ "tail", made_tail },
	{ NULL, NULL },
};

static const struct result_sample *sample_find(const struct result_sample *samples,
					       const char *name)
{
	for (; samples->name; samples++)
		if (strcmp(samples->name, name) == 0)
			return samples;
	return NULL;
}

static void sample_list(const struct result_sample *samples)
{
	for (; samples->name; samples++)
		puts(samples->name);
}

/* "hostile-3" */
static struct result *sample_hostile_named(const char *name)
{
	return g_str_has_prefix(name, "hostile-") ? degenerate_hostile((unsigned)atoi(name + 8))
						  : NULL;
}

static struct result *sample_make(const char *name)
{
	const struct result_sample *s = sample_find(result_samples, name)
						?: sample_find(more_samples, name)
						?: sample_find(degenerate_samples, name);

	return s ? s->make() : sample_hostile_named(name);
}

static void list_hostile(void)
{
	struct result *r;

	for (unsigned i = 0; (r = degenerate_hostile(i)); i++) {
		printf("hostile-%u\n", i);
		result_free(r);
	}
}

static void list_formats(void)
{
	for (const struct report_format *const *f = report_formats; *f; f++)
		puts((*f)->name);
}

int main(int argc, char **argv)
{
	struct report_options o = { .plot = argc > 3 ? argv[3] : NULL };
	g_autoptr(GString) out = g_string_new(NULL);
	g_autofree char *message = NULL;
	struct result *r;
	int k;

	if (argc == 2 && strcmp(argv[1], "--formats") == 0) {
		list_formats();
		return 0;
	}
	if (argc < 3) {
		sample_list(result_samples);
		sample_list(more_samples);
		if (argc < 2)
			return 0;
		sample_list(degenerate_samples);
		list_hostile();
		return 0;
	}
	r = sample_make(argv[1]);
	if (!r)
		return 2;
	k = report_render(argv[2], r, &o, out, &message);
	result_free(r);
	if (k < 0) {
		fprintf(stderr, "%s\n", message ? message : "no sentence");
		return k == -EOPNOTSUPP && message ? 3 : 1;
	}
	return fwrite(out->str, 1, out->len, stdout) == out->len ? 0 : 1;
}
