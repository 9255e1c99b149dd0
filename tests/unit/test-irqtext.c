/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What stands behind an interrupt's counts, as kernels old and new write it. */
#include <glib.h>
#include <string.h>

#include "irqtext.h"
#include "proc-interrupts.h"

static const struct {
	const char *text, *chip, *hwirq, *trigger, *actions;
} layouts[] = {
	/* x86 */
	{ "IO-APIC   5-edge      ACPI:Ged", "IO-APIC", "5", "edge", "ACPI:Ged" },
	{ "IO-APIC    9-fasteoi   acpi", "IO-APIC", "9", "level", "acpi" },
	{ "IO-APIC   16-fasteoi   ehci_hcd:usb1, eth0", "IO-APIC", "16", "level",
	  "ehci_hcd:usb1, eth0" },
	{ "IO-APIC   7-edge", "IO-APIC", "7", "edge", "" },
	{ "PCI-MSIX-0000:00:01.0   0-edge      virtio0-config", "PCI-MSIX-0000:00:01.0", "0",
	  "edge", "virtio0-config" },
	{ "IR-PCI-MSI 45613128-edge      mlx5_comp40@pci:0000:86:00.0", "IR-PCI-MSI", "45613128",
	  "edge", "mlx5_comp40@pci:0000:86:00.0" },
	{ "DMAR-MSI   0-edge      dmar0", "DMAR-MSI", "0", "edge", "dmar0" },
	{ "HPET-MSI   3-edge      hpet3", "HPET-MSI", "3", "edge", "hpet3" },
	{ "amd_gpio   8  AMDI0010:00", "amd_gpio", "8", NULL, "AMDI0010:00" },
	{ "XT-PIC      cascade", "XT-PIC", NULL, NULL, "cascade" },
	{ "XT-PIC-XT-PIC    timer", "XT-PIC-XT-PIC", NULL, NULL, "timer" },
	{ "xen-dyn    -event     xenbus", "xen-dyn", NULL, NULL, "xenbus" },
	{ "xen-pirq    -ioapic-edge  i8042", "xen-pirq", NULL, NULL, "-ioapic-edge  i8042" },
	/* x86 before 2.6.39 */
	{ "IO-APIC-edge      timer", "IO-APIC", NULL, "edge", "timer" },
	{ "IO-APIC-fasteoi   uhci_hcd:usb1, eth0", "IO-APIC", NULL, "level",
	  "uhci_hcd:usb1, eth0" },
	{ "PCI-MSI-edge      eth0", "PCI-MSI", NULL, "edge", "eth0" },
	{ "IO-APIC-level  nvidia 5-edge", "IO-APIC", NULL, "level", "nvidia 5-edge" },
	/* arm */
	{ "GICv3  25 Level     arch_timer", "GICv3", "25", "level", "arch_timer" },
	{ "GICv3 120 Edge      my device  two blanks", "GICv3", "120", "edge",
	  "my device  two blanks" },
	{ "MSI-INTA 1716234 Level     485c0100.dma-controller chan6", "MSI-INTA", "1716234",
	  "level", "485c0100.dma-controller chan6" },
	{ "ITS-MSI 16384 Edge      PCIe PME, aerdrv, pciehp", "ITS-MSI", "16384", "edge",
	  "PCIe PME, aerdrv, pciehp" },
	{ "4a05c000.gpio   3 Edge      9p button, spare", "4a05c000.gpio", "3", "edge",
	  "9p button, spare" },
	{ "GIC  39 Level     f0000000.timer", "GIC", "39", "level", "f0000000.timer" },
	{ "gpio-mxc  12 Level", "gpio-mxc", "12", "level", "" },
	{ "ti,tps65217   0  tps65217-charger", "ti,tps65217", "0", NULL, "tps65217-charger" },
	{ "GIC  60  3f201000.serial", "GIC", "60", NULL, "3f201000.serial" },
	{ "INTC  29  ", "INTC", "29", NULL, "" },
	/* riscv, powerpc, mips, others with blanks */
	{ "RISC-V INTC   5 Edge      riscv-timer", "RISC-V INTC", "5", "edge", "riscv-timer" },
	{ "SiFive PLIC  10 Edge      ttyS0", "SiFive PLIC", "10", "edge", "ttyS0" },
	{ "OPAL EVT   0 Level     opal-msg", "OPAL EVT", "0", "level", "opal-msg" },
	{ "XICS 655360 Level     ipr", "XICS", "655360", "level", "ipr" },
	{ "OpenPIC   42 Level     i2c-mpc, i2c-mpc", "OpenPIC", "42", "level", "i2c-mpc, i2c-mpc" },
	{ "OpenPIC   Level     serial", "OpenPIC", NULL, "level", "serial" },
	{ "mpic 1   12-edge      eth 0", "mpic 1", "12", "edge", "eth 0" },
	{ "MIPS   7  timer", "MIPS", "7", NULL, "timer" },
	{ "jz4780-intc  18 Level   -fasteoi   uart", "jz4780-intc", "18", "level", "uart" },
	/* actions that look like something else */
	{ "GICv3  25 Level     26 Edge      x", "GICv3", "25", "level", "26 Edge      x" },
	{ "IO-APIC   5-edge      6-edge      x", "IO-APIC", "5", "edge", "6-edge      x" },
	{ "XT-PIC      Edge of the world", "XT-PIC", NULL, NULL, "Edge of the world" },
	{ "XT-PIC      eth 5  foo", "XT-PIC", NULL, NULL, "eth 5  foo" },
	{ "IO-APIC   5-edge      a:b (c) @d", "IO-APIC", "5", "edge", "a:b (c) @d" },
	{ "IO-APIC   5-edge      \xc3\xa4\xff", "IO-APIC", "5", "edge", "\xc3\xa4\xff" },
	/* no chip, nothing at all */
	{ "-   5-edge      x", NULL, "5", "edge", "x" },
	{ "None        x", NULL, NULL, NULL, "x" },
	{ "5-edge      x", NULL, "5", "edge", "x" },
	{ "GIC", "GIC", NULL, NULL, "" },
	{ "", NULL, NULL, NULL, "" },
};

