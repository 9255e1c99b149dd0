/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parallel ports of made trees: as ppdev, lp, PCI cards and old kernels show them, and in every
 * state. What events do to them is in tests/udev.
 */
#include "irq-world.h"
#include "ports.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

struct tree {
	struct irq_world w;
	struct ports *ports;
	GString *news;
	unsigned gone;
};

static void on_news(enum ports_news news, const struct port *p, unsigned what, void *userdata)
{
	static const char *const words[] = { "added", "changed", "removed" };
	struct tree *t = userdata;

	g_string_append_printf(t->news, "%s %s %s;", words[news], p->name,
			       port_state_to_string(p->state));
}

static void tree_open(struct tree *t)
{
	struct ports_params params = { .root = t->w.root, .news = on_news, .userdata = t };

	g_assert_cmpint(ports_new(&params, &t->ports), ==, 0);
	g_assert_cmpstr(t->news->str, ==, "");
}

static void tree_init(struct tree *t)
{
	*t = (struct tree){ .news = g_string_new(NULL) };
	irq_world_init(&t->w);
}

static void tree_done(struct tree *t)
{
	ports_free(t->ports);
	irq_world_done(&t->w);
	g_string_free(t->news, TRUE);
}

static void tree_holder(struct tree *t, const char *holder)
{
	g_autofree char *old =
		g_build_filename(t->w.root, "proc/sys/dev/parport/parport0/devices/active", NULL);

	(void)unlink(old); /* put writes over what is there, and leaves the rest of it */
	irq_world_put(&t->w, "proc/sys/dev/parport/parport0/devices/active", holder);
}

static void tree_remove(struct tree *t, const char *path)
{
	g_autofree char *to = g_strdup_printf("gone-%u", t->gone++);

	irq_world_move(&t->w, path, to);
}

/* A PC's port with ppdev on it, as Linux 6.1 shows it. */
static void tree_add_pc(struct tree *t)
{
	irq_world_link(&t->w, "sys/bus/parport/devices/parport0", "../../../devices/parport0");
	irq_world_put(&t->w, "sys/devices/parport0/uevent", "DEVTYPE=parport\n");
	irq_world_link(&t->w, "sys/class/ppdev/parport0",
		       "../../devices/pnp0/00:04/ppdev/parport0");
	irq_world_link(&t->w, "sys/devices/pnp0/00:04/driver",
		       "../../../bus/pnp/drivers/parport_pc");
	irq_world_put(&t->w, "proc/sys/dev/parport/parport0/base-addr", "888\t1912\n");
	irq_world_put(&t->w, "proc/sys/dev/parport/parport0/irq", "7\n");
	irq_world_put(&t->w, "proc/sys/dev/parport/default/timeslice", "200\n");
	tree_holder(t, "none\n");
}

static void tree_add_module(struct tree *t)
{
	irq_world_put(&t->w, "sys/devices/virtual/misc/lrtbf/dev", "10:120\n");
	irq_world_link(&t->w, "sys/class/misc/lrtbf", "../../devices/virtual/misc/lrtbf");
	irq_world_put(&t->w, "sys/devices/virtual/misc/lrtbf-parport0/dev", "10:121\n");
	irq_world_link(&t->w, "sys/class/misc/lrtbf-parport0",
		       "../../devices/virtual/misc/lrtbf-parport0");
}

static const struct port *tree_port(struct tree *t, const char *name)
{
	const struct port *p = ports_find(t->ports, name);

	g_assert_nonnull(p);
	return p;
}

static void assert_check(struct tree *t, const char *name, bool irq, int r, const char *words)
{
	g_autofree char *message = NULL;

	g_assert_cmpint(ports_check(t->ports, name, irq, &message), ==, r);
	if (!words)
		g_assert_null(message);
	else if (!message || !strstr(message, words))
		g_error("\"%s\" is not in \"%s\"", words, message);
}

static void test_none(void)
{
	struct tree t;

	tree_init(&t);
	tree_open(&t);
	g_assert_cmpuint(ports_all(t.ports)->len, ==, 0);
	g_assert_false(ports_module_loaded(t.ports));
	assert_check(&t, "parport0", true, -ENODEV, "this machine has none");
	ports_refresh(t.ports);
	ports_set_role(t.ports, "parport0", "loopback");
	g_assert_cmpstr(t.news->str, ==, "");
	tree_done(&t);
}

