/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The help texts, made from the tables of commands and options. */
#include "verb.h"
#include <glib.h>

void help_print(GString *out);
void help_print_command(const struct verb *c, GString *out);
