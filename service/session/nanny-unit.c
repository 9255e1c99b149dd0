/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Descriptors reach a unit as its standard input, output and error and not otherwise (systemd 252),
 * so lrtbf-load is told to take them from there. What it leaves in the scratch folder when it is
 * killed is emptied by a second run of it, as the same user: the daemon may have no right to.
 */
#include <errno.h>

#include "cleanup.h"
#include "nanny.h"

int nanny_unit(const struct nanny_params *p, const struct errand *e, int status_fd, int scratch_fd,
	       cage_started_t started, void *userdata, struct cage_unit **ret)
{
	const char *const command[] = { p->load_path, "--stdio", NULL };
	const char *const sweep[] = { p->load_path, "--sweep", NULL };
	g_autofree char *name = NULL, *description = NULL;
	g_auto(fd_t) errand_fd = -1;
	struct cage_service service = {
		.command = command,
		.after = scratch_fd >= 0 ? sweep : NULL,
		.root = e->keep_rights,
		.fds = { -1, status_fd, scratch_fd },
	};
	int r;

	r = nanny_errand_fd(e, &errand_fd);
	if (r < 0)
		return r;
	service.fds[0] = errand_fd;
	service.name = name =
		g_strdup_printf("lrtbf-load-%s-%u-%s.service", p->session, p->stage, e->name);
	service.description = description =
		g_strdup_printf("Load %s of a latency measurement (session %s, stage %u)", e->name,
				p->session, p->stage + 1);
	return p->cage->service(p->cage->userdata, &service, started, userdata, ret);
}
