/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* A kernel's .config. Pure. Fuzzed. Source: Documentation/kbuild/kconfig.rst. */
#include <glib.h>

/* Options that are set: "HZ" -> "250", "PREEMPT" -> "y"; strings keep their quotes. Other lines are
 * skipped. */
GHashTable *kconfig_parse(const char *text, size_t size);
