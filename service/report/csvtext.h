/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Fields of CSV, quoted as RFC 4180 has it. */
#include <glib.h>

void csvtext_append(GString *out, const char *s);
