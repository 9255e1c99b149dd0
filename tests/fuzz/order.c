/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What lrtbf-measure is told, from somebody else's bytes. */
#include "order.h"

#include <glib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autofree char *message = NULL;
	struct order o;

	if (order_parse(data, size, &o, &message) == 0) {
		g_assert_null(message);
		g_assert_cmpint(order_check(&o, NULL), ==, 0);
	} else {
		g_assert_nonnull(message);
	}
	return 0;
}
