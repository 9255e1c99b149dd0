// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The kernel's own simulated interrupts are not built in most kernels, so this is a chip of ours.
 * Its interrupts begin as an irq_work, which is an interrupt that a CPU sends to itself: in hard
 * interrupt context under PREEMPT_RT too.
 *
 * A device's interrupt comes to the CPU that it was given to, whoever pulls the line. A port's
 * writer may have interrupts off on his own CPU, waiting for an answer from the other one. So a
 * call goes to that CPU first; and what is to come later is a timer on that CPU.
 */
#include <linux/cpumask.h>
#include <linux/irq.h>
#include <linux/irqdomain.h>

#include "../compat.h"
#include "irqline.h"

#define IRQLINE_NAME "lrtbf-wire"

static void irqline_nop(struct irq_data *data)
{
}

static int irqline_set_affinity(struct irq_data *data, const struct cpumask *mask, bool force)
{
	struct irqline *line = irq_data_get_irq_chip_data(data);
	unsigned int cpu = cpumask_any_and(mask, cpu_online_mask);

	if (cpu >= nr_cpu_ids)
		return -EINVAL;
	if (line)
		WRITE_ONCE(line->cpu, cpu);
	irq_data_update_effective_affinity(data, cpumask_of(cpu));
	return IRQ_SET_MASK_OK;
}

static int irqline_set_type(struct irq_data *data, unsigned int type)
{
	return type == IRQ_TYPE_EDGE_RISING ? 0 : -EINVAL;
}

/* One came while it was disabled. */
static int irqline_retrigger(struct irq_data *data)
{
	struct irqline *line = irq_data_get_irq_chip_data(data);

	WRITE_ONCE(line->again, true);
	irq_work_queue(&line->work);
	return 1;
}

static struct irq_chip irqline_chip = {
	.name = IRQLINE_NAME,
	.irq_ack = irqline_nop,
	.irq_mask = irqline_nop,
	.irq_unmask = irqline_nop,
	.irq_set_affinity = irqline_set_affinity,
	.irq_set_type = irqline_set_type,
	.irq_retrigger = irqline_retrigger,
};

static int irqline_map(struct irq_domain *domain, unsigned int virq, irq_hw_number_t number)
{
	irq_set_chip_and_handler_name(virq, &irqline_chip, handle_edge_irq, "edge");
	irq_modify_status(virq, 0, WIRE_IRQ_FLAGS);
	return 0;
}

static const struct irq_domain_ops irqline_domain_ops = { .map = irqline_map };

struct irq_domain *irqline_domain_new(unsigned int lines)
{
	struct fwnode_handle *fwnode = irq_domain_alloc_named_fwnode(IRQLINE_NAME);
	struct irq_domain *domain;

	if (!fwnode)
		return NULL;
	domain = wire_irq_domain(fwnode, lines, &irqline_domain_ops);
	if (!domain)
		irq_domain_free_fwnode(fwnode);
	return domain;
}

struct irq_domain *irqline_domain_free(struct irq_domain *domain)
{
	struct fwnode_handle *fwnode;

	if (!domain)
		return NULL;
	fwnode = domain->fwnode;
	irq_domain_remove(domain);
	irq_domain_free_fwnode(fwnode);
	return NULL;
}

static void irqline_run(struct irq_work *work)
{
	struct irqline *line = container_of(work, struct irqline, work);
	bool again = xchg(&line->again, false);

	if (line->raise(line) || again)
		generic_handle_irq(line->virq);
}

static void irqline_called(void *data)
{
	struct irqline *line = data;

	irq_work_queue(&line->work);
}

static enum hrtimer_restart irqline_expired(struct hrtimer *timer)
{
	irqline_called(container_of(timer, struct irqline, timer));
	return HRTIMER_NORESTART;
}

void irqline_kick(struct irqline *line, bool now, u64 next_ns)
{
	unsigned int cpu = READ_ONCE(line->cpu);

	if (line->stopped || !(now || next_ns))
		return;
	if (cpu != smp_processor_id() && cpu_online(cpu)) {
		/* busy: the one under way has not begun */
		(void)smp_call_function_single_async(cpu, &line->csd);
		return;
	}
	if (now)
		irq_work_queue(&line->work);
	if (next_ns)
		hrtimer_start(&line->timer, ns_to_ktime(next_ns), HRTIMER_MODE_ABS_PINNED_HARD);
}

int irqline_init(struct irqline *line, struct irq_domain *domain, unsigned int number,
		 bool (*raise)(struct irqline *line))
{
	line->raise = raise;
	line->work = IRQ_WORK_INIT_HARD(irqline_run);
	INIT_CSD(&line->csd, irqline_called, line);
	hrtimer_setup(&line->timer, irqline_expired, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_PINNED_HARD);
	line->virq = irq_create_mapping(domain, number);
	if (!line->virq)
		return -ENOMEM;
	irq_set_chip_data(line->virq, line);
	irq_set_irq_type(line->virq, IRQ_TYPE_EDGE_RISING);
	return 0;
}

static void irqline_nothing(void *data)
{
}

void irqline_done(struct irqline *line)
{
	if (!line->virq)
		return;
	line->stopped = true;
	/* behind every call that is under way */
	on_each_cpu(irqline_nothing, NULL, 1);
	irq_work_sync(&line->work);
	hrtimer_cancel(&line->timer);
	irq_work_sync(&line->work);
	irq_dispose_mapping(line->virq);
	line->virq = 0;
}
