/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * What is told of parallel ports, for the log: that one came or went, and whether the kernel module
 * is there for it. Who has it for the moment is not worth a line.
 */
#include "ports.h"

void portlog_write(enum ports_news news, const struct port *p, unsigned what);
