/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Settings of a port, and a device's resources. */
#include "proc-parport.h"

#include <glib.h>
#include <stddef.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autofree char *text = g_strndup(size ? (const char *)data : "", size);
	g_autofree char *active = proc_parport_active(text);
	g_autofree char *line = NULL;
	uint64_t base = proc_parport_base(text);
	int irq = proc_parport_irq(text);

	g_assert_cmpint(irq, >=, -1);
	g_assert_cmpint(irq, <=, 65535);
	g_assert_true(irq < 0 || base == (uint64_t)irq);
	g_assert_true(!active || (*active && g_utf8_validate(active, -1, NULL)));
	(void)resource_begins(text, base);
	/* what there is is found */
	line = g_strdup_printf("state = active\nio 0x%" G_GINT64_MODIFIER "x-0x\n", base);
	g_assert_true(resource_begins(line, base));
	return 0;
}
