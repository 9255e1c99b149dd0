/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lrtbfctl's command line: each line of the input is one argument. */
#include "args.h"
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autofree char *text = g_strndup(size ? (const char *)data : "", size), *message = NULL;
	g_auto(GStrv) argv = g_strsplit(text, "\n", -1);
	struct args a;
	int r = args_parse(&a, (const char *const *)argv, &message);

	g_assert_true((r < 0) == (message != NULL));
	if (r == 0 && a.verb && !args_has(&a, "help")) {
		g_assert_cmpuint(a.operands->len, >=, a.verb->min);
		g_assert_cmpuint(a.operands->len, <=, a.verb->max);
	}
	args_done(&a);
	return 0;
}
