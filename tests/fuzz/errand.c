/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is taken for an errand is written back as the same. */
#include <string.h>

#include "errand.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autofree char *message = NULL, *text = NULL, *again = NULL;
	struct errand *e = NULL, *back = NULL;

	if (errand_parse((const char *)data, size, &e, &message) < 0) {
		g_assert_nonnull(message);
		return 0;
	}
	text = errand_to_text(e);
	g_assert_cmpint(errand_parse(text, strlen(text), &back, NULL), ==, 0);
	again = errand_to_text(back);
	g_assert_cmpstr(text, ==, again);
	errand_free(e);
	errand_free(back);
	return 0;
}
