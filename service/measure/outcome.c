/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why microseconds with a fixed number of decimals in the text: columns are read against each
 * other, and 9.8 above 12.1 is seen at once where 9800 ns and 12.1 us are not. The JSON has
 * nanoseconds.
 */
#include "outcome.h"

#include "cpulist.h"
#include "duration.h"
#include "figures-json.h"
#include "finding.h"
#include "policy.h"
#include "portfacts.h"

#include "cleanup.h" /* after the library whose cleanup it brings */

#include <errno.h>
#include <string.h>

int outcome_take(struct outcome *out, const struct order *o, const struct region_header *map,
		 struct region_header *header)
{
	size_t size = region_mapped(map);
	int r = region_check(map, size, header);

	*out = (struct outcome){
		.order = o,
		.header = header,
		.cpus = g_ptr_array_new_with_free_func(g_free),
		.all = figures_new(),
	};
	for (unsigned i = 0; r >= 0 && i < header->n_cpus; i++) {
		struct region_cpu *c = g_new(struct region_cpu, 1);

		g_ptr_array_add(out->cpus, c);
		r = region_read_cpu(map, size, i, c);
		if (r >= 0)
			figures_add(out->all, &c->figures);
	}
	return MIN(r, 0);
}

void outcome_done(struct outcome *out)
{
	g_clear_pointer(&out->cpus, g_ptr_array_unref);
	g_clear_pointer(&out->all, g_free);
}

/* Without the warm-up. */
static uint64_t outcome_measured_ns(const struct outcome *out)
{
	const struct region_header *h = out->header;

	return h->begin_mono_ns > 0 ? h->end_mono_ns - h->begin_mono_ns : 0;
}

/* What the kernel module said; NULL: it was not used. */
static json_t *outcome_port(const struct outcome *out)
{
	json_t *facts = NULL;

	for (guint i = 0; i < out->cpus->len; i++) {
		const struct region_cpu *c = out->cpus->pdata[i];

		facts = portfacts_add(facts, c->cpu, &c->port);
	}
	return facts;
}

/* --- text --- */

static void text_us(GString *s, bool known, double ns)
{
	if (known)
		g_string_append_printf(s, " %10.3f", ns / 1000);
	else
		g_string_append_printf(s, " %10s", "-");
}

static void text_percentile(GString *s, const struct figures *f, uint32_t ppm)
{
	uint64_t ns = 0;
	bool known = figures_percentile_ns(f, ppm, false, &ns);

	text_us(s, known, (double)ns);
}

static void text_row(GString *s, const char *name, const struct figures *f)
{
	uint64_t n = figures_count(f);
	double avg = 0, stddev = 0;
	bool has_avg = figures_mean_ns(f, &avg), has_stddev = figures_stddev_ns(f, &stddev);

	g_string_append_printf(s, "%4s %10" G_GUINT64_FORMAT, name, n);
	text_us(s, n > 0, (double)f->min_ns);
	text_us(s, has_avg, avg);
	text_us(s, n > 0, (double)f->max_ns);
	text_us(s, has_stddev, stddev);
	text_percentile(s, f, 500000);
	text_percentile(s, f, 990000);
	text_percentile(s, f, 999000);
	text_percentile(s, f, 999900);
	if (f->has_grid)
		g_string_append_printf(s, " %8" G_GUINT64_FORMAT, f->missed);
	else
		g_string_append_printf(s, " %8s", "-");
	g_string_append_printf(s, " %8" G_GUINT64_FORMAT "\n", f->migrated);
}

static void text_head(GString *s, const struct outcome *out)
{
	const struct order *o = out->order;
	const struct region_header *h = out->header;
	g_autofree char *cpus = cpulist_format(&o->cpus);
	g_autofree char *interval = duration_format(o->interval_ns);

	g_string_append_printf(s, "%s on CPU %s, policy %s", o->instrument, cpus,
			       policy_to_string((int)o->policy));
	if (policy_is_realtime((int)o->policy))
		g_string_append_printf(s, " %u", o->priority);
	if (o->role != ROLE_NONE ? o->interval_ns > 0 : out->all->has_grid)
		g_string_append_printf(s, ", interval %s", interval);
	g_string_append_printf(s, ", %.1f s\n", (double)outcome_measured_ns(out) / 1e9);
	if (h->broke)
		g_string_append_printf(s, "ended by a sample of %.3f us (--break)\n",
				       (double)h->break_ns / 1000);
	if (out->all->nominal_ns > 0)
		g_string_append_printf(s,
				       "an undisturbed pass takes %.3f us; passes faster than it: "
				       "%" G_GUINT64_FORMAT "\n",
				       (double)out->all->nominal_ns / 1000, out->all->early);
}

static void text_port(GString *s, const struct outcome *out)
{
	g_autoptr(json_t) facts = outcome_port(out);
	g_auto(GStrv) lines = portfacts_lines(facts);

	for (char **line = lines; *line; line++)
		g_string_append_printf(s, "%s\n", *line);
}

