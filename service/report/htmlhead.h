/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The beginning of a file of HTML, the same for reports and comparisons. */
#include <glib.h>

/* Up to and with </head>: style for light, dark and paper, and a policy that lets nothing be
 * fetched and no script run. */
void htmlhead(GString *out, const char *title);
