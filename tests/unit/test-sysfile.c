/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is read below a captured tree is the tree's. */
#include "sysfile.h"

#include "irq-world.h"

#include <string.h>
#include <unistd.h>

static void assert_text(const char *root, const char *name, const char *expected)
{
	g_autofree char *text = sysfile_text(root, "%s", name);

	g_assert_cmpstr(text, ==, expected);
}

static void test_links(void)
{
	struct irq_world w, out;
	g_autofree char *file = NULL, *up = NULL;

	if (!irq_world_keeps_links())
		return;
	irq_world_init(&w);
	irq_world_init(&out);
	irq_world_put(&out, "secret/name", "secret\n");
	file = g_build_filename(out.root, "secret/name", NULL);
	up = g_strdup_printf("../..%s", out.root);
	irq_world_put(&w, "sys/devices/a/name", "own\n");
	irq_world_link(&w, "sys/class/a", "../devices/a");
	irq_world_link(&w, "sys/class/name", "../devices/a/name");
	irq_world_link(&w, "sys/class/file", file);
	irq_world_link(&w, "sys/class/folder", out.root);
	irq_world_link(&w, "sys/class/up", up);
	irq_world_link(&w, "proc/self", "/proc/self");
	/* within the tree */
	assert_text(w.root, "sys/class/a/name", "own");
	assert_text(w.root, "sys/class/name", "own");
	/* out of it */
	assert_text(w.root, "sys/class/file", NULL);
	assert_text(w.root, "sys/class/folder/secret/name", NULL);
	assert_text(w.root, "sys/class/up/secret/name", NULL);
	assert_text(w.root, "proc/self/comm", NULL);
	for (int i = 0; i < 2; i++) {
		g_autoptr(GPtrArray) names =
			sysfile_list(w.root, i ? "sys/class/folder" : "sys/class/a");

		g_assert_cmpuint(names->len, ==, i ? 0 : 1);
	}
	irq_world_done(&out);
	irq_world_done(&w);
}

static void test_names(void)
{
	struct irq_world w;
	g_autofree char *own = NULL;

	irq_world_init(&w);
	irq_world_put_bytes(&w, "proc/text", "a\0b\xff\n", 5);
	irq_world_put(&w, "proc/number", "-12\n");
	assert_text(w.root, "proc/text", "a b\xef\xbf\xbd");
	assert_text(w.root, "proc", NULL);
	assert_text(w.root, "proc/none", NULL);
	assert_text("/nonexistent", "proc/text", NULL);
	/* this machine's own links go where they go */
	own = sysfile_text("/", "proc/self/comm");
	g_assert_nonnull(own);
	irq_world_done(&w);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/sysfile/links", test_links);
	g_test_add_func("/sysfile/names", test_names);
	return g_test_run();
}
