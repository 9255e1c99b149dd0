/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * How a session measures: what makes two results comparable, or not. Part of its identity.
 */
#include "session.h"

/* Into the result's method, when the session begins: its plan, CPUs and policy are settled. */
void method_describe(const struct session *s);
/* Were two results measured in the same way? Who or what began them does not count. */
bool method_same(const json_t *a, const json_t *b);
