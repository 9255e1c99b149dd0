/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Sessions that formats trip over: hardly any data, data known in part, strange names. */
#include "result-sample.h"

extern const struct result_sample degenerate_samples[]; /* ends with .name NULL */

/* Names "hostile-0", "hostile-1", ...: result_free(); NULL: there are fewer texts. */
struct result *degenerate_hostile(unsigned i);
