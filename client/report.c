/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * OpenReport is preferred because it has no size limit. Over ssh the connection agrees to carry
 * descriptors and then loses them, and the call times out; a bus reached by TCP says that it
 * cannot.
 */
#include "report.h"

#include "args.h"
#include "outfile.h"
#include "pager.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Of the terminal there is something to tell only to text that is made for it. */
static int report_append_display(sd_bus_message *m, const struct terminal *t, bool display)
{
	int r = sd_bus_message_append(m, "{sv}{sv}", "unicode", "b", t->utf8, "colour", "b",
				      display && t->colour);

	if (r >= 0 && display && t->width)
		r = sd_bus_message_append(m, "{sv}", "width", "u", (uint32_t)t->width);
	return r < 0 ? client_fail(NULL, r) : OUTCOME_DONE;
}

struct report_options {
	const struct report_method *method;
	const struct terminal *terminal;
	bool text, display;
};

static int report_fill(sd_bus_message *m, const void *data)
{
	const struct report_options *o = data;
	int r = o->method->fill ? o->method->fill(m, o->method->data) : OUTCOME_DONE;

	return r || !o->text ? r : report_append_display(m, o->terminal, o->display);
}

static int report_append(struct client *c, sd_bus_message *m, const struct report_method *method,
			 const char *format, bool display)
{
	const struct report_options options = {
		.method = method,
		.terminal = &c->terminal,
		.text = strcmp(format, "text") == 0,
		.display = display,
	};
	int r = method->append ? method->append(m, method->data) : 0;

	if (r >= 0)
		r = sd_bus_message_append(m, "s", format);
	if (r < 0)
		return client_fail(NULL, r);
	return client_append_options(m, report_fill, &options);
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

int report_call(struct client *c, const struct report_method *method, const char *format,
		bool display, struct report *ret)
{
	sd_bus_message *m = NULL, *reply = NULL;
	bool descriptor;
	int r = client_check_text(format);

	if (!r)
		r = client_open(c);
	if (r)
		return r;
	descriptor = !c->host && sd_bus_can_send(c->bus, SD_BUS_TYPE_UNIX_FD) > 0;
	r = client_message(c, method->path, method->interface,
			   descriptor ? method->open : method->get, &m);
	if (!r)
		r = report_append(c, m, method, format, display);
	if (!r)
		r = client_send_raw(c, m, &reply);
	if (!r) {
		r = report_take(reply, descriptor, ret);
		if (r < 0)
			r = client_fail(NULL, r);
	}
	sd_bus_message_unref(reply);
	sd_bus_message_unref(m);
	return r;
}

static int report_fill_session(sd_bus_message *m, const void *data)
{
	const struct report_wish *w = data;
	int r = w->stage ? client_append_text(m, "stage", w->stage) : OUTCOME_DONE;

	return r || !w->plot ? r : client_append_text(m, "plot", w->plot);
}

int report_fetch(struct client *c, const char *path, const struct report_wish *w,
		 struct report *ret)
{
	const struct report_method method = {
		.path = path,
		.interface = CLIENT_SESSION,
		.get = "GetReport",
		.open = "OpenReport",
		.fill = report_fill_session,
		.data = w,
	};

	return report_call(c, &method, w->format, w->display, ret);
}

json_t *report_json(const struct report *r)
{
	if (r->fd < 0)
		return json_loads(r->text, 0, NULL);
	/* who wrote it stands at its end */
	return lseek(r->fd, 0, SEEK_SET) < 0 ? NULL : json_loadfd(r->fd, 0, NULL);
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

static int report_to_stdout(struct client *c, int (*write)(void *data, int fd), void *data)
{
	struct pager p;
	int r;

	pager_open(&p, c->pager && c->terminal.tty);
	r = write(data, STDOUT_FILENO);
	pager_close(&p);
	if (r == -EPIPE) /* the reader has seen enough */
		return OUTCOME_DONE;
	return r < 0 ? (int)say_error("Cannot write the report: %s.", g_strerror(-r))
		     : OUTCOME_DONE;
}

static int report_to_file(const char *path, int (*write)(void *data, int fd), void *data)
{
	int r = outfile_whole(path, write, data);

	return r < 0 ? (int)say_error("Cannot write '%s': %s.", path, g_strerror(-r))
		     : OUTCOME_DONE;
}

bool report_is_displayed(const char *path)
{
	return !path || strcmp(path, "-") == 0;
}

int report_deliver(struct client *c, const char *path, int (*write)(void *data, int fd), void *data)
{
	return report_is_displayed(path) ? report_to_stdout(c, write, data)
					 : report_to_file(path, write, data);
}

static int report_write_one(void *data, int fd)
{
	return report_write(data, fd);
}

int report_deliver_one(struct client *c, const char *path, struct report *r)
{
	return report_deliver(c, path, report_write_one, r);
}

int report_print_formats(struct client *c, const char *formats)
{
	json_t *manager, *format;
	size_t i;
	int r = client_properties(c, CLIENT_PATH, CLIENT_MANAGER, &manager);

	if (r)
		return r;
	json_array_foreach (json_object_get(manager, formats), i, format)
		printf("%s\n", json_string_value(format));
	json_decref(manager);
	return OUTCOME_DONE;
}

int report_format_wanted(struct client *c, const struct args *a, const char *formats,
			 const char **ret)
{
	const char *format = args_value(a, "format");

	*ret = NULL;
	if (format && strcmp(format, "help") == 0)
		return report_print_formats(c, formats);
	if (c->json && format && strcmp(format, "json") != 0)
		return say_usage("--json and --format=%s do not go together.", format);
	*ret = format ? format : c->json ? "json" : "text";
	return OUTCOME_DONE;
}

bool report_format_is_json(const char *format)
{
	return g_str_has_suffix(format, "json");
}

int report_show(struct client *c, const char *path)
{
	const struct report_wish wish = { .format = c->json ? "json" : "text", .display = true };
	struct report report;
	int r = report_fetch(c, path, &wish, &report);

	if (r)
		return r;
	(void)fflush(stdout);
	r = report_write(&report, STDOUT_FILENO);
	report_done(&report);
	if (r < 0 && r != -EPIPE)
		say("Cannot write the report: %s.", g_strerror(-r));
	return r < 0 ? OUTCOME_ERROR : OUTCOME_DONE;
}