static void text_warnings(GString *s, const struct outcome *out)
{
	g_auto(GStrv) ids = g_strsplit(out->header->warnings, " ", -1);

	for (char **id = ids; *id; id++) {
		const struct finding_kind *kind = finding_kind(*id);

		if (kind)
			g_string_append_printf(s, "note: %s %s\n", kind->text, kind->mend);
	}
	if (figures_count(out->all) == 0)
		g_string_append_printf(s, "note: %s\n", finding_kind("no-samples")->text);
	if (out->all->migrated > 0)
		g_string_append_printf(s, "note: %s\n", finding_kind("migrated")->text);
	if (out->all->pending_ns > 0)
		g_string_append_printf(s, "note: A wake-up was overdue by %.3f us at the end.\n",
				       (double)out->all->pending_ns / 1000);
}

char *outcome_text(const struct outcome *out)
{
	GString *s = g_string_new(NULL);

	text_head(s, out);
	text_port(s, out);
	text_warnings(s, out);
	g_string_append_printf(s, "\n%4s %10s %10s %10s %10s %10s %10s %10s %10s %10s %8s %8s\n",
			       "CPU", "samples", "min us", "avg us", "max us", "stddev us", "50%",
			       "99%", "99.9%", "99.99%", "missed", "migrated");
	for (guint i = 0; i < out->cpus->len; i++) {
		const struct region_cpu *c = out->cpus->pdata[i];
		g_autofree char *name = g_strdup_printf("%d", c->cpu);

		text_row(s, name, &c->figures);
	}
	if (out->cpus->len > 1)
		text_row(s, "all", out->all);
	return g_string_free(s, FALSE);
}

/* --- JSON --- */

static json_t *json_policy(int policy)
{
	const char *name = policy_to_string(policy);

	return name ? json_string(name) : json_null();
}

static json_t *json_warnings(const struct outcome *out)
{
	g_auto(GStrv) ids = g_strsplit(out->header->warnings, " ", -1);
	json_t *list = json_array();

	for (char **id = ids; *id; id++) {
		const struct finding_kind *kind = finding_kind(*id);
		json_t *w;

		if (!kind)
			continue;
		w = json_object();
		json_object_set_new(w, "id", json_string(kind->id));
		json_object_set_new(w, "text", json_string(kind->text));
		json_object_set_new(w, "mend", json_string(kind->mend));
		json_array_append_new(list, w);
	}
	return list;
}

static json_t *json_cpu(const struct outcome *out, const struct region_cpu *c)
{
	json_t *figures = figures_to_json(&c->figures, out->header->start_real_ns, true);
	json_t *j = json_object();

	json_object_set_new(j, "cpu", json_integer(c->cpu));
	json_object_set_new(j, "policy", json_policy(c->policy));
	json_object_set_new(j, "priority", json_integer(c->priority));
	json_object_update(j, figures);
	json_decref(figures);
	return j;
}

static json_t *json_all(const struct outcome *out)
{
	const struct order *o = out->order;
	const struct region_header *h = out->header;
	json_t *j = json_object(), *cpus = json_array(), *port = outcome_port(out);
	bool grid = out->all->has_grid;

	json_object_set_new(j, "format", json_string("lrtbf-measure"));
	json_object_set_new(j, "version", json_integer(1));
	json_object_set_new(j, "instrument", json_string(o->instrument));
	json_object_set_new(j, "policy", json_policy((int)o->policy));
	json_object_set_new(j, "priority", json_integer(o->priority));
	json_object_set_new(j, "interval_ns",
			    grid || (o->role != ROLE_NONE && o->interval_ns > 0)
				    ? json_integer((json_int_t)o->interval_ns)
				    : json_null());
	json_object_set_new(j, "duration_ns", json_integer((json_int_t)o->duration_ns));
	json_object_set_new(j, "started_usec", json_integer((json_int_t)(h->start_real_ns / 1000)));
	json_object_set_new(j, "measured_ns", json_integer((json_int_t)outcome_measured_ns(out)));
	json_object_set_new(j, "broke_ns",
			    h->broke ? json_integer((json_int_t)h->break_ns) : json_null());
	json_object_set_new(j, "dma_latency_us",
			    h->dma_latency_us < 0 ? json_null() : json_integer(h->dma_latency_us));
	json_object_set_new(j, "port", port ?: json_null());
	json_object_set_new(j, "warnings", json_warnings(out));
	json_object_set_new(j, "all", figures_to_json(out->all, h->start_real_ns, true));
	for (guint i = 0; i < out->cpus->len; i++)
		json_array_append_new(cpus, json_cpu(out, out->cpus->pdata[i]));
	json_object_set_new(j, "cpus", cpus);
	return j;
}

char *outcome_json(const struct outcome *out)
{
	g_autoptr(json_t) j = json_all(out);

	return json_text(j, true);
}
