/* SPDX-License-Identifier: GPL-2.0-or-later */
/* irqtable.h's words for people: why a line has no thread, and why nothing may be set. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "irqtable.h"
#include "message.h"
#include "sysfile.h"

static const char *const irq_unthreadeds[] = {
	[IRQ_THREADED] = "threaded",   [IRQ_UNUSED] = "unused", [IRQ_NOT_FORCED] = "not-forced",
	[IRQ_NO_THREAD] = "no-thread", [IRQ_NESTED] = "nested", [IRQ_UNSEEN] = "unseen",
};

const char *irq_unthreaded_to_string(enum irq_unthreaded u)
{
	return irq_unthreadeds[u];
}

char *irq_line_explain(const struct irq_line *l)
{
	switch (l->unthreaded) {
	case IRQ_THREADED:
		return NULL;
	case IRQ_UNUSED:
		return g_strdup_printf("Interrupt %u has no handler.", l->irq);
	case IRQ_NOT_FORCED:
		return g_strdup_printf("Interrupt %u is handled in hard interrupt context: its "
				       "driver asked for no thread, and this kernel makes them for "
				       "all only with PREEMPT_RT or threadirqs.",
				       l->irq);
	case IRQ_NO_THREAD:
		return g_strdup_printf("Interrupt %u is exempt from threading: a timer, a per-CPU "
				       "interrupt, or a handler that must run at once "
				       "(IRQF_NO_THREAD).",
				       l->irq);
	case IRQ_NESTED:
		if (l->parent < 0)
			return g_strdup_printf("Interrupt %u is handled in the thread of the "
					       "interrupt its chip hangs on.",
					       l->irq);
		return g_strdup_printf("Interrupt %u is handled in the thread of interrupt %d, on "
				       "which its chip %s hangs.",
				       l->irq, l->parent, l->chip);
	case IRQ_UNSEEN:
		return g_strdup("Kernel threads cannot be seen from here: this is a PID namespace "
				"or a restricted /proc.");
	}
	g_assert_not_reached();
}

/* Process ids that this process has, from the namespace /proc belongs to inwards. */
static char *own_pids(const char *root)
{
	g_autofree char *status = sysfile_text(root, "proc/self/status");
	char *at = status ? strstr(status, "\nNSpid:") : NULL, *end;

	if (!at)
		return NULL;
	at += strlen("\nNSpid:");
	end = strchr(at, '\n');
	return g_strstrip(g_strndup(at, end ? (gsize)(end - at) : strlen(at)));
}

/* The number of the machine's own user namespace, in every kernel (include/linux/proc_ns.h). */
#define USER_NAMESPACE_FIRST "user:[4026531837]"

/* Root of another one may lower a kernel thread, being its owner, but never raise it again. */
static bool user_namespace_is_first(const char *root)
{
	g_autofree char *path = g_build_filename(root, "proc/self/ns/user", NULL);
	g_autofree char *name = g_file_read_link(path, NULL);

	return !name || strcmp(name, USER_NAMESPACE_FIRST) == 0; /* none: a kernel without them */
}

int irqtable_check_own(const char *root, char **ret_message)
{
	g_autofree char *pids = NULL, *link = NULL, *path = NULL, *pid = NULL;
	struct stat here, there;

	if (stat("/", &here) < 0 || stat(root, &there) < 0 || here.st_dev != there.st_dev ||
	    here.st_ino != there.st_ino)
		return message_fail(ret_message, -EXDEV,
				    "%s is a captured tree: nothing of it can be set.", root);
	path = g_build_filename(root, "proc/self", NULL);
	link = g_file_read_link(path, NULL);
	if (!link)
		return message_fail(
			ret_message, -EXDEV,
			"There is no /proc here: mount it, nothing can be set without.");
	pid = g_strdup_printf("%d", getpid());
	pids = own_pids(root);
	/* its own number may be the same in two namespaces, but not the only one in both */
	if (strcmp(link, pid) != 0 || (pids && strcmp(pids, pid) != 0))
		return message_fail(ret_message, -EXDEV,
				    "/proc shows the processes of another PID namespace: thread "
				    "numbers in it are not those that can be set from here.");
	if (!user_namespace_is_first(root))
		return message_fail(ret_message, -EXDEV,
				    "This is a user namespace: what is changed on kernel threads "
				    "from here could not be put back.");
	return 0;
}
