/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The figures of a session of which only the summary is left. Part of the text report. */
#include "page.h"
#include "result.h"

void text_thinned(struct page *p, const struct result *r);
