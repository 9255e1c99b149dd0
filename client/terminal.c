/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "terminal.h"

#include "text.h"
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

void terminal_init(struct terminal *t)
{
	const char *term = getenv("TERM"), *no_colour = getenv("NO_COLOR");
	struct winsize size = { 0 };

	*t = (struct terminal){ .utf8 = text_locale_is_utf8() };
	if (!isatty(STDOUT_FILENO))
		return;
	t->tty = true;
	t->moves = term && *term && strcmp(term, "dumb") != 0;
	t->colour = t->moves && !(no_colour && *no_colour);
	t->width = 80;
	t->height = 24;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0)
		return;
	if (size.ws_col)
		t->width = size.ws_col;
	if (size.ws_row)
		t->height = size.ws_row;
}
