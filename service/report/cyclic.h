/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * A result as cyclictest sees one: threads in the order of their CPUs, latencies in whole
 * microseconds, nothing of stages. Several stages are added up, as one cyclictest would that ran
 * all the time while the loads changed.
 */
#include "result.h"

/* One per CPU, in CPU order, over all stages: of struct result_cpu, g_ptr_array_unref(). */
GPtrArray *cyclic_threads(const struct result *r);

/* The microsecond that bucket @b's samples of @f are counted in. */
uint64_t cyclic_us(const struct figures *f, unsigned b);

/* What /dev/cpu_dma_latency was set to, in us; -1: not set or not known. */
long cyclic_dma_latency_us(const struct result *r);
/* The command that would start the same session; g_free(). */
char *cyclic_command(const struct result *r);
