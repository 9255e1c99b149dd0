/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "comparison-internal.h"

#include <math.h>
#include <string.h>

static void effect_free(gpointer data)
{
	struct comparison_effect *e = data;

	g_free(e->name);
	g_free(e->unit);
	g_free(e);
}

struct comparison_place *comparison_place_new(void)
{
	struct comparison_place *p = g_new0(struct comparison_place, 1);

	p->readings = g_ptr_array_new_with_free_func((GDestroyNotify)comparison_reading_free);
	p->effects = g_ptr_array_new_with_free_func(effect_free);
	p->load = g_strdup("");
	p->printed = true;
	return p;
}

void comparison_place_free(struct comparison_place *p)
{
	if (!p)
		return;
	g_ptr_array_unref(p->readings);
	g_ptr_array_unref(p->effects);
	g_clear_pointer(&p->batches, g_ptr_array_unref);
	g_clear_pointer(&p->differences, g_array_unref);
	comparison_distribution_free(p->distribution);
	g_free(p->load);
	g_free(p->doubt);
	g_free(p);
}

static struct comparison_effect *place_effect(struct comparison_place *p,
					      const struct result_metric *m)
{
	struct comparison_effect *e;

	for (guint i = 0; i < p->effects->len; i++) {
		e = p->effects->pdata[i];
		if (strcmp(e->name, m->name) == 0 && strcmp(e->unit, m->unit) == 0)
			return e;
	}
	e = g_new0(struct comparison_effect, 1);
	e->name = g_strdup(m->name);
	e->unit = g_strdup(m->unit);
	g_ptr_array_add(p->effects, e);
	return e;
}

/*
 * The first finding that makes it inconclusive, with whose it is. That a limit wants more samples
 * than there are is that limit's matter.
 */
static void place_doubt(struct comparison_place *p, const struct result *r,
			const GPtrArray *findings)
{
	for (guint i = 0; !p->doubt && i < findings->len; i++) {
		const struct finding *f = findings->pdata[i];

		if (f->kind->weight == FINDING_INCONCLUSIVE && strcmp(f->kind->id, "too-few") != 0)
			p->doubt = g_strdup_printf("session %s: %s", r->id, f->text);
	}
}

static void place_add_stage(struct comparison_place *p, const struct result *r,
			    const struct result_stage *s)
{
	g_autofree struct figures *all = result_stage_all(s);

	for (guint i = 0; i < s->metrics->len; i++) {
		const struct result_metric *m = s->metrics->pdata[i];
		struct comparison_effect *e = place_effect(p, m);

		if (m->n == 0 || !isfinite(m->mean))
			continue;
		e->sum += m->mean;
		e->n++;
	}
	place_doubt(p, r, s->findings);
	place_doubt(p, r, r->findings);
	if (s->values->len == 0 && figures_count_known(all))
		p->printed = false;
	p->distribution = comparison_distribution_add(p->distribution, all);
}

void comparison_place_add(struct comparison_place *p, struct comparison_group *g,
			  const struct result *r, const GPtrArray *repeats)
{
	bool first = p->readings->len == 0;

	g_clear_pointer(&p->batches, g_ptr_array_unref);
	g_ptr_array_add(p->readings, comparison_read(g, repeats, first ? &p->batches : NULL));
	if (first) {
		g_free(p->load);
		p->load = g_strdup(((const struct result_stage *)repeats->pdata[0])->load);
	}
	for (guint i = 0; i < repeats->len; i++)
		place_add_stage(p, r, repeats->pdata[i]);
}

double comparison_place_value(const struct comparison_place *p, const struct comparison_group *g,
			      unsigned column, double *ret_low, double *ret_high)
{
	g_autofree double *values = g_new(double, p->readings->len + 1);
	unsigned n = 0;
	double value;

	for (guint i = 0; i < p->readings->len; i++) {
		const struct comparison_reading *r = p->readings->pdata[i];
		double v = comparison_reading_get(r->shown, column);

		if (!isnan(v))
			values[n++] = v;
	}
	value = comparison_reduce(comparison_column(g, column)->rule, values, n);
	*ret_low = n ? values[0] : NAN;
	*ret_high = n ? values[n - 1] : NAN;
	return value;
}
