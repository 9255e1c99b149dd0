/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Drawing: an SVG document or a fragment of HTML, text escaped, numbers short, light and dark by
 * the reader's preference, colours that colour-blind readers can tell (M. Okabe, K. Ito, 2008), no
 * script, nothing from the network. What a plot needs: a frame with two axes, linear or
 * logarithmic, ticks with units, steps, lines, bars, marks, a legend.
 */
#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* @s for XML text and attributes: valid UTF-8, escaped, no characters that XML forbids. */
void svg_append_text(GString *out, const char *s);
