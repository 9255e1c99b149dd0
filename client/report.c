/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * OpenReport is preferred because it has no size limit. Over ssh the connection agrees to carry
 * descriptors and then loses them, and the call times out; a bus reached by TCP says that it
 * cannot.
 */
#include "report.h"

#include "outfile.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int report_append_options(struct client *c, sd_bus_message *m, const char *format,
				 const char *stage, bool display)
{
	const struct terminal *t = &c->terminal;
	int r = sd_bus_message_open_container(m, SD_BUS_TYPE_ARRAY, "{sv}");

	if (r >= 0 && stage)
		r = sd_bus_message_append(m, "{sv}", "stage", "s", stage);
	if (r >= 0 && strcmp(format, "text") == 0) {
		r = sd_bus_message_append(m, "{sv}{sv}", "unicode", "b", t->utf8, "colour", "b",
					  display && t->colour);
		if (r >= 0 && display && t->width)
			r = sd_bus_message_append(m, "{sv}", "width", "u", (uint32_t)t->width);
	}
	return r < 0 ? r : sd_bus_message_close_container(m);
}

static int report_take(sd_bus_message *reply, bool descriptor, struct report *ret)
{
	const char *text;
	int fd, r;

	if (!descriptor) {
		r = sd_bus_message_read(reply, "s", &text);
		if (r < 0)
			return r;
		*ret = (struct report){ .fd = -1, .text = g_strdup(text) };
		return 0;
	}
	r = sd_bus_message_read(reply, "h", &fd);
	if (r < 0)
		return r;
	fd = fcntl(fd, F_DUPFD_CLOEXEC, 3); /* the message's own goes with it */
	if (fd < 0)
		return -errno;
	*ret = (struct report){ .fd = fd };
	return 0;
}

int report_fetch(struct client *c, const char *path, const char *format, const char *stage,
		 bool display, struct report *ret)
{
	sd_bus_message *m = NULL, *reply = NULL;
	bool descriptor;
	int r = client_check_text(format);

	if (!r && stage)
		r = client_check_text(stage);
	if (!r)
		r = client_open(c);
	if (r)
		return r;
	descriptor = !c->host && sd_bus_can_send(c->bus, SD_BUS_TYPE_UNIX_FD) > 0;
	r = client_message(c, path, CLIENT_SESSION, descriptor ? "OpenReport" : "GetReport", &m);
	if (r)
		return r;
	r = sd_bus_message_append(m, "s", format);
	if (r >= 0)
		r = report_append_options(c, m, format, stage, display);
	r = r < 0 ? client_fail(NULL, r) : client_send_raw(c, m, &reply);
	if (!r) {
		r = report_take(reply, descriptor, ret);
		if (r < 0)
			r = client_fail(NULL, r);
	}
	sd_bus_message_unref(reply);
	sd_bus_message_unref(m);
	return r;
}

int report_write(struct report *r, int fd)
{
	return r->fd < 0 ? outfile_write(fd, r->text, strlen(r->text)) : outfile_copy(r->fd, fd);
}

void report_done(struct report *r)
{
	if (r->fd >= 0)
		(void)close(r->fd); /* only read from */
	r->fd = -1;
	g_clear_pointer(&r->text, g_free);
}

bool report_format_is_json(const char *format)
{
	return g_str_has_suffix(format, "json");
}

int report_show(struct client *c, const char *path)
{
	struct report report;
	int r = report_fetch(c, path, c->json ? "json" : "text", NULL, true, &report);

	if (r)
		return r;
	(void)fflush(stdout);
	r = report_write(&report, STDOUT_FILENO);
	report_done(&report);
	if (r < 0 && r != -EPIPE)
		say("Cannot write the report: %s.", g_strerror(-r));
	return r < 0 ? OUTCOME_ERROR : OUTCOME_DONE;
}
