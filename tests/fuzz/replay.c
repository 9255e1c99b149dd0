/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stands in for libFuzzer's main: runs a target over every file of its corpus folder, and over each
 * file cut short and with single bytes changed, so that every test run fuzzes a little. TAP.
 */
#include <glib.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define VARIANTS 200

static void replay_file(const char *data, size_t size)
{
	g_autoptr(GRand) rand = g_rand_new_with_seed(size);

	LLVMFuzzerTestOneInput((const uint8_t *)data, size);
	for (int i = 0; i < VARIANTS && size > 0; i++) {
		size_t n = i & 1 ? size : (size_t)g_rand_int_range(rand, 0, MIN(size, G_MAXINT32));
		/* an exact allocation, so that a sanitizer sees one byte too far */
		g_autofree char *copy = g_memdup2(data, n);

		if (n > 0)
			copy[g_rand_int_range(rand, 0, MIN(n, G_MAXINT32))] ^=
				1 << g_rand_int_range(rand, 0, 8);
		LLVMFuzzerTestOneInput((const uint8_t *)copy, n);
	}
}

int main(int argc, char **argv)
{
	g_autoptr(GDir) dir = argc == 2 ? g_dir_open(argv[1], 0, NULL) : NULL;
	const char *name;
	unsigned n = 0;

	if (!dir) {
		fprintf(stderr, "Usage: %s CORPUS-FOLDER\n", argv[0]);
		return 64;
	}
	LLVMFuzzerTestOneInput((const uint8_t *)"", 0);
	while ((name = g_dir_read_name(dir))) {
		g_autofree char *path = g_build_filename(argv[1], name, NULL);
		g_autofree char *data = NULL;
		gsize size;

		if (!g_file_get_contents(path, &data, &size, NULL)) {
			printf("not ok %u - %s cannot be read\n", ++n, name);
			continue;
		}
		replay_file(data, size);
		printf("ok %u - %s\n", ++n, name);
	}
	printf("1..%u\n", n);
	return n ? 0 : 1;
}