static void test_pc(void)
{
	const struct port *p;
	struct tree t;

	tree_init(&t);
	tree_add_pc(&t);
	tree_open(&t);
	g_assert_cmpuint(ports_all(t.ports)->len, ==, 1);
	p = tree_port(&t, "parport0");
	g_assert_cmpint(p->state, ==, PORT_PRESENT);
	g_assert_cmpuint(p->base, ==, 0x378);
	g_assert_cmpint(p->irq, ==, 7);
	g_assert_cmpstr(p->device, ==, "/devices/pnp0/00:04");
	g_assert_cmpstr(p->driver, ==, "parport_pc");
	g_assert_null(p->node);
	g_assert_null(p->holder);
	assert_check(&t, "parport0", true, -ENODEV, "not loaded");
	assert_check(&t, "parport1", true, -ENODEV,
		     "there is parport0 (without the kernel module lrtbf)");
	tree_done(&t);
}

static void test_states(void)
{
	struct tree t;

	tree_init(&t);
	tree_add_pc(&t);
	tree_add_module(&t);
	tree_open(&t);
	g_assert_true(ports_module_loaded(t.ports));
	g_assert_cmpstr(tree_port(&t, "parport0")->node, ==, "/dev/lrtbf-parport0");
	assert_check(&t, "parport0", true, 0, NULL);
	g_assert_cmpstr(t.news->str, ==, "");

	tree_holder(&t, "lp\n");
	assert_check(&t, "parport0", true, -EBUSY, "held by the driver lp");
	g_assert_cmpstr(tree_port(&t, "parport0")->holder, ==, "lp");
	tree_holder(&t, "lrtbf\n");
	assert_check(&t, "parport0", true, -EBUSY, "another program");
	tree_holder(&t, "none\n");
	ports_refresh(t.ports);
	ports_refresh(t.ports);
	g_assert_cmpstr(t.news->str, ==,
			"changed parport0 busy;changed parport0 measuring;changed parport0 ready;");
	tree_done(&t);
}

/* A session has it, between stages too, and is no reason for another not to queue. */
static void test_role(void)
{
	struct tree t;

	tree_init(&t);
	tree_add_pc(&t);
	tree_add_module(&t);
	tree_open(&t);
	ports_set_role(t.ports, "parport0", "loopback");
	ports_set_role(t.ports, "parport0", "loopback");
	g_assert_cmpint(tree_port(&t, "parport0")->state, ==, PORT_MEASURING);
	g_assert_cmpstr(tree_port(&t, "parport0")->role, ==, "loopback");
	tree_holder(&t, "lrtbf\n");
	assert_check(&t, "parport0", true, 0, NULL);
	tree_holder(&t, "none\n");
	ports_set_role(t.ports, "parport0", NULL);
	g_assert_cmpint(tree_port(&t, "parport0")->state, ==, PORT_READY);
	g_assert_cmpstr(
		t.news->str, ==,
		"changed parport0 measuring;changed parport0 measuring;changed parport0 ready;");
	tree_done(&t);
}

/* Pulled in mid-session: it stays to be seen as absent until the session has ended. */
static void test_pulled(void)
{
	struct tree t;

	tree_init(&t);
	tree_add_pc(&t);
	tree_add_module(&t);
	tree_open(&t);
	ports_set_role(t.ports, "parport0", "target");
	g_string_truncate(t.news, 0);
	tree_remove(&t, "sys/bus/parport/devices/parport0");
	tree_remove(&t, "proc/sys/dev/parport/parport0");
	ports_refresh(t.ports);
	ports_refresh(t.ports);
	g_assert_cmpint(tree_port(&t, "parport0")->state, ==, PORT_ABSENT);
	assert_check(&t, "parport0", true, -ENODEV, "there is parport0 (absent)");
	g_assert_cmpstr(t.news->str, ==, "changed parport0 absent;");
	ports_set_role(t.ports, "parport0", NULL);
	g_assert_null(ports_find(t.ports, "parport0"));
	g_assert_cmpstr(t.news->str, ==,
			"changed parport0 absent;changed parport0 absent;removed parport0 absent;");
	tree_done(&t);
}

static void test_no_interrupt(void)
{
	struct tree t;

	tree_init(&t);
	tree_add_pc(&t);
	tree_add_module(&t);
	irq_world_put(&t.w, "proc/sys/dev/parport/parport0/irq", "none\n");
	tree_open(&t);
	g_assert_cmpint(tree_port(&t, "parport0")->irq, ==, -1);
	assert_check(&t, "parport0", true, -ENODEV, "no interrupt");
	assert_check(&t, "parport0", false, 0, NULL);
	tree_done(&t);
}