static char *part(const char *at, size_t size)
{
	return at ? g_strndup(at, size) : NULL;
}

static void test_layouts(void)
{
	for (guint i = 0; i < G_N_ELEMENTS(layouts); i++) {
		g_autofree char *text = g_strchomp(g_strdup(layouts[i].text));
		g_autofree char *chip = NULL, *hwirq = NULL, *actions = NULL, *said = NULL;
		struct irqtext t;

		irqtext_parse(text, strlen(text), &t);
		chip = part(t.chip, t.chip_size);
		hwirq = part(t.hwirq, t.hwirq_size);
		actions = part(t.actions, t.actions_size);
		said = g_strescape(text, NULL);
		g_test_message("%s", said);
		g_assert_cmpstr(chip, ==, layouts[i].chip);
		g_assert_cmpstr(hwirq, ==, layouts[i].hwirq);
		g_assert_cmpstr(t.trigger, ==, layouts[i].trigger);
		g_assert_cmpstr(actions, ==, layouts[i].actions);
		g_assert_cmpint(t.sure, ==, hwirq && t.trigger);
	}
}

/* Where a name may begin with blanks, another file has to say so. */
static void test_sure(void)
{
	static const struct {
		const char *text;
		bool sure;
	} gaps[] = {
		{ "IO-APIC   5-edge      x", true },
		{ "IO-APIC   5-edge       x", false },
		{ "GICv3  25 Level      x", false },
		{ "jz4780-intc  18 Level   -fasteoi    uart", false },
		{ "GICv3  27 Level   -percpu_devid  x", true },
		{ "GICv3  27 Level   -percpu_devid   x", false },
		{ "IO-APIC   5-edge", true },
	};

	for (guint i = 0; i < G_N_ELEMENTS(gaps); i++) {
		struct irqtext t;

		irqtext_parse(gaps[i].text, strlen(gaps[i].text), &t);
		g_test_message("%s", gaps[i].text);
		g_assert_nonnull(t.trigger);
		g_assert_cmpint(t.sure, ==, gaps[i].sure);
	}
}

/* Names joined as the two files do come apart again. */
static void check_both(const char *const *names)
{
	g_autofree char *sysfs = g_strjoinv(",", (char **)names);
	g_autofree char *proc = g_strjoinv(", ", (char **)names);
	const char *s = sysfs, *p = proc;

	for (; *names; names++) {
		size_t n = irqtext_action_size_both(s, strlen(s), p, strlen(p));

		g_test_message("%s | %s", s, p);
		g_assert_cmpmem(s, n, *names, strlen(*names));
		s += MIN(n + 1, strlen(s));
		p += MIN(n + 2, strlen(p));
	}
	g_assert_cmpstr(s, ==, "");
	g_assert_cmpstr(p, ==, "");
}

