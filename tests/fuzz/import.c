/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An importer (IMPORT_FORMAT): whatever the bytes are, there is a sentence, or results that can be
 * kept and shown.
 */
#include "import.h"
#include "figures-json.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void show(const struct result *r)
{
	g_autofree struct figures *all = result_all(r);
	g_autofree char *text = NULL;
	json_t *j = figures_to_json(all, 1, true);

	g_assert_true(result_id_valid(r->id));
	g_assert_cmpint(figures_check(all), ==, 0);
	text = json_text(j, false);
	json_decref(j);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autofree char *message = NULL;
	g_autoptr(GPtrArray) results = NULL;
	int r = import_read(IMPORT_FORMAT, data, size, NULL, 1, &results, &message);

	if (r < 0) {
		g_assert_null(results);
		g_assert_nonnull(message);
		g_assert_true(g_utf8_validate(message, -1, NULL));
		return 0;
	}
	g_assert_cmpuint(results->len, >, 0);
	for (guint i = 0; i < results->len; i++)
		show(results->pdata[i]);
	return 0;
}
