/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * What the tests of rules share: rules from a text, of a file "10-net".
 */
#include <glib.h>

GPtrArray *parsed_with(const char *text, GPtrArray *problems);
/* A text without problems. */
GPtrArray *parsed(const char *text);
