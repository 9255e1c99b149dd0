/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lrtbf-generator: see systemd.generator(7) and lrtbf-generator(8).
 *
 * Always 0: what a generator ends with is told to nobody who could mend it, and a plan's mistake is
 * no reason to call a boot degraded. What is wrong goes to the kernel's log, which is there before
 * any other.
 */
#include "config.h"
#include "generator.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROOT_OPTION "--root="

struct main_log {
	int fd;	   /* of /dev/kmsg; -1: standard error */
	pid_t pid; /* constant */
};

/* One write is one record; the kernel cuts what is too long for it. */
static void main_say(const char *text, void *userdata)
{
	const struct main_log *log = userdata;
	g_autofree char *line =
		g_strdup_printf("<4>lrtbf-generator[%d]: %.900s\n", (int)log->pid, text);

	if (log->fd < 0 || write(log->fd, line, strlen(line)) < 0)
		fprintf(stderr, "lrtbf-generator: %s\n", text);
}

static const char *const main_help =
	"Usage: lrtbf-generator [--root=DIR] NORMAL-DIR [EARLY-DIR LATE-DIR]\n"
	"\n"
	"Makes timer units of the schedules of lrtbfd's plans. systemd runs it: "
	"systemd.generator(7).\n"
	"With --root plans are read below DIR, and what is wrong goes to standard error.\n";

static void main_run(const char *root, const char *dest, struct main_log *log)
{
	g_autofree char *etc = g_strconcat(root, "/etc/lrtbfd", NULL);
	g_autofree char *run = g_strconcat(root, "/run/lrtbfd-config", NULL);
	g_autofree char *usr = g_strconcat(root, CONFDIR, NULL);
	const char *const dirs[] = { etc, run, usr, NULL };
	const struct generator_params params = {
		.config_dirs = dirs,
		.root = root,
		.dest = dest,
		.say = main_say,
		.userdata = log,
	};

	(void)generator_run(&params);
}

int main(int argc, char **argv)
{
	struct main_log log = { .fd = -1, .pid = getpid() };
	const char *root = "";
	int i = 1;

	if (i < argc && g_str_has_prefix(argv[i], ROOT_OPTION))
		root = argv[i++] + strlen(ROOT_OPTION);
	if (i >= argc || argv[i][0] == '-') {
		fputs(main_help, stdout);
		return EXIT_SUCCESS;
	}
	if (!*root)
		log.fd = open("/dev/kmsg", O_WRONLY | O_CLOEXEC | O_NOCTTY);
	main_run(root, argv[i], &log);
	return EXIT_SUCCESS; /* the kernel closes the descriptor */
}
