/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which devices lines and NAPI threads are known by, in made-up trees and on this machine. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "irq-world.h"
#include "irqtable.h"

#define KERNEL_PCI "sys/devices/pci0000:00/"

static struct irq_table *table(const char *root)
{
	struct irq_table *t = NULL;

	g_assert_cmpint(irqtable_read(root, &t), ==, 0);
	return t;
}

static guint tags_count(const GArray *tags, enum rule_key key, const char *value)
{
	guint n = 0;

	for (guint i = 0; i < tags->len; i++) {
		const struct rule_tag *tag = &g_array_index(tags, struct rule_tag, i);

		n += tag->key == key && (!value || strcmp(tag->value, value) == 0);
	}
	return n;
}

/* @values: "key=value" words; no other tags of these keys may be there. */
static void check_tags(const struct irq_table *t, unsigned irq, const char *values)
{
	static const struct {
		enum rule_key key;
		const char *name;
	} keys[] = { { RULE_INTERFACE, "interface" },
		     { RULE_PCI, "pci" },
		     { RULE_PARPORT, "parport" },
		     { RULE_DRIVER, "driver" },
		     { RULE_SUBSYSTEM, "subsystem" } };
	g_auto(GStrv) words = g_strsplit(values, " ", -1);
	const GArray *tags = irqtable_line(t, irq)->tags;
	guint n = 0;

	for (guint k = 0; k < G_N_ELEMENTS(keys); k++) {
		n += tags_count(tags, keys[k].key, NULL);
		for (char **w = words; *w; w++) {
			size_t size = strlen(keys[k].name);

			if (strncmp(*w, keys[k].name, size) != 0 || (*w)[size] != '=')
				continue;
			g_test_message("%u: %s", irq, *w);
			g_assert_cmpuint(tags_count(tags, keys[k].key, *w + size + 1), ==, 1);
		}
	}
	g_assert_cmpuint(n, ==, *values ? g_strv_length(words) : 0);
}

/* A device on a bus, with a driver when there is one. */
static void put_device(const struct irq_world *w, const char *bus, const char *path,
		       const char *driver)
{
	g_autofree char *name = g_path_get_basename(path);
	g_autofree char *link = g_strdup_printf("sys/bus/%s/devices/%s", bus, name);
	g_autofree char *target = g_strdup_printf("../../../%s", path);
	g_autofree char *driver_link = g_strdup_printf("sys/%s/driver", path);
	g_autofree char *driver_target = g_strdup_printf("../../../bus/%s/drivers/%s", bus, driver);
	g_autofree char *folder = g_strdup_printf("sys/%s", path);

	irq_world_folder(w, folder);
	irq_world_link(w, link, target);
	if (driver)
		irq_world_link(w, driver_link, driver_target);
}

static void put_class(const struct irq_world *w, const char *class, const char *path)
{
	g_autofree char *name = g_path_get_basename(path);
	g_autofree char *link = g_strdup_printf("sys/class/%s/%s", class, name);
	g_autofree char *target = g_strdup_printf("../../%s", path);
	g_autofree char *folder = g_strdup_printf("sys/%s", path);

	irq_world_folder(w, folder);
	irq_world_link(w, link, target);
}

