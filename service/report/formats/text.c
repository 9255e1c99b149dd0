/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The report that an engineer reads. Its parts are files of their own beside this folder; here is
 * their order only: weaknesses and head, all stages side by side, each stage (of repeats one), what
 * to do.
 */
#include "notes.h"
#include "repeats.h"
#include "report.h"
#include "text-head.h"
#include "text-repeats.h"
#include "text-stage.h"
#include "text-thinned.h"
#include "text-values.h"

static int text_render(const struct result *r, const struct report_options *o, GString *out,
		       char **ret_message)
{
	g_autoptr(GPtrArray) notes = notes_new(r);
	g_autoptr(GPtrArray) repeats = repeats_of(r);
	guint n = r->stages ? r->stages->len : 0;
	struct page p;

	page_init(&p, o, out);
	text_head(&p, r, notes);
	if (!result_is_latency(r))
		text_values(&p, r);
	else if (repeats->len > 0)
		text_repeats(&p, r, repeats, o->stage != NULL);
	else if (n > 1)
		text_summary(&p, r);
	if (r->thinned_usec) {
		text_thinned(&p, r);
	} else if (n == 0) {
		page_blank(&p);
		page_text(&p, 0, "No stage has begun.");
	}
	for (guint i = 0; i < n && result_is_latency(r); i++)
		if (o->stage || text_repeats_shown(repeats, r->stages->pdata[i]))
			text_stage(&p, r->stages->pdata[i], i + 1, n);
	text_mends(&p, notes);
	return 0;
}

const struct report_format report_format_text = {
	.name = "text",
	.media_type = "text/plain; charset=utf-8",
	.description = "for people: tables, histogram, worst samples, what weakens the result",
	.summary = true,
	.render = text_render,
};
