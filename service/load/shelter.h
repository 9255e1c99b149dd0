/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * A process to guard one instance of a load, forked so that nothing below it can outlive it: the
 * strongest way that this machine permits.
 */
#include "errand.h"

enum shelter_kind {
	SHELTER_NAMESPACE,	/* pid 1 of a process namespace */
	SHELTER_USER_NAMESPACE, /* and of a user namespace with it, which needs no right */
	SHELTER_TREE,		/* neither permitted: a child subreaper */
};

/*
 * Fork. In the child: 0, rights dropped, to be ended with _exit(). In the parent: the child's pid
 * with its pidfd in @ret_pidfd and @kind set to what worked; the parent may have dropped its
 * rights. @life_fd is the writing end of the life pipe, closed in the child. -errno with a
 * sentence.
 */
pid_t shelter_fork(const struct errand *e, int life_fd, enum shelter_kind *kind, int *ret_pidfd,
		   char **ret_message);