static void put_pci(const struct irq_world *w)
{
	/* a network card on virtio, with messages: its irq file is another's line */
	put_device(w, "pci", "devices/pci0000:00/0000:00:03.0", "virtio-pci");
	irq_world_put(w, KERNEL_PCI "0000:00:03.0/msi_irqs/30", "msix\n");
	irq_world_put(w, KERNEL_PCI "0000:00:03.0/msi_irqs/31", "msix\n");
	irq_world_put(w, KERNEL_PCI "0000:00:03.0/irq", "11\n");
	put_device(w, "virtio", "devices/pci0000:00/0000:00:03.0/virtio2", "virtio_net");
	put_class(w, "net", "devices/pci0000:00/0000:00:03.0/virtio2/net/ens3");
	/* two disks' controller on a line it shares with a card nobody drives */
	put_device(w, "pci", "devices/pci0000:00/0000:00:1f.2", "ahci");
	irq_world_put(w, KERNEL_PCI "0000:00:1f.2/irq", "11\n");
	put_device(w, "scsi", "devices/pci0000:00/0000:00:1f.2/ata1/host0/0:0:0:0", "sd");
	put_class(w, "block", "devices/pci0000:00/0000:00:1f.2/ata1/host0/0:0:0:0/block/sda");
	put_class(w, "block", "devices/pci0000:00/0000:00:1f.2/ata1/host0/0:0:0:0/block/sda/sda1");
	put_device(w, "pci", "devices/pci0000:00/0000:00:1e.0", NULL);
	irq_world_put(w, KERNEL_PCI "0000:00:1e.0/irq", "11\n");
	/* a bridge with a line, a card with one below it, and one without */
	put_device(w, "pci", "devices/pci0000:00/0000:00:1c.0", "pcieport");
	irq_world_put(w, KERNEL_PCI "0000:00:1c.0/msi_irqs/40", "msi\n");
	put_device(w, "pci", "devices/pci0000:00/0000:00:1c.0/0000:01:00.0", "igb");
	irq_world_put(w, KERNEL_PCI "0000:00:1c.0/0000:01:00.0/msi_irqs/41", "msi\n");
	put_class(w, "net", "devices/pci0000:00/0000:00:1c.0/0000:01:00.0/net/eth0");
	put_class(w, "ptp", "devices/pci0000:00/0000:00:1c.0/0000:01:00.0/ptp/ptp0");
	put_device(w, "pci", "devices/pci0000:00/0000:00:1c.0/0000:01:00.1", "polled");
	irq_world_put(w, KERNEL_PCI "0000:00:1c.0/0000:01:00.1/irq", "0\n");
	put_class(w, "net", "devices/pci0000:00/0000:00:1c.0/0000:01:00.1/net/eth1");
}

static void put_others(const struct irq_world *w)
{
	/* PNP: a serial port, a parallel port, a clock that nobody drives */
	put_device(w, "pnp", "devices/pnp0/00:05", "serial");
	irq_world_put(w, "sys/devices/pnp0/00:05/resources",
		      "state = active\nio 0x3f8-0x3ff\nirq 4\n");
	put_class(w, "tty", "devices/pnp0/00:05/00:05:0/00:05:0.0/tty/ttyS0");
	irq_world_put(w, "sys/devices/pnp0/00:05/00:05:0/00:05:0.0/tty/ttyS0/irq", "4\n");
	irq_world_put(w, "sys/devices/pnp0/00:05/00:05:0/00:05:0.0/tty/ttyS0/type", "4\n");
	put_device(w, "pnp", "devices/pnp0/00:06", "parport_pc");
	irq_world_put(w, "sys/devices/pnp0/00:06/resources",
		      "state = active\nio 0x378-0x37f\nirq 7\ndma disabled\n");
	irq_world_put(w, "proc/sys/dev/parport/parport0/irq", "7\n");
	irq_world_put(w, "proc/sys/dev/parport/parport1/irq", "none\n");
	irq_world_put(w, "proc/sys/dev/parport/default/timeslice", "200\n");
	put_device(w, "pnp", "devices/pnp0/00:07", NULL);
	irq_world_put(w, "sys/devices/pnp0/00:07/resources", "state = active\nirq 8\n");
	/* serial ports of a platform device: each its own line, the unused one none */
	put_device(w, "platform", "devices/platform/serial8250", "serial8250");
	put_class(w, "tty", "devices/platform/serial8250/tty/ttyS1");
	irq_world_put(w, "sys/devices/platform/serial8250/tty/ttyS1/irq", "3\n");
	irq_world_put(w, "sys/devices/platform/serial8250/tty/ttyS1/type", "4\n");
	put_class(w, "tty", "devices/platform/serial8250/tty/ttyS2");
	irq_world_put(w, "sys/devices/platform/serial8250/tty/ttyS2/irq", "4\n");
	irq_world_put(w, "sys/devices/platform/serial8250/tty/ttyS2/type", "0\n");
	put_class(w, "tty", "devices/virtual/tty/tty1");
	/* a board's devices: known by name, by messages, by the interface's name */
	put_device(w, "platform", "devices/platform/soc/fe204000.spi", "spi-bcm2835");
	put_class(w, "spi_master", "devices/platform/soc/fe204000.spi/spi_master/spi0");
	put_device(w, "platform", "devices/platform/soc/2b400000.iommu", "arm-smmu-v3");
	irq_world_put(w, "sys/devices/platform/soc/2b400000.iommu/msi_irqs/52", "msi\n");
	put_device(w, "platform", "devices/platform/soc/fd580000.ethernet", "bcmgenet");
	put_class(w, "net", "devices/platform/soc/fd580000.ethernet/net/end0");
	put_class(w, "net", "devices/virtual/net/lo");
	/* links that lead out, and things that are no links */
	irq_world_link(w, "sys/class/net/evil", "/etc/passwd");
	irq_world_link(w, "sys/class/net/evil2", "../../../../../etc");
	irq_world_put(w, "sys/class/net/bonding_masters", "\n");
}

