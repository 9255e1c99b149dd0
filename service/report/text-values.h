/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* What a benchmark took, for a session that holds no latencies. Part of the text report. */
#include "page.h"
#include "result.h"

/* One table, a row for each stage; nothing when none has values. */
void text_values(struct page *p, const struct result *r);