static void test_usb(void)
{
	struct tree t;

	tree_init(&t);
	irq_world_link(&t.w, "sys/bus/parport/devices/parport0", "../../../devices/parport0");
	irq_world_put(&t.w, "sys/devices/parport0/uevent", "");
	irq_world_put(&t.w, "proc/sys/dev/parport/parport0/base-addr", "0\t0\n");
	irq_world_put(&t.w, "proc/sys/dev/parport/parport0/irq", "none\n");
	tree_open(&t);
	assert_check(&t, "parport0", false, -ENODEV, "behind USB");
	g_assert_null(tree_port(&t, "parport0")->device);
	tree_done(&t);
}

/* Found by its address, with neither ppdev nor lp; not another driver's device of that address. */
static void test_by_address(void)
{
	struct tree t;

	tree_init(&t);
	tree_add_pc(&t);
	tree_remove(&t, "sys/class/ppdev");
	irq_world_link(&t.w, "sys/bus/pnp/devices/00:03", "../../../devices/pnp0/00:03");
	irq_world_put(&t.w, "sys/devices/pnp0/00:03/resources", "state = active\nio 0x378-0x37f\n");
	irq_world_link(&t.w, "sys/devices/pnp0/00:03/driver", "../../../bus/pnp/drivers/system");
	irq_world_link(&t.w, "sys/bus/pci/devices/0000:05:00.0",
		       "../../../devices/pci0000:00/0000:05:00.0");
	irq_world_put(&t.w, "sys/devices/pci0000:00/0000:05:00.0/resource",
		      "0x000000000000d010 0x000000000000d017 0x0000000000040101\n"
		      "0x0000000000000378 0x000000000000037f 0x0000000000040101\n");
	irq_world_link(&t.w, "sys/devices/pci0000:00/0000:05:00.0/driver",
		       "../../../bus/pci/drivers/parport_pc");
	tree_open(&t);
	g_assert_cmpstr(tree_port(&t, "parport0")->device, ==, "/devices/pci0000:00/0000:05:00.0");
	g_assert_cmpstr(tree_port(&t, "parport0")->driver, ==, "parport_pc");
	tree_done(&t);
}

/* The legacy probe's platform device has the address in its name. */
static void test_legacy(void)
{
	struct tree t;

	tree_init(&t);
	tree_add_pc(&t);
	tree_remove(&t, "sys/class/ppdev");
	irq_world_link(&t.w, "sys/bus/platform/devices/parport_pc.888",
		       "../../../devices/platform/parport_pc.888");
	irq_world_link(&t.w, "sys/devices/platform/parport_pc.888/driver",
		       "../../../bus/platform/drivers/parport_pc");
	tree_open(&t);
	g_assert_cmpstr(tree_port(&t, "parport0")->device, ==, "/devices/platform/parport_pc.888");
	tree_done(&t);
}

/* lp's device counts as ppdev's does, by lp's own number; newer kernels have a parent. */
static void test_other_ways(void)
{
	struct tree t;

	tree_init(&t);
	tree_add_pc(&t);
	tree_remove(&t, "sys/class/ppdev");
	irq_world_put(&t.w, "sys/devices/parport0/lp.1/uevent", "");
	irq_world_link(&t.w, "sys/bus/parport/devices/lp.1", "../../../devices/parport0/lp.1");
	irq_world_link(&t.w, "sys/class/printer/lp1", "../../devices/pnp0/00:04/printer/lp1");
	irq_world_link(&t.w, "sys/bus/parport/devices/parport1",
		       "../../../devices/pci0000:00/0000:06:00.0/parport1");
	irq_world_put(&t.w, "sys/devices/pci0000:00/0000:06:00.0/parport1/uevent", "");
	irq_world_link(&t.w, "sys/class/ppdev/parport1", "../../devices/virtual/ppdev/parport1");
	tree_open(&t);
	g_assert_cmpuint(ports_all(t.ports)->len, ==, 2);
	g_assert_cmpstr(tree_port(&t, "parport0")->device, ==, "/devices/pnp0/00:04");
	g_assert_cmpstr(tree_port(&t, "parport1")->device, ==, "/devices/pci0000:00/0000:06:00.0");
	tree_done(&t);
}

