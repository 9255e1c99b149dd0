/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * What is told of sessions, for the log: the events of the catalog, each with its fields. Of what
 * goes wrong on the way, those tell who meet it.
 */
#include "result.h"

void sessionlog_began(const struct result *r);
/* Its end, whatever it was. */
void sessionlog_ended(const struct result *r);
/* The limits that a stage has broken, once it is judged. */
void sessionlog_limits(const struct result *r, const struct result_stage *stage);
/* One that was interrupted, with what was found of it. */
void sessionlog_recovered(const struct result *r);
