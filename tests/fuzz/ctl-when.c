/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The points in time of lrtbfctl's --since. */
#include "when.h"
#include <glib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autofree char *text = g_strndup(size ? (const char *)data : "", size), *message = NULL;
	uint64_t usec;
	int r = when_parse(text, 1796004000000000ULL, &usec, &message);

	g_assert_true((r < 0) == (message != NULL));
	return 0;
}
