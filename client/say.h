/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Sentences to the user that are not the command's output: "lrtbfctl: ..." on stderr.
 */
#include "outcome.h"
#include <glib.h>

/* One sentence, without newline. Text from the bus is cleaned of control characters. */
void say(const char *fmt, ...) G_GNUC_PRINTF(1, 2);
/* The same, and returns OUTCOME_ERROR. */
enum outcome say_error(const char *fmt, ...) G_GNUC_PRINTF(1, 2);
/* The same with a hint at --help; returns OUTCOME_USAGE. */
enum outcome say_usage(const char *fmt, ...) G_GNUC_PRINTF(1, 2);
