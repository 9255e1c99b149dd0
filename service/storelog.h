/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * What the store tells of itself, for the log: trouble with the disk, and which results retention
 * made smaller or removed.
 */
#include "store.h"

void storelog_write(enum store_news what, const char *text);