/* Whatever a captured tree holds. */
static void test_hostile(void)
{
	struct tree t;

	if (!irq_world_keeps_links())
		return;
	tree_init(&t);
	tree_add_pc(&t);
	tree_remove(&t, "sys/class/ppdev");
	irq_world_link(&t.w, "sys/bus/parport/devices/parport1", "../../../../../../../../etc");
	irq_world_put(&t.w, "sys/bus/parport/devices/..x", "");
	irq_world_put(&t.w, "sys/bus/parport/devices/para bad", "");
	irq_world_put(&t.w, "proc/sys/dev/parport/parport2/irq", "-4\n");
	irq_world_put(&t.w, "proc/sys/dev/parport/parport2/base-addr", "99999999999999999999999\n");
	irq_world_put(&t.w, "proc/sys/dev/parport/parport2/devices/active", "\xff\xfe\n");
	irq_world_link(&t.w, "sys/class/ppdev/parport2", "/");
	irq_world_link(&t.w, "sys/class/ppdev/parport0", "../../devices/x");
	tree_open(&t);
	g_assert_null(ports_find(t.ports, "parport1"));
	g_assert_null(tree_port(&t, "parport0")->device);
	g_assert_cmpint(tree_port(&t, "parport2")->irq, ==, -1);
	g_assert_true(g_utf8_validate(tree_port(&t, "parport2")->holder, -1, NULL));
	g_assert_cmpuint(ports_all(t.ports)->len, ==, 2);
	tree_done(&t);
}

/* The line's thread; of a shared line's the port's own, although its name is cut. */
static void test_thread(void)
{
	g_autofree char *name = NULL;
	pid_t tid = 0;
	struct tree t;

	tree_init(&t);
	tree_add_pc(&t);
	irq_world_put(&t.w, "proc/sys/dev/parport/parport0/irq", "128\n");
	irq_world_put(&t.w, "proc/interrupts",
		      "           CPU0       CPU1\n"
		      " 128:         10          0   IO-APIC   7-edge      eth0, parport0\n");
	irq_world_kthreadd(&t.w);
	irq_world_thread(&t.w, 70, "irq/128-eth0");
	irq_world_thread(&t.w, 71, "irq/128-parport");
	tree_open(&t);
	name = port_thread(t.w.root, tree_port(&t, "parport0"), &tid);
	g_assert_cmpstr(name, ==, "irq/128-parport");
	g_assert_cmpint(tid, ==, 71);
	tree_remove(&t, "proc/71");
	g_assert_null(port_thread(t.w.root, tree_port(&t, "parport0"), &tid));
	tree_done(&t);
}

static void test_names(void)
{
	struct tree t;

	tree_init(&t);
	for (int i = 0; i < 12; i++) {
		g_autofree char *name =
			g_strdup_printf("proc/sys/dev/parport/parport%d/irq", 11 - i);

		irq_world_put(&t.w, name, "none\n");
	}
	tree_open(&t);
	g_assert_cmpuint(ports_all(t.ports)->len, ==, 12);
	for (int i = 0; i < 12; i++) {
		g_autofree char *name = g_strdup_printf("parport%d", i);

		g_assert_cmpstr(((struct port *)ports_all(t.ports)->pdata[i])->name, ==, name);
	}
	g_assert_true(port_name_valid("parport0"));
	for (const char **bad = (const char *[]){ "", "default", "lp.0", "Parport0", "0", "a/b",
						  "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", NULL };
	     *bad; bad++)
		g_assert_false(port_name_valid(*bad));
	tree_done(&t);
}

static void test_no_tree(void)
{
	struct ports_params params = { .root = "/nowhere/at/all" };
	struct ports *ports;

	g_assert_cmpint(ports_new(&params, &ports), ==, -ENOENT);
}

int main(int argc, char *argv[])
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/port/none", test_none);
	g_test_add_func("/port/pc", test_pc);
	g_test_add_func("/port/states", test_states);
	g_test_add_func("/port/role", test_role);
	g_test_add_func("/port/pulled", test_pulled);
	g_test_add_func("/port/no-interrupt", test_no_interrupt);
	g_test_add_func("/port/usb", test_usb);
	g_test_add_func("/port/by-address", test_by_address);
	g_test_add_func("/port/legacy", test_legacy);
	g_test_add_func("/port/other-ways", test_other_ways);
	g_test_add_func("/port/hostile", test_hostile);
	g_test_add_func("/port/thread", test_thread);
	g_test_add_func("/port/names", test_names);
	g_test_add_func("/port/no-tree", test_no_tree);
	return g_test_run();
}
