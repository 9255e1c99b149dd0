/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * What the other machine of a session with two did in one stage.
 */
#include "page.h"

/* Nothing for a stage that has no peer. */
void text_peer(struct page *p, const struct result_stage *s);
