/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "help.h"

#include "args.h"

static void help_option(const struct option_spec *s, GString *out)
{
	g_autofree char *left =
		g_strdup_printf("%c%c --%s%s%s", s->letter ? '-' : ' ', s->letter ? s->letter : ' ',
				s->name, s->value ? "=" : "", s->value ? s->value : "");

	g_string_append_printf(out, "  %-30s %s\n", left, s->help);
}

static void help_options(const struct option_spec *s, GString *out)
{
	for (; s && s->name; s++)
		help_option(s, out);
}

void help_print(GString *out)
{
	g_string_append(out,
			"lrtbfctl [OPTIONS...] COMMAND ...\n\n"
			"Measure how well this machine keeps its times, and read the results.\n\n"
			"Commands:\n");
	for (unsigned i = 0; verbs[i]; i++) {
		g_autofree char *left =
			g_strdup_printf("%s %s", verbs[i]->name, verbs[i]->operands);

		g_string_append_printf(out, "  %-30s %s\n", left, verbs[i]->help);
	}
	g_string_append(out, "\nOptions:\n");
	help_options(args_global, out);
	g_string_append(out,
			"\n'lrtbfctl COMMAND --help' shows a command's own options; lrtbfctl(1) "
			"has all of it.\n");
}

void help_print_command(const struct verb *c, GString *out)
{
	g_string_append_printf(out, "lrtbfctl %s%s%s%s\n\n%s.\n", c->name,
			       c->options ? " [OPTIONS...]" : "", *c->operands ? " " : "",
			       c->operands, c->help);
	if (c->options) {
		g_string_append(out, "\nOptions:\n");
		help_options(c->options, out);
	}
	g_string_append(out, "\nOptions of every command:\n");
	help_options(args_global, out);
}
