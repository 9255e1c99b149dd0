/* SPDX-License-Identifier: GPL-2.0-or-later */
/* x86 says "model name", ARM boards "Model" or "Hardware", MIPS "cpu model", POWER "cpu": the first
 * wins. */
#include "proc-cpuinfo.h"

#include <string.h>

#include "proc-line.h"

static void cpuinfo_keep(char **slot, const char *value)
{
	if (!*slot && *value)
		*slot = g_utf8_make_valid(value, -1);
}

static bool has_word(const char *text, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = strstr(text, word); at; at = strstr(at + 1, word))
		if ((at == text || at[-1] == ' ') && (at[length] == '\0' || at[length] == ' '))
			return true;
	return false;
}

static void cpuinfo_take(struct proc_cpuinfo *c, const char *key, const char *value)
{
	static const char *const models[] = { "model name", "Model", "Hardware", "cpu model",
					      "cpu",	    "uarch", NULL };

	if (g_strv_contains(models, key)) {
		cpuinfo_keep(&c->model, value);
	} else if (strcmp(key, "vendor_id") == 0) {
		cpuinfo_keep(&c->vendor, value);
	} else if (strcmp(key, "microcode") == 0) {
		cpuinfo_keep(&c->microcode, value);
	} else if (strcmp(key, "flags") == 0) {
		c->has_flags = true;
		c->hypervisor |= has_word(value, "hypervisor");
	}
}

void proc_cpuinfo_parse(const char *text, size_t size, struct proc_cpuinfo *ret)
{
	struct proc_text t = { .at = text, .left = size };
	struct proc_line line;

	memset(ret, 0, sizeof(*ret));
	while (proc_text_line(&t, &line)) {
		const char *colon = memchr(line.at, ':', line.left);
		g_autofree char *key = NULL, *value = NULL;

		if (!colon)
			continue;
		key = g_strstrip(g_strndup(line.at, colon - line.at));
		value = g_strstrip(g_strndup(colon + 1, line.left - (colon + 1 - line.at)));
		cpuinfo_take(ret, key, value);
	}
}

void proc_cpuinfo_done(struct proc_cpuinfo *c)
{
	g_free(c->model);
	g_free(c->vendor);
	g_free(c->microcode);
	memset(c, 0, sizeof(*c));
}
