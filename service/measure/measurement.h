/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * One measurement: the control thread's work. Prepares the machine and one thread per CPU, lets
 * them go, waits for the end, a stop or a break, and closes the region. The calling thread becomes
 * the control thread; SIGTERM, SIGINT and SIGHUP end the measurement cleanly while it runs.
 */
#include "order.h"
#include "region.h"

/*
 * Run @o (checked) into @h (empty, for the CPUs of @o). 0: ended, also when stopped; the header
 * says how. -errno: it never began, the region is REGION_FAILED with reason and sentence. One that
 * could not go on is 0, has REGION_FAILED too, and start_mono_ns.
 *
 * > 0: ended, but some thread has not come back and may still write to its block: @h must stay
 * mapped, and the process should end soon.
 */
int measurement_run(const struct order *o, struct region_header *h);

/* Put a failure into @h: what the daemon, or the one at the terminal, is told. Returns @error. */
int measurement_fail(struct region_header *h, int error, const char *text);
