/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The store's encoding: what decodes was recorded once, and encodes to the same bytes.
 */
#include "figures-json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autoptr(GByteArray) again = g_byte_array_new();
	g_autofree struct figures *f = NULL;
	g_autofree struct figures *sum = figures_new();
	g_autofree char *text = NULL;
	json_t *j;

	if (figures_decode(data, size, &f) < 0)
		return 0;
	figures_encode(f, again);
	g_assert_cmpmem(data, size, again->data, again->len);
	g_assert_cmpint(figures_check(f), ==, 0);
	figures_add(sum, f);
	j = figures_to_json(f, 1, true);
	text = json_text(j, false);
	json_decref(j);
	return 0;
}
