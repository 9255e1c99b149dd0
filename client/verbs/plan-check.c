/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A file is read here and its text sent: the service opens nothing for a caller, and the file may
 * be on another machine than the service. What the bus cannot carry is refused here with its line.
 */
#include "args.h"
#include "client.h"
#include "infile.h"
#include "plans.h"
#include <errno.h>
#include <string.h>

#define PLAN_CHECK_MAX (1024 * 1024)

struct plan_check {
	struct client *c;
	json_t *plans;	/* NULL: not asked for yet */
	GString *lines; /* what is wrong, for people */
	json_t *all;	/* the same for programs */
};

static void plan_check_add(struct plan_check *k, const char *file, unsigned line, const char *text)
{
	json_t *problems =
		json_pack("[{s:s, s:i, s:s}]", "file", "", "line", (int)line, "text", text);

	plans_problems(problems, file, k->lines, k->all);
	json_decref(problems);
}

static unsigned plan_check_line(const GString *text, const char *at)
{
	unsigned line = 1;

	for (const char *p = text->str; p < at; p++)
		line += *p == '\n';
	return line;
}

/* Whether the bus takes it as a string. */
static bool plan_check_carries(struct plan_check *k, const char *file, const GString *text)
{
	const char *bad;

	if (g_utf8_validate(text->str, text->len, &bad))
		return true;
	plan_check_add(k, file, plan_check_line(text, bad),
		       *bad ? "Not UTF-8." : "A zero byte: this is no text.");
	return false;
}

static int plan_check_file(struct plan_check *k, const char *path)
{
	g_autoptr(GString) text = g_string_new(NULL);
	g_autofree char *shown = infile_name(path);
	json_t *reply;
	int r = infile_read(path, PLAN_CHECK_MAX, text);

	if (r == -EFBIG) {
		plan_check_add(k, shown, 0, "Larger than 1 MiB: this is no plan.");
		return OUTCOME_DONE;
	}
	if (r < 0)
		return say_error("Cannot read '%s': %s.", shown, g_strerror(-r));
	if (!plan_check_carries(k, shown, text))
		return OUTCOME_DONE;
	r = client_call(k->c, CLIENT_PATH, CLIENT_MANAGER, "CheckPlan", &reply, "sa{sv}", text->str,
			0);
	if (r)
		return r;
	plans_problems(json_array_get(reply, 0), shown, k->lines, k->all);
	json_decref(reply);
	return OUTCOME_DONE;
}

static void plan_check_plan(struct plan_check *k, const json_t *plan)
{
	const char *file =
		field_has(plan, "path") ? field_text(plan, "path") : field_text(plan, "name");
	size_t before = k->lines->len;

	plans_problems(json_object_get(plan, "problems"), file, k->lines, k->all);
	if (!field_true(plan, "valid") && k->lines->len == before)
		plan_check_add(k, file, 0, "Cannot be used.");
}

static int plan_check_name(struct plan_check *k, const char *name)
{
	const json_t *plan = plans_find(k->plans, name);

	if (!plan)
		return plans_say_unknown(k->plans, name);
	plan_check_plan(k, plan);
	return OUTCOME_DONE;
}

static bool plan_check_is_file(const char *word)
{
	return strcmp(word, "-") == 0 || strchr(word, '/') || access(word, F_OK) == 0;
}

static int plan_check_all(struct plan_check *k, const struct args *a)
{
	int worst = OUTCOME_DONE, r;

	for (guint i = 0; i < a->operands->len || i == 0; i++) {
		const char *word = args_operand(a, i);
		bool file = word && plan_check_is_file(word);

		r = file || k->plans ? OUTCOME_DONE : plans_read(k->c, &k->plans);
		if (r)
			return r;
		if (word)
			r = file ? plan_check_file(k, word) : plan_check_name(k, word);
		else
			for (size_t n = 0; n < json_array_size(k->plans); n++)
				plan_check_plan(k, json_array_get(k->plans, n));
		worst = MAX(worst, r);
	}
	return worst;
}

static int plan_check_run(struct client *c, const struct args *a)
{
	struct plan_check k = { .c = c, .lines = g_string_new(NULL), .all = json_array() };
	int r = plan_check_all(&k, a);

	if (k.lines->len && r == OUTCOME_DONE)
		r = OUTCOME_ERROR;
	if (c->json && r <= OUTCOME_ERROR)
		client_print_json(json_incref(k.all));
	else
		client_print(c, k.lines);
	g_string_free(k.lines, TRUE);
	json_decref(k.all);
	json_decref(k.plans);
	return r;
}

const struct verb verb_plan_check = {
	.name = "plan check",
	.operands = "[FILE|NAME...]",
	.help = "Check plans: files (- is stdin), or the service's (default: all)",
	.max = VERB_ANY,
	.run = plan_check_run,
};
