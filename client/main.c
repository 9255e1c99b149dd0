/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lrtbfctl: the service at the command line. It knows the D-Bus API and nothing of the service's
 * files, so that it works the same over ssh and for an ordinary user.
 *
 * Only LC_CTYPE is taken from the environment: names may be of any script, numbers never change.
 */
#include "args.h"
#include "client.h"
#include "config.h"
#include "help.h"
#include <errno.h>
#include <locale.h>
#include <stdio.h>

static int main_help(struct client *c, const struct args *a)
{
	g_autoptr(GString) out = g_string_new(NULL);

	if (a->verb)
		help_print_command(a->verb, out);
	else
		help_print(out);
	client_print(c, out);
	return OUTCOME_DONE;
}

static int main_run(const struct args *a)
{
	struct client c;
	int r = client_init(&c, a);

	if (r)
		return r;
	if (args_has(a, "help"))
		return main_help(&c, a);
	if (args_has(a, "version")) {
		printf("lrtbfctl %s\n", LRTBFD_VERSION);
		return OUTCOME_DONE;
	}
	r = a->verb->run(&c, a);
	client_done(&c);
	return r;
}

/* Output that was lost (a full disk behind '>') is an error, whatever the command did. */
static int main_check_output(int outcome)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return outcome;
	if (errno != EPIPE)
		say("Cannot write the output: %s.", g_strerror(errno));
	return outcome == OUTCOME_DONE ? OUTCOME_ERROR : outcome;
}

int main(int argc, char *argv[])
{
	g_autofree char *message = NULL;
	struct args a;
	int r;

	(void)setlocale(LC_CTYPE, ""); /* a locale that does not exist: "C" stays */
	r = args_parse(&a, (const char *const *)argv + 1, &message);
	r = r < 0 ? (int)say_usage("%s", message) : main_run(&a);
	args_done(&a);
	return main_check_output(r);
}
