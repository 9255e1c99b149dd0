/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "args.h"
#include "client.h"
#include "outfile.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* A connection over ssh agrees to carry descriptors and then loses them. */
static int irq_capture_check_carries(struct client *c)
{
	int r = client_open(c);

	if (r)
		return r;
	if (c->host || sd_bus_can_send(c->bus, SD_BUS_TYPE_UNIX_FD) <= 0)
		return say_error("The table comes as a file descriptor, which this connection does "
				 "not carry: run 'lrtbfctl irq capture' on that machine.");
	return OUTCOME_DONE;
}

/* *ret is ours to close. */
static int irq_capture_open(struct client *c, int *ret)
{
	sd_bus_message *m = NULL, *reply = NULL;
	int fd, r = client_message(c, CLIENT_PATH, CLIENT_MANAGER, "OpenIrqCapture", &m);

	if (r)
		return r;
	r = sd_bus_message_append(m, "a{sv}", 0);
	r = r < 0 ? client_fail(NULL, r) : client_send_raw(c, m, &reply);
	if (!r) {
		r = sd_bus_message_read(reply, "h", &fd);
		if (r >= 0) {
			*ret = fcntl(fd, F_DUPFD_CLOEXEC, 3); /* the message's own goes with it */
			r = *ret < 0 ? -errno : 0;
		}
		if (r < 0)
			r = say_error("The answer of lrtbfd cannot be read: %s.", g_strerror(-r));
	}
	sd_bus_message_unref(reply);
	sd_bus_message_unref(m);
	return r;
}

static int irq_capture_write(void *data, int fd)
{
	return outfile_copy(*(const int *)data, fd);
}

static int irq_capture_to_file(int fd, const char *path)
{
	int r = outfile_whole(path, irq_capture_write, &fd);

	return r < 0 ? (int)say_error("Cannot write '%s': %s.", path, g_strerror(-r))
		     : OUTCOME_DONE;
}

static int irq_capture_to_stdout(int fd)
{
	int r = outfile_copy(fd, STDOUT_FILENO);

	return r < 0 ? (int)say_error("Cannot write the archive: %s.", g_strerror(-r))
		     : OUTCOME_DONE;
}

static int irq_capture_run(struct client *c, const struct args *a)
{
	const char *path = args_value(a, "output");
	bool standard = path && strcmp(path, "-") == 0;
	int fd = -1, r;

	if (!path)
		return say_usage("'irq capture' needs --output=FILE.");
	if (standard && c->terminal.tty)
		return say_usage("The archive is nothing for a terminal: give --output=FILE.");
	r = irq_capture_check_carries(c);
	if (!r)
		r = irq_capture_open(c, &fd);
	if (r)
		return r;
	r = standard ? irq_capture_to_stdout(fd) : irq_capture_to_file(fd, path);
	(void)close(fd); /* only read from */
	return r;
}

static const struct option_spec irq_capture_options[] = {
	{ "output", 'o', "FILE", "The archive: tar; - is stdout" },
	{ NULL },
};

const struct verb verb_irq_capture = {
	.name = "irq capture",
	.operands = "",
	.help = "Write the table's sources to a tar archive, for a bug report",
	.options = irq_capture_options,
	.run = irq_capture_run,
};
