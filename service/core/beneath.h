/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Opening what lies below a folder that somebody else may have made: no link on the way, and none
 * at its end, leads out of it. Kernels before 5.6 cannot be asked for that; there it is openat().
 */

/* As openat(), errno included; -1 with EXDEV: it would lead out, as any absolute link does. */
int beneath_openat(int folder, const char *name, int flags);
