/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "portlog.h"

#include "log.h"
#include <inttypes.h>

static void portlog_added(const struct port *p)
{
	g_autofree char *irq = p->irq < 0 ? g_strdup("no interrupt")
					  : g_strdup_printf("interrupt line %d", p->irq);

	log_info("Parallel port %s came: 0x%" PRIx64 ", %s%s%s%s.", p->name, p->base, irq,
		 p->driver ? ", driver " : "", p->driver ?: "",
		 p->node ? "" : ", without the kernel module lrtbf");
}

static void portlog_lost(const struct port *p)
{
	const struct log_field fields[] = {
		{ "LRTBF_PORT", p->name },
		{ "LRTBF_ROLE", p->role },
		{ NULL },
	};

	log_event(p->role ? LOG_WARNING : LOG_INFO, LOG_EVENT_PORT_LOST, fields,
		  "Parallel port %s was taken away%s.", p->name,
		  p->role ? " in the middle of a session" : "");
}

void portlog_write(enum ports_news news, const struct port *p, unsigned what)
{
	if (news == PORTS_ADDED)
		portlog_added(p);
	else if (news == PORTS_CHANGED && p->state == PORT_ABSENT && what & PORT_CHANGE_STATE)
		portlog_lost(p);
}