static void test_both(void)
{
	check_both((const char *[]){ "eth0", NULL });
	check_both((const char *[]){ "PCIe PME", "aerdrv", "pciehp", NULL });
	check_both((const char *[]){ "a,b", "c", NULL });
	check_both((const char *[]){ "a, b", "c,d", " e", "f", NULL });
	check_both((const char *[]){ "a,", "b", NULL });
	check_both((const char *[]){ "x,  y", "z", NULL });
	/* not of the same moment */
	g_assert_cmpuint(irqtext_action_size_both("a,b", 3, "a", 1), ==, 0);
	g_assert_cmpuint(irqtext_action_size_both("a", 1, "b", 1), ==, 0);
	g_assert_cmpuint(irqtext_action_size_both("a", 1, "a, b", 4), ==, 0);
	g_assert_cmpuint(irqtext_action_size_both("", 0, "a", 1), ==, 0);
}

static void check_actions(char **list, const char *const *names)
{
	g_assert_cmpuint(g_strv_length(list), ==, g_strv_length((char **)names));
	for (guint i = 0; names[i]; i++)
		g_assert_cmpstr(list[i], ==, names[i]);
}

/* Through the whole table. */
static void test_table(void)
{
	static const char text[] =
		"           CPU0       CPU1\n"
		"  0:         42          0   IO-APIC   2-edge      timer\n"
		" 16:         10          0   IO-APIC   16-fasteoi   ehci_hcd:usb1, eth0,x\n"
		" 17:         10          0   IO-APIC   17-fasteoi\n"
		" 18:         10          0          7   IO-APIC   18-fasteoi   a CPU more\n"
		" 19:         10   IO-APIC   19-fasteoi   a CPU less\n"
		" 20:         10          0   IO-APIC   20-edge      blanks  \t\n"
		" 21:         10          0   IO-APIC   21-edge      \n"
		" 22:         10          0   IO-APIC   22-edge      first\n"
		"second\n"
		"LOC:          1          2   Local timer interrupts, really\n"
		"ERR:          0\n";
	struct proc_interrupts *t = NULL;
	const struct proc_irq *irq;

	g_assert_cmpint(proc_interrupts_parse(text, strlen(text), &t), ==, 0);
	irq = proc_interrupts_find(t, "16");
	g_assert_cmpstr(irq->chip, ==, "IO-APIC");
	g_assert_cmpstr(irq->hwirq, ==, "16");
	g_assert_cmpstr(irq->trigger, ==, "level");
	g_assert_true(irq->sure);
	check_actions(irq->action_list, (const char *[]){ "ehci_hcd:usb1", "eth0,x", NULL });
	check_actions(proc_interrupts_find(t, "0")->action_list, (const char *[]){ "timer", NULL });
	check_actions(proc_interrupts_find(t, "17")->action_list, (const char *[]){ NULL });
	irq = proc_interrupts_find(t, "18");
	g_assert_cmpuint(irq->n_counts, ==, 2);
	g_assert_cmpstr(irq->chip, ==, "IO-APIC");
	check_actions(irq->action_list, (const char *[]){ "a CPU more", NULL });
	irq = proc_interrupts_find(t, "19");
	g_assert_cmpuint(irq->n_counts, ==, 1);
	check_actions(irq->action_list, (const char *[]){ "a CPU less", NULL });
	/* blanks at the end are a name's, and newlines in it for another file to tell */
	irq = proc_interrupts_find(t, "20");
	g_assert_cmpstr(irq->text, ==, "IO-APIC   20-edge      blanks");
	g_assert_true(irq->sure);
	check_actions(irq->action_list, (const char *[]){ "blanks  \t", NULL });
	check_actions(proc_interrupts_find(t, "21")->action_list, (const char *[]){ NULL });
	g_assert_false(proc_interrupts_find(t, "22")->sure);
	irq = proc_interrupts_find(t, "LOC");
	g_assert_null(irq->chip);
	g_assert_null(irq->action_list);
	g_assert_cmpstr(irq->actions, ==, "Local timer interrupts, really");
	proc_interrupts_free(t);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/irqtext/layouts", test_layouts);
	g_test_add_func("/irqtext/sure", test_sure);
	g_test_add_func("/irqtext/both", test_both);
	g_test_add_func("/irqtext/table", test_table);
	return g_test_run();
}
