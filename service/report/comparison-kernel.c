/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two kernels are compared to see what a patch or an option does, and that is only seen on one
 * base: 6.1.0-57-rt-amd64 and 6.1.0-57-amd64 have one, 6.1.0-57-rt-amd64 and 6.12.3 have not. The
 * version ends where a word begins; what is named otherwise ("RT-V0.7.51-02") has none that is
 * known.
 */
#include "comparison-internal.h"

#include <string.h>

/* Digits, dot, digits, of a kernel that there is: none begins with 0. */
static bool kernel_version_begins(const char *s)
{
	size_t n = strspn(s, "0123456789");

	return n > 0 && *s != '0' && s[n] == '.' && g_ascii_isdigit(s[n + 1]);
}

char *comparison_kernel_base(const char *release)
{
	const char *at = release;
	size_t n;

	while (at && !kernel_version_begins(at)) {
		at = strchr(at, '-');
		if (at)
			at++;
	}
	if (!at)
		return NULL;
	n = strspn(at, "0123456789.-");
	if (n > 0 && at[n - 1] == '-' && strncmp(at + n, "rc", 2) == 0)
		n += 2 + strspn(at + n + 2, "0123456789");
	else
		while (n > 0 && strchr(".-", at[n - 1]))
			n--;
	return g_strndup(at, n);
}
