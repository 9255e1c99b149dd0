/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Labels and names come from many hands and go to many terminals. Pure.
 */
#include <stdbool.h>

/* UTF-8 on one line, no control character of any set, nothing that turns the direction of writing.
 */
bool text_is_line(const char *text);
