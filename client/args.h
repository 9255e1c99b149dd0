/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * The command line taken apart. Options may stand anywhere, as --name=VALUE, --name VALUE, -xVALUE
 * or -x VALUE; "--" ends them. Pure; strings are borrowed from argv. Fuzzed.
 */
#include "verb.h"
#include <glib.h>
#include <stdbool.h>

struct args {
	const struct verb *verb; /* NULL: only --help or --version */
	GPtrArray *operands;	 /* of const char *, without the command's own words */
	GPtrArray *options;	 /* of struct args_option, as given */
};

struct args_option {
	const struct option_spec *spec;
	const char *value; /* NULL: takes none */
};

extern const struct option_spec args_global[]; /* options of every command */

/* @argv: NULL-ended, without the program's name. -EINVAL with a sentence in @ret_message (g_free).
 */
int args_parse(struct args *a, const char *const *argv, char **ret_message);
void args_done(struct args *a);

const char *args_operand(const struct args *a, unsigned i); /* NULL: not there */
/* Value of the last --@name; NULL: not given. */
const char *args_value(const struct args *a, const char *name);
bool args_has(const struct args *a, const char *name);
/* Of a pair like --wait and --no-wait the last one given: true for @yes; @otherwise for none. */
bool args_either(const struct args *a, const char *yes, const char *no, bool otherwise);
