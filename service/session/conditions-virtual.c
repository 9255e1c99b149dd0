/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * x86 tells a guest by a CPU flag, whoever made the hypervisor; then only its name is looked for.
 * Others have no such flag: there the firmware's names decide. Those alone would call the
 * bare-metal machines that clouds rent out virtual.
 */
#include <stdbool.h>
#include <string.h>

#include "conditions-parts.h"
#include "proc-cpuinfo.h"
#include "sysfile.h"

#define CPUINFO_MAX (16 * 1024 * 1024)

static const struct {
	const char *prefix, *name;
} firmware_names[] = {
	{ "KVM", "kvm" },
	{ "OpenStack", "kvm" },
	{ "KubeVirt", "kvm" },
	{ "QEMU", "qemu" },
	{ "Amazon EC2", "amazon" },
	{ "VMware", "vmware" },
	{ "VMW", "vmware" },
	{ "innotek", "virtualbox" },
	{ "VirtualBox", "virtualbox" },
	{ "Oracle", "virtualbox" },
	{ "Xen", "xen" },
	{ "Bochs", "bochs" },
	{ "Parallels", "parallels" },
	{ "BHYVE", "bhyve" },
	{ "Hyper-V", "hyper-v" },
	{ "Apple Virtualization", "apple" },
	{ "Google Compute", "google" },
};

static const char *machine_from_firmware(const char *root)
{
	static const char *const files[] = { "product_name", "sys_vendor", "board_vendor",
					     "bios_vendor", "product_version" };

	for (guint i = 0; i < G_N_ELEMENTS(files); i++) {
		g_autofree char *text = sysfile_text(root, "sys/class/dmi/id/%s", files[i]);

		for (guint k = 0; text && k < G_N_ELEMENTS(firmware_names); k++)
			if (g_str_has_prefix(text, firmware_names[k].prefix))
				return firmware_names[k].name;
	}
	return NULL;
}

static const char *machine_from_others(const char *root)
{
	g_autofree char *type = sysfile_text(root, "sys/hypervisor/type");
	g_autofree char *tree = sysfile_text(root, "proc/device-tree/hypervisor/compatible");
	g_autofree char *clocks = sysfile_text(
		root, "sys/devices/system/clocksource/clocksource0/available_clocksource");

	if (g_strcmp0(type, "xen") == 0)
		return "xen";
	if (tree)
		return strstr(tree, "xen") ? "xen" : strstr(tree, "vmware") ? "vmware" : "kvm";
	if (clocks && strstr(clocks, "kvm-clock"))
		return "kvm";
	if (clocks && strstr(clocks, "hyperv"))
		return "hyper-v";
	return NULL;
}

/* NULL: none that is known of. */
static const char *machine(const char *root)
{
	struct proc_cpuinfo info = { 0 };
	size_t size;
	g_autofree char *text = sysfile_bytes(root, "proc/cpuinfo", CPUINFO_MAX, &size);
	const char *name = machine_from_firmware(root);
	bool bare, guest;

	if (text)
		proc_cpuinfo_parse(text, size, &info);
	guest = info.hypervisor;
	bare = info.has_flags && !info.hypervisor;
	proc_cpuinfo_done(&info);
	if (bare)
		return NULL;
	name = name ?: machine_from_others(root);
	return name ?: guest ? "unknown" : NULL;
}

static char *container(const char *root)
{
	char *name = sysfile_text(root, "run/systemd/container");
	size_t size;
	g_autofree char *bytes = NULL;

	if (name)
		return name;
	bytes = sysfile_bytes(root, "run/.containerenv", 65536, &size);
	if (bytes)
		return g_strdup("podman");
	bytes = sysfile_bytes(root, ".dockerenv", 65536, &size);
	return bytes ? g_strdup("docker") : NULL;
}

json_t *conditions_virtualisation(const char *root)
{
	g_autofree char *inside = container(root);
	const char *name = machine(root);
	json_t *o = json_object();

	json_object_set_new(o, "machine", name ? json_string(name) : json_null());
	json_object_set_new(o, "container", inside ? json_string(inside) : json_null());
	json_object_set_new(o, "vendor", sysfile_string(root, "sys/class/dmi/id/sys_vendor"));
	json_object_set_new(o, "product", sysfile_string(root, "sys/class/dmi/id/product_name"));
	return o;
}
