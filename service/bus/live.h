/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * What a session's figures look like as a property: the Figures dictionary.
 */
#include "view.h"

/* Append Figures (a{sv}): the running stage's with its CPUs; of an ended session, all stages'. */
int live_append_figures(sd_bus_message *m, const struct view *v);
