/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of result regions: /dev/shm is open to everybody. */
#include "regionfile.h"
#include "result.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autofree char *name = g_strndup((const char *)data, size);
	g_autofree char *id = NULL;
	unsigned stage;

	if (!regionfile_parse(name, 0x2a, &id, &stage))
		return 0;
	/* whatever is taken is safe to look for, and not longer than what was given */
	g_assert_true(result_id_valid(id));
	g_assert_cmpuint(strlen(id), <, strlen(name));
	g_assert_null(strchr(id, '/'));
	return 0;
}
