/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * A session's part in the policy of interrupts: its plan's rules come into force before the
 * conditions are looked at, are watched while it measures, and are taken back at its end. Nothing
 * happens where there is no such policy (place.h).
 */
#include "session.h"

/* Rules into force; findings. Once, before anything measures. */
void irqs_begin(struct session *s);
/* What is now, into the session's conditions. */
void irqs_record(struct session *s);
/* Once a second: findings about what somebody else changed. True: there is a new one. */
bool irqs_watch(struct session *s);
/* As it was before. Harmless when it has not begun, and again. */
void irqs_end(struct session *s);
