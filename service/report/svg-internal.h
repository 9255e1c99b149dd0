/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * What the drawing's files share. The functions of paths append to what svg_path_begin() began.
 */
#include "svg.h"

struct svg_tick {
	double value;
	bool major; /* with a label */
};

/* @room: how many labels there is place for. Rising; g_array_unref(). */
GArray *svg_axis_ticks(const struct svg_axis *a, double room);

/* <path class="lp-@kind lp-s1 lp-d1" d=" ... */
void svg_path_begin(struct svg *s, const char *kind, unsigned series, bool dashed);
void svg_path_end(struct svg *s);
void svg_path_pair(GString *out, char command, double x, double y);
void svg_path_single(GString *out, char command, double v);
void svg_path_mark(GString *out, enum svg_mark mark, double x, double y);
const char *svg_mark_kind(enum svg_mark mark); /* filled or not */
