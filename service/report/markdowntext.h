/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Text of strangers in Markdown. */
#include <glib.h>

/*
 * @s so that it shows as what it is, in a paragraph or a table's cell: one line, nothing in it that
 * Markdown or HTML takes for its own, and no name or number that a tracker would make a link of.
 */
void markdowntext_append(GString *out, const char *s);
