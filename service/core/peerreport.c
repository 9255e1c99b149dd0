/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why only parts are kept: the peer keeps the whole report, with histograms and all, under an id
 * that stands here. What explains this machine's figures is how the peer was set up, what it did,
 * and what weakens it.
 *
 * A session of a peer is stopped when the stage here is over, so that it ended before its time is
 * no finding; whether it ran for as long as this stage is compared by who knows both.
 */
#include "peerreport.h"

#include "cleanup.h"
#include "message.h"
#include "result.h"

#include <errno.h>
#include <string.h>

#define PEERREPORT_SENTENCES_MAX 32
#define PEERREPORT_SENTENCE_MAX	 400 /* bytes */

static const char *peerreport_string(const json_t *o, const char *key)
{
	return json_string_value(json_object_get(o, key)) ?: "";
}

/* The sentence of a finding, cut to a bearable length at a letter's end. */
static char *peerreport_sentence(const json_t *finding)
{
	const char *text = peerreport_string(finding, "text"), *end;

	if (strlen(text) <= PEERREPORT_SENTENCE_MAX)
		return g_strdup(text);
	end = g_utf8_find_prev_char(text, text + PEERREPORT_SENTENCE_MAX - 2);
	return g_strdup_printf("%.*s...", (int)(end - text), text);
}

static void peerreport_add(GPtrArray *sentences, const json_t *finding)
{
	g_autofree char *text = peerreport_sentence(finding);

	if (*text && sentences->len < PEERREPORT_SENTENCES_MAX &&
	    !g_ptr_array_find_with_equal_func(sentences, text, g_str_equal, NULL))
		g_ptr_array_add(sentences, g_steal_pointer(&text));
}

static void peerreport_findings(struct peerreport *p, const json_t *findings)
{
	const json_t *f;
	size_t i;

	json_array_foreach ((json_t *)findings, i, f) {
		bool doubt = json_is_true(json_object_get(f, "inconclusive"));

		/* it was stopped when the stage here was over */
		if (strcmp(peerreport_string(f, "id"), "incomplete") != 0)
			peerreport_add(doubt ? p->doubts : p->warnings, f);
	}
}

static void peerreport_copy(json_t *to, const json_t *from, const char *const *keys)
{
	for (; *keys; keys++) {
		json_t *v = json_object_get(from, *keys);

		json_object_set_new(to, *keys, v ? json_incref(v) : json_null());
	}
}

static json_t *peerreport_stage(const json_t *session, const json_t *stage)
{
	static const char *const of_session[] = { "plan", "state", "reason", "method", NULL };
	static const char *const of_stage[] = { "load",	  "verdict",	  "findings",
						"limits", "effect",	  "irqs",
						"port",	  "started_usec", "duration_ns",
						NULL };
	static const char *const large[] = { "histogram", "worst", "blocks" };
	json_t *all = json_copy(json_object_get(stage, "all")), *o = json_object();

	json_object_set(o, "session", json_object_get(session, "id"));
	peerreport_copy(o, session, of_session);
	peerreport_copy(o, stage, of_stage);
	for (size_t i = 0; i < G_N_ELEMENTS(large); i++)
		(void)json_object_del(all, large[i]); /* may not be there */
	json_object_set_new(o, "all", json_is_object(all) ? all : json_null());
	if (all && !json_is_object(all))
		json_decref(all);
	return o;
}

static bool peerreport_fits(const json_t *j)
{
	return json_dumpb(j, NULL, 0, JSON_COMPACT) <= PEERREPORT_KEPT_MAX;
}

/* What must be there; everything else may be missing. */
static const char *peerreport_trouble(const json_t *root)
{
	const json_t *session = json_object_get(root, "session");
	const json_t *stages = json_object_get(root, "stages");

	if (strcmp(peerreport_string(root, "format"), "lrtbf-report") != 0 ||
	    json_integer_value(json_object_get(root, "version")) != 1)
		return "it is not an lrtbf-report of version 1";
	if (!result_id_valid(peerreport_string(session, "id")))
		return "it names no session";
	if (!*peerreport_string(session, "plan") || !*peerreport_string(session, "state"))
		return "its session has no plan or no state";
	if (!json_is_object(json_object_get(root, "conditions")))
		return "it has no conditions";
	if (json_array_size(stages) != 1 || !json_is_object(json_array_get(stages, 0)))
		return "it has not exactly one stage";
	return NULL;
}

int peerreport_parse(const char *text, size_t size, struct peerreport *ret, char **ret_message)
{
	g_autoptr(json_t) root = NULL;
	const json_t *conditions, *stage;
	const char *trouble;
	struct peerreport p;

	if (size > PEERREPORT_MAX)
		return message_fail(ret_message, -EMSGSIZE,
				    "The peer's report is larger than %d bytes.", PEERREPORT_MAX);
	root = json_loadb(text, size, 0, NULL);
	trouble = root ? peerreport_trouble(root) : "it is not JSON";
	if (trouble)
		return message_fail(ret_message, -EBADMSG, "The peer's report is none: %s.",
				    trouble);
	conditions = json_object_get(root, "conditions");
	stage = json_array_get(json_object_get(root, "stages"), 0);
	p = (struct peerreport){
		.stage = peerreport_stage(json_object_get(root, "session"), stage),
		.conditions = json_copy((json_t *)conditions),
		.doubts = g_ptr_array_new_with_free_func(g_free),
		.warnings = g_ptr_array_new_with_free_func(g_free),
	};
	peerreport_findings(&p, json_object_get(stage, "findings"));
	peerreport_findings(&p, json_object_get(conditions, "warnings"));
	(void)json_object_del(p.conditions, "warnings"); /* they are findings now */
	if (!peerreport_fits(p.stage) || !peerreport_fits(p.conditions)) {
		peerreport_done(&p);
		return message_fail(ret_message, -EMSGSIZE,
				    "The peer's report has more to keep than %d bytes.",
				    PEERREPORT_KEPT_MAX);
	}
	*ret = p;
	return 0;
}

void peerreport_done(struct peerreport *p)
{
	g_clear_pointer(&p->stage, json_decref);
	g_clear_pointer(&p->conditions, json_decref);
	g_clear_pointer(&p->doubts, g_ptr_array_unref);
	g_clear_pointer(&p->warnings, g_ptr_array_unref);
}

const char *peerreport_text(const struct peerreport *p, const char *key)
{
	return peerreport_string(p->stage, key);
}

uint64_t peerreport_duration_ns(const struct peerreport *p)
{
	json_int_t ns = json_integer_value(json_object_get(p->stage, "duration_ns"));

	return ns > 0 ? (uint64_t)ns : 0;
}

static double peerreport_number(const json_t *o, const char *key)
{
	return json_number_value(json_object_get(o, key));
}

GPtrArray *peerreport_metrics(const json_t *stage)
{
	GPtrArray *metrics = g_ptr_array_new_with_free_func((GDestroyNotify)result_metric_free);
	const char *name;
	json_t *o;

	json_object_foreach (json_object_get(stage, "effect"), name, o) {
		json_int_t n = json_integer_value(json_object_get(o, "seconds"));
		struct result_metric *m;

		if (!json_is_object(o))
			continue;
		m = result_metric_new(name, peerreport_string(o, "unit"));
		m->n = (unsigned)CLAMP(n, 0, INT32_MAX);
		m->mean = peerreport_number(o, "mean");
		m->stddev = peerreport_number(o, "stddev");
		m->min = peerreport_number(o, "min");
		m->max = peerreport_number(o, "max");
		g_ptr_array_add(metrics, m);
	}
	return metrics;
}
