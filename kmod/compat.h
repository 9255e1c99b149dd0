/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef LRTBF_COMPAT_H
#define LRTBF_COMPAT_H
/* Where kernels differ, from 6.1 on: all of it is here. */
#include <linux/hrtimer.h>
#include <linux/parport.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 11, 0)
/* parport drivers had to say that they know the device model */
#define LRTBF_DRIVER_MODEL .devmodel = true,
#else
#define LRTBF_DRIVER_MODEL
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
static inline void hrtimer_setup(struct hrtimer *timer,
				 enum hrtimer_restart (*function)(struct hrtimer *),
				 clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = function;
}
#endif

#endif
