/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * What a session shows of itself while it runs: its progress and the Figures dictionary.
 */
#include "view.h"

/* 0..1. Of one that left memory: 1 when it came to its end, else the share of its time that it had. */
double live_progress(const struct view *v);
/* Append Figures (a{sv}): the running stage's with its CPUs; of an ended session, all stages'. */
int live_append_figures(sd_bus_message *m, const struct view *v);
