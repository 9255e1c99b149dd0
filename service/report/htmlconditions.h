/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * A machine's conditions on a page of HTML: all of them, in tables.
 */
#include "page.h"

/* A section under @title; nothing for NULL or an empty object. */
void htmlconditions(struct page *p, const char *title, const json_t *conditions);