static void put_world(struct irq_world *w)
{
	irq_world_init(w);
	irq_world_kthreadd(w);
	irq_world_put(w, "proc/interrupts",
		      "      CPU0\n"
		      "  3:     1   IO-APIC   3-edge      ttyS1\n"
		      "  4:     1   IO-APIC   4-edge      ttyS0\n"
		      "  7:     1   IO-APIC   7-edge      parport0\n"
		      "  8:     1   IO-APIC   8-edge      rtc0\n"
		      " 11:     1   IO-APIC  11-fasteoi   ahci[0000:00:1f.2], other\n"
		      " 30:     1   PCI-MSIX   0-edge      virtio0-input.0\n"
		      " 31:     1   PCI-MSIX   1-edge      virtio0-output.0\n"
		      " 40:     1   PCI-MSI   1-edge      PCIe PME\n"
		      " 41:     1   PCI-MSI   2-edge      ens3\n"
		      " 50:     1   GICv3  50 Level     fe204000.spi\n"
		      " 51:     1   GICv3  51 Level     end0\n"
		      " 52:     1   ITS-MSI  52 Edge      arm-smmu-v3-evtq\n"
		      " 53:     1   GICv3  53 Level     eth0\n"
		      " 54:     1   GICv3  54 Level     unheard of\n");
	put_pci(w);
	put_others(w);
}

static void test_lines(void)
{
	struct irq_world w;
	struct irq_table *t;

	put_world(&w);
	t = table(w.root);
	check_tags(t, 3, "driver=serial8250 subsystem=tty");
	check_tags(t, 4, "driver=serial subsystem=pnp subsystem=tty");
	check_tags(t, 7, "parport=parport0 driver=parport_pc subsystem=pnp subsystem=parport");
	check_tags(t, 8, "");
	check_tags(t, 11,
		   "pci=0000:00:1f.2 driver=ahci driver=sd subsystem=pci subsystem=scsi "
		   "subsystem=block");
	check_tags(t, 30,
		   "pci=0000:00:03.0 driver=virtio-pci driver=virtio_net subsystem=pci "
		   "subsystem=virtio subsystem=net interface=ens3");
	check_tags(t, 31,
		   "pci=0000:00:03.0 driver=virtio-pci driver=virtio_net subsystem=pci "
		   "subsystem=virtio subsystem=net interface=ens3");
	check_tags(t, 40, "pci=0000:00:1c.0 driver=pcieport subsystem=pci");
	/* its action is the name another interface has now */
	check_tags(t, 41,
		   "pci=0000:01:00.0 driver=igb subsystem=pci subsystem=net subsystem=ptp "
		   "interface=eth0");
	check_tags(t, 50, "driver=spi-bcm2835 subsystem=platform subsystem=spi_master");
	check_tags(t, 51, "driver=bcmgenet subsystem=net interface=end0");
	check_tags(t, 52, "driver=arm-smmu-v3 subsystem=platform");
	check_tags(t, 53, "");
	check_tags(t, 54, "");
	irqtable_free(t);
	irq_world_done(&w);
}

