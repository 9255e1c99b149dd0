/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * What stdout leads to. Taken once at start and again when the window's size changes.
 */
#include <stdbool.h>

struct terminal {
	bool tty;		/* stdout is a terminal */
	bool moves;		/* and its cursor can be moved (not TERM=dumb) */
	bool colour;		/* and it may be coloured (NO_COLOR is not set) */
	bool utf8;		/* the locale's characters are UTF-8, terminal or not */
	unsigned width, height; /* 0 when not a terminal */
};

void terminal_init(struct terminal *t);
