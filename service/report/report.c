/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The formats know nothing of each other and nothing of who asks; what they share (finding a format
 * by name, narrowing a result to one stage) happens here, before them, so that no format can forget
 * it.
 */
#include "report.h"

#include <errno.h>
#include <string.h>

const struct report_format *report_format(const char *name)
{
	for (const struct report_format *const *f = report_formats; *f; f++)
		if (g_strcmp0((*f)->name, name) == 0)
			return *f;
	return NULL;
}

static int report_unknown_format(const char *name, char **ret_message)
{
	g_autoptr(GString) text = g_string_new(NULL);

	g_string_printf(text, "There is no report format \"%s\"; there are", name);
	for (const struct report_format *const *f = report_formats; *f; f++)
		g_string_append_printf(text, "%s %s", f == report_formats ? "" : ",", (*f)->name);
	g_string_append_c(text, '.');
	if (ret_message)
		*ret_message = g_strdup(text->str);
	return -EINVAL;
}

static int report_unknown_stage(const struct result *r, const char *name, char **ret_message)
{
	g_autoptr(GString) text = g_string_new(NULL);

	g_string_printf(text, "The session has no stage \"%s\"; it has", name);
	for (guint i = 0; r->stages && i < r->stages->len; i++) {
		const struct result_stage *s = r->stages->pdata[i];

		if (s->repeat == 1)
			g_string_append_printf(text, "%s %s", i ? "," : "", s->name);
	}
	g_string_append(text, r->stages && r->stages->len ? "." : " none.");
	if (ret_message)
		*ret_message = g_strdup(text->str);
	return -EINVAL;
}

static int report_thinned(const struct result *r, char **ret_message)
{
	if (ret_message)
		*ret_message = g_strdup_printf(
			"The details of session %s were removed, as its plan's \"keep\" wants it, "
			"and "
			"with them its stages: see its summary in format text or json.",
			r->id);
	return -EOPNOTSUPP;
}

/*
 * The same result with borrowed insides and one stage, with all its repeats: a copy of a session is
 * megabytes.
 */
static int report_narrow(const struct result *r, const char *name, struct result *ret,
			 char **ret_message)
{
	g_autoptr(GPtrArray) stages = g_ptr_array_new();
	uint64_t planned_ns = 0;

	for (guint i = 0; r->stages && i < r->stages->len; i++) {
		struct result_stage *s = r->stages->pdata[i];

		if (strcmp(s->name, name) != 0)
			continue;
		planned_ns += s->planned_ns;
		g_ptr_array_add(stages, s);
	}
	if (stages->len == 0)
		return report_unknown_stage(r, name, ret_message);
	*ret = *r;
	ret->planned_ns = planned_ns;
	ret->stages = g_steal_pointer(&stages);
	return 0;
}

int report_render(const char *format, const struct result *r, const struct report_options *o,
		  GString *out, char **ret_message)
{
	static const struct report_options defaults;
	const struct report_format *f = report_format(format);
	struct result narrowed;
	int k;

	if (!f)
		return report_unknown_format(format, ret_message);
	if (!o)
		o = &defaults;
	if (r->thinned_usec && (o->stage || !f->summary))
		return report_thinned(r, ret_message);
	if (!o->stage)
		return f->render(r, o, out, ret_message);

	k = report_narrow(r, o->stage, &narrowed, ret_message);
	if (k < 0)
		return k;
	k = f->render(&narrowed, o, out, ret_message);
	g_ptr_array_unref(narrowed.stages);
	return k;
}
