/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A file that cannot be imported keeps none of the others from it: each is kept whole or not at
 * all, and its ids are printed when it is.
 */
#include "args.h"
#include "client.h"
#include "infile.h"
#include "report.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

#define SESSION_IMPORT_MAX_MIB 8

struct session_import {
	struct client *c;
	const struct args *a;
	char *name;  /* of the file at hand */
	json_t *all; /* for programs: { file, ids } of each */
};

static int session_import_fill(sd_bus_message *m, const void *data)
{
	static const char *const plain[] = { "label", "load", "kernel" };
	const struct session_import *s = data;
	g_autofree char *base = g_path_get_basename(s->name);
	int r = client_append_text(m, "name", base);

	for (size_t i = 0; !r && i < G_N_ELEMENTS(plain); i++)
		if (args_has(s->a, plain[i]))
			r = client_append_text(m, plain[i], args_value(s->a, plain[i]));
	return r;
}

static int session_import_send(struct session_import *s, const GString *content, json_t **ret)
{
	const char *format = args_value(s->a, "format");
	sd_bus_message *m = NULL;
	int r = client_check_text(format ? format : "");

	if (!r)
		r = client_message(s->c, CLIENT_PATH, CLIENT_MANAGER, "Import", &m);
	if (!r) {
		r = sd_bus_message_append(m, "s", format ? format : "");
		if (r >= 0)
			r = sd_bus_message_append_array(m, 'y', content->str, content->len);
		r = r < 0 ? client_fail(NULL, r) : client_append_options(m, session_import_fill, s);
	}
	if (!r)
		r = client_send(s->c, m, ret);
	sd_bus_message_unref(m);
	return r;
}

static void session_import_print(struct session_import *s, json_t *ids)
{
	size_t i;
	json_t *id;

	if (s->all) {
		json_array_append_new(s->all, json_pack("{s:s, s:O}", "file", s->name, "ids", ids));
		return;
	}
	json_array_foreach (ids, i, id)
		printf("%s\n", json_string_value(id));
}

static int session_import_file(struct session_import *s, const char *path)
{
	g_autoptr(GString) content = g_string_new(NULL);
	json_t *reply;
	int r;

	g_free(s->name);
	s->name = infile_name(path);
	r = infile_read(path, SESSION_IMPORT_MAX_MIB << 20, content);
	if (r == -EFBIG)
		return say_error("'%s' is larger than the %d MiB that can be imported.", s->name,
				 SESSION_IMPORT_MAX_MIB);
	if (r < 0)
		return say_error("Cannot read '%s': %s.", s->name, g_strerror(-r));
	r = session_import_send(s, content, &reply);
	if (r)
		return r;
	session_import_print(s, json_array_get(reply, 0));
	json_decref(reply);
	return OUTCOME_DONE;
}

static int session_import_run(struct client *c, const struct args *a)
{
	struct session_import s = { .c = c, .a = a };
	int worst = OUTCOME_DONE;

	if (g_strcmp0(args_value(a, "format"), "help") == 0)
		return report_print_formats(c, "ImportFormats");
	if (!args_operand(a, 0))
		return say_usage("'session import' needs an argument: FILE.");
	s.all = c->json ? json_array() : NULL;
	client_may_ask(c);
	for (guint i = 0; i < a->operands->len && worst != OUTCOME_NO_DAEMON; i++) {
		int r = session_import_file(&s, args_operand(a, i));

		worst = MAX(worst, r);
	}
	if (s.all)
		(void)client_print_json(s.all);
	g_free(s.name);
	return worst;
}

static const struct option_spec session_import_options[] = {
	{ "format", 0, "FORMAT", "What it is (default: found out): help lists those there are" },
	{ "label", 0, "TEXT", "Label of the sessions" },
	{ "load", 0, "NAME", "Load that there was, for a name of the stage" },
	{ "kernel", 0, "RELEASE", "Kernel it was measured on, if the file does not tell" },
	{ NULL },
};

const struct verb verb_session_import = {
	.name = "session import",
	.operands = "FILE...",
	.help = "Keep what other programs measured as sessions (\"-\": standard input)",
	.options = session_import_options,
	.max = VERB_ANY,
	.run = session_import_run,
};
