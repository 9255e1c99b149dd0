/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The processes that the caller, a child subreaper or pid 1 of a namespace, has under it. */
#include <stdbool.h>
#include <stdint.h>

/* SIGKILL to every one until none is left. -ETIMEDOUT: some are still there after @timeout_ns. */
int tree_kill(bool namespaced, uint64_t timeout_ns);