/* What a line is known by, its threads are. */
static void test_threads(void)
{
	const struct irq_thread *thread;
	struct irq_world w;
	struct irq_table *t;

	put_world(&w);
	irq_world_thread(&w, 100, "irq/30-virtio0-input.0");
	irq_world_thread(&w, 101, "irq/99-nobody");
	irq_world_thread(&w, 110, "napi/ens3-8193");
	irq_world_thread(&w, 111, "napi/gone-8194");
	irq_world_thread(&w, 112, "napi/wlx00c0ca8"); /* cut: one such interface, and two */
	irq_world_thread(&w, 113, "napi/enp0s31f60");
	irq_world_thread(&w, 114, "ksoftirqd/0");
	put_class(&w, "net", "devices/virtual/net/wlx00c0ca8d1f5");
	put_class(&w, "net", "devices/virtual/net/enp0s31f60a");
	put_class(&w, "net", "devices/virtual/net/enp0s31f60b");
	t = table(w.root);
	thread = irqtable_thread(t, 100);
	g_assert_cmpuint(tags_count(thread->tags, RULE_INTERFACE, "ens3"), ==, 1);
	g_assert_cmpuint(tags_count(thread->tags, RULE_PCI, "0000:00:03.0"), ==, 1);
	g_assert_cmpuint(tags_count(thread->tags, RULE_IRQ, "30"), ==, 1);
	g_assert_cmpuint(tags_count(thread->tags, RULE_KTHREAD, NULL), ==, 0);
	thread = irqtable_thread(t, 101);
	g_assert_null(thread->line);
	g_assert_cmpuint(tags_count(thread->tags, RULE_IRQ, "99"), ==, 1);
	g_assert_cmpuint(tags_count(thread->tags, RULE_THREAD, "irq/99-nobody"), ==, 1);
	thread = irqtable_thread(t, 110);
	g_assert_cmpuint(tags_count(thread->tags, RULE_KTHREAD, "napi/ens3-8193"), ==, 1);
	g_assert_cmpuint(tags_count(thread->tags, RULE_INTERFACE, "ens3"), ==, 1);
	g_assert_cmpuint(tags_count(irqtable_thread(t, 111)->tags, RULE_INTERFACE, "gone"), ==, 1);
	g_assert_cmpuint(
		tags_count(irqtable_thread(t, 112)->tags, RULE_INTERFACE, "wlx00c0ca8d1f5"), ==, 1);
	g_assert_cmpuint(tags_count(irqtable_thread(t, 113)->tags, RULE_INTERFACE, NULL), ==, 0);
	g_assert_cmpuint(irqtable_thread(t, 114)->tags->len, ==, 1);
	irqtable_free(t);
	irq_world_done(&w);
}

/* Every interface of this machine that has a PCI device with messages is found on their lines. */
static void test_here(void)
{
	struct irq_table *t = table("/");
	GDir *dir = g_dir_open("/sys/class/net", 0, NULL);
	const char *name;
	guint n = 0;

	while (dir && (name = g_dir_read_name(dir))) {
		g_autofree char *link = g_build_filename("/sys/class/net", name, "device", NULL);
		g_autofree char *device = realpath(link, NULL);

		for (char *slash; device && (slash = strrchr(device, '/')); *slash = '\0') {
			g_autofree char *folder = g_build_filename(device, "msi_irqs", NULL);
			GDir *irqs = g_dir_open(folder, 0, NULL);
			const char *irq;

			while (irqs && (irq = g_dir_read_name(irqs))) {
				const struct irq_line *l = irqtable_line(t, atoi(irq));

				g_assert_nonnull(l);
				g_assert_cmpuint(tags_count(l->tags, RULE_INTERFACE, name), ==, 1);
				n++;
			}
			if (irqs) {
				g_dir_close(irqs);
				break;
			}
		}
	}
	if (dir)
		g_dir_close(dir);
	irqtable_free(t);
	if (n == 0)
		g_test_skip("no network interface with message interrupts to be seen here");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/irqdevices/lines", test_lines);
	g_test_add_func("/irqdevices/threads", test_threads);
	g_test_add_func("/irqdevices/here", test_here);
	return g_test_run();
}
