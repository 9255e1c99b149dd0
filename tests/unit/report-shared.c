/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report-shared.h"

#include <errno.h>
#include <string.h>

const struct report_options plain = { .width = 80 };
const struct report_options pretty = { .width = 80, .unicode = true };

char *render(const char *format, const struct result *r, const struct report_options *o)
{
	g_autofree char *message = NULL;
	GString *out = g_string_new(NULL);
	int k = report_render(format, r, o, out, &message);

	if (k < 0) {
		g_assert_cmpint(k, ==, -EOPNOTSUPP);
		g_assert_nonnull(message);
		g_string_assign(out, message);
		g_string_append_c(out, '\n');
	}
	return g_string_free(out, FALSE);
}

/* i integer, r real or integer, s string, b boolean, o object, a array, n null. */
static bool json_is(const json_t *j, char type)
{
	switch (type) {
	case 'i':
		return json_is_integer(j);
	case 'r':
		return json_is_number(j);
	case 's':
		return json_is_string(j);
	case 'b':
		return json_is_boolean(j);
	case 'o':
		return json_is_object(j);
	case 'a':
		return json_is_array(j);
	case 'n':
		return json_is_null(j);
	}
	return false;
}

void check_shape(const json_t *o, const char *shape)
{
	g_auto(GStrv) words = g_strsplit(shape, " ", -1);

	g_assert_true(json_is_object(o));
	for (char **w = words; *w; w++) {
		char *types = strrchr(*w, ':');
		const json_t *value;
		bool good = false;

		*types++ = '\0';
		value = json_object_get(o, *w);
		for (; value && *types; types++)
			good = good || json_is(value, *types);
		if (!good) {
			g_test_message("%s is %s", *w, value ? "of another type" : "not there");
			g_test_fail();
		}
	}
}
