/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * What the tests of report formats share: a report made, and the shape of JSON.
 */
#include "report.h"
#include "result-sample.h"

#include <glib.h>
#include <jansson.h>

extern const struct report_options plain, pretty; /* 80 columns */

/* What a format that cannot show @r says of it, in place of the report. g_free(). */
char *render(const char *format, const struct result *r, const struct report_options *o);

/* @shape: "key:types key:types ..."; every key must be there with one of its types. */
void check_shape(const json_t *o, const char *shape);
