/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef LRTBF_COMPAT_H
#define LRTBF_COMPAT_H
/* Where kernels differ, from 6.1 on: all of it is here. */
#include <linux/hrtimer.h>
#include <linux/irqdomain.h>
#include <linux/parport.h>
#include <linux/platform_device.h>
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

/* Of wire/: */

/* A platform driver's remove(): what it returned was ignored, then the type went. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 11, 0)
#define WIRE_REMOVE(platform, remove)                                                              \
	static int platform(struct platform_device *device)                                        \
	{                                                                                          \
		remove(device);                                                                    \
		return 0;                                                                          \
	}
#else
#define WIRE_REMOVE(platform, remove)                                                              \
	static void platform(struct platform_device *device)                                       \
	{                                                                                          \
		remove(device);                                                                    \
	}
#endif

/* Interrupts that any context may move to another CPU, which x86 does otherwise only while one is
 * handled. Later it is what a chip gets that does not ask for the other. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 15, 0)
#define WIRE_IRQ_FLAGS (IRQ_NOPROBE | IRQ_MOVE_PCNTXT)
#else
#define WIRE_IRQ_FLAGS IRQ_NOPROBE
#endif

/* irq_domain_create_linear() was an export until 6.10 and is irq_domain_instantiate() inside since.
 */
static inline struct irq_domain *wire_irq_domain(struct fwnode_handle *fwnode, unsigned int lines,
						 const struct irq_domain_ops *ops)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 11, 0)
	return irq_domain_create_linear(fwnode, lines, ops, NULL);
#else
	const struct irq_domain_info info = {
		.fwnode = fwnode,
		.size = lines,
		.hwirq_max = lines,
		.ops = ops,
	};
	struct irq_domain *domain = irq_domain_instantiate(&info);

	return IS_ERR(domain) ? NULL : domain;
#endif
}

#endif
