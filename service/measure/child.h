/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * lrtbf-measure as the daemon's child: order and region are open descriptors, the outcome is in the
 * region, nothing is printed but what cannot be put there.
 */

/* Returns the exit status: 0 ended, 1 failed. */
int child_run(int order_fd, int region_fd);
