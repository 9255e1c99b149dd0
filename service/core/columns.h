/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * How wide text is on a terminal: marks that combine take no column, ideographs two. Pure; valid
 * UTF-8 only.
 */
#include <glib.h>
#include <stddef.h>

unsigned columns_of(const char *s);
/* Bytes of the longest beginning of @s (at most @bytes of it) that takes no more than @columns. */
size_t columns_fit(const char *s, size_t bytes, unsigned columns);
