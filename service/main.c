/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lrtbfd: arguments and exit status. No locale is set: numbers are read and written in the C locale
 * everywhere.
 */
#include "config.h"
#include "daemon.h"
#include "log.h"
#include "restore.h"

#include <errno.h>
#include <getopt.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXIT_USAGE 64 /* EX_USAGE of sysexits.h */

enum main_option {
	OPTION_BUS = 1000,
	OPTION_CONFIG_DIR,
	OPTION_STATE_DIR,
	OPTION_RUNTIME_DIR,
	OPTION_ROOT,
	OPTION_LOCK_FILE,
	OPTION_MEASURE,
	OPTION_LOAD,
	OPTION_LOG_LEVEL,
	OPTION_RESTORE,
	OPTION_HELP,
	OPTION_VERSION,
};

static const struct option main_options[] = {
	{ "bus", required_argument, NULL, OPTION_BUS },
	{ "config-dir", required_argument, NULL, OPTION_CONFIG_DIR },
	{ "state-dir", required_argument, NULL, OPTION_STATE_DIR },
	{ "runtime-dir", required_argument, NULL, OPTION_RUNTIME_DIR },
	{ "root", required_argument, NULL, OPTION_ROOT },
	{ "lock-file", required_argument, NULL, OPTION_LOCK_FILE },
	{ "measure", required_argument, NULL, OPTION_MEASURE },
	{ "load", required_argument, NULL, OPTION_LOAD },
	{ "log-level", required_argument, NULL, OPTION_LOG_LEVEL },
	{ "restore", no_argument, NULL, OPTION_RESTORE },
	{ "help", no_argument, NULL, OPTION_HELP },
	{ "version", no_argument, NULL, OPTION_VERSION },
	{ NULL },
};

static const char main_help[] =
	"Usage: lrtbfd [OPTION...]\n"
	"\n"
	"Measures latencies of this machine for callers on D-Bus, and keeps the results.\n"
	"\n"
	"  --bus=system|user|ADDRESS  bus to offer org.lrtbf1 on (system)\n"
	"  --config-dir=DIR           one folder instead of /etc/lrtbfd, /run/lrtbfd-config and\n"
	"                             " CONFDIR "\n"
	"  --state-dir=DIR            folder of the results (/var/lib/lrtbfd)\n"
	"  --runtime-dir=DIR          folder of what a reboot may take (/run/lrtbfd)\n"
	"  --lock-file=FILE           what keeps two from measuring at once (/run/lock/lrtbfd)\n"
	"  --root=DIR                 read /proc and /sys below DIR (a captured machine)\n"
	"  --measure=FILE             the program lrtbf-measure\n"
	"  --load=FILE                the program lrtbf-load\n"
	"  --log-level=LEVEL          debug, info, notice, warning, err; over the settings' one\n"
	"  --restore                  no daemon: put back what a killed one left on interrupt\n"
	"                             threads and lines, keep what its session measured, and end\n"
	"  -h, --help; --version\n"
	"\n"
	"SIGTERM and SIGINT stop it, SIGHUP reads the configuration again. See lrtbfd(8).\n";

static int main_usage(const char *sentence, const char *what)
{
	fprintf(stderr, "lrtbfd: %s%s. Try lrtbfd --help.\n", sentence, what ?: "");
	return -EINVAL;
}

/* Children work in other folders: paths are made absolute here. Lives as long as the process. */
static const char *main_path(const char *arg)
{
	g_autofree char *path = g_canonicalize_filename(arg, NULL);

	return g_intern_string(path);
}

static int main_take_bus(struct daemon_options *o, const char *arg)
{
	if (strcmp(arg, "system") != 0 && strcmp(arg, "user") != 0 && !strchr(arg, ':'))
		return main_usage("--bus takes system, user or a D-Bus address, not ", arg);
	o->bus = arg;
	return 0;
}

static int main_take_log_level(struct daemon_options *o, const char *arg)
{
	o->log_level = log_level_from_string(arg);
	if (o->log_level < 0)
		return main_usage("--log-level takes a syslog level such as info, not ", arg);
	return 0;
}

static int main_take(struct daemon_options *o, int option, const char *arg)
{
	const char **paths[] = {
		[OPTION_CONFIG_DIR - OPTION_BUS] = &o->config_dir,
		[OPTION_STATE_DIR - OPTION_BUS] = &o->state_dir,
		[OPTION_RUNTIME_DIR - OPTION_BUS] = &o->runtime_dir,
		[OPTION_ROOT - OPTION_BUS] = &o->root,
		[OPTION_LOCK_FILE - OPTION_BUS] = &o->lock_file,
		[OPTION_MEASURE - OPTION_BUS] = &o->measure,
		[OPTION_LOAD - OPTION_BUS] = &o->load,
	};

	if (*arg == '\0')
		return main_usage("An option has an empty value", NULL);
	if (option == OPTION_BUS)
		return main_take_bus(o, arg);
	if (option == OPTION_LOG_LEVEL)
		return main_take_log_level(o, arg);
	*paths[option - OPTION_BUS] = main_path(arg);
	return 0;
}

/* 1: go on; 0: all is said; -EINVAL: usage. */
static int main_parse(int argc, char **argv, struct daemon_options *o, bool *ret_restore)
{
	int c;

	opterr = 0;
	while ((c = getopt_long(argc, argv, ":h", main_options, NULL)) >= 0) {
		switch (c) {
		case 'h':
		case OPTION_HELP:
			fputs(main_help, stdout);
			return 0;
		case OPTION_VERSION:
			puts("lrtbfd " LRTBFD_VERSION);
			return 0;
		case OPTION_RESTORE:
			*ret_restore = true;
			break;
		case ':':
			return main_usage("A value is missing for ", argv[optind - 1]);
		case '?':
			return main_usage(
				"Unknown or ambiguous option, or one that takes no value: ",
				argv[optind - 1]);
		default:
			if (main_take(o, c, optarg) < 0)
				return -EINVAL;
		}
	}
	if (optind < argc)
		return main_usage("There is nothing to be done with the argument ", argv[optind]);
	return 1;
}

/* A daemon that mostly sleeps shall be small: one heap for all threads, given back early. */
static void main_small_heap(void)
{
	(void)mallopt(M_ARENA_MAX, 1);
	(void)mallopt(M_MMAP_THRESHOLD, 128 * 1024);
	(void)mallopt(M_TRIM_THRESHOLD, 128 * 1024);
}

int main(int argc, char **argv)
{
	g_autofree char *message = NULL;
	struct daemon_options options;
	struct daemon *d = NULL;
	bool restore = false;
	int r;

	daemon_options_init(&options);
	r = main_parse(argc, argv, &options, &restore);
	if (r <= 0)
		return r < 0 ? EXIT_USAGE : EXIT_SUCCESS;
	if (options.log_level >= 0)
		log_set_level(options.log_level);
	if (restore)
		return restore_run(&options);
	main_small_heap();
	r = daemon_signals();
	if (r >= 0)
		r = daemon_new(&options, &d, &message);
	if (r < 0) {
		log_error("%s", message ?: g_strerror(-r));
		return EXIT_FAILURE;
	}
	r = daemon_run(d);
	daemon_free(d);
	return r;
}
