/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * What the tests of imports share: fixtures (by $FIXTURES) read, and what is in the results.
 */
#include "import.h"

char *fixture(const char *name, gsize *ret_size);
GPtrArray *import_file(const char *name, const char *format);
int read_text(const char *format, const char *text, GPtrArray **ret, char **ret_message);
char *replaced(const char *text, const char *from, const char *to);

/* Of the first stage of result @i. */
const struct result_stage *stage_of(const GPtrArray *results, guint i);
const struct figures *cpu_of(const GPtrArray *results, guint i, guint cpu);
const char *method(const GPtrArray *results, guint i, const char *key);
/* Its @n-th finding says @says. */
void assert_finding(const GPtrArray *results, guint i, guint n, const char *says);
/* Count, minimum and maximum as stated; @avg_us < 0: none is to be had. */
void assert_stated(const struct figures *f, uint64_t count, uint64_t min_us, uint64_t max_us,
		   double avg_us, double precision_us);
