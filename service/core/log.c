/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether standard error is the journal is asked at every message (one fstat): messages are rare,
 * and so nothing is remembered but the level.
 */
#include "log.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
/* log.c would be where everything comes from */
#define SD_JOURNAL_SUPPRESS_LOCATION
#include <systemd/sd-journal.h>
#include <unistd.h>

static int log_level = LOG_INFO;

void log_set_level(int level)
{
	g_atomic_int_set(&log_level, level);
}

int log_level_from_string(const char *s)
{
	static const char *const names[] = { "emerg",	"alert",  "crit", "err",
					     "warning", "notice", "info", "debug" };

	for (int i = 0; i < (int)G_N_ELEMENTS(names); i++)
		if (strcmp(names[i], s) == 0 || (s[0] == '0' + i && s[1] == '\0'))
			return i;
	return -EINVAL;
}

/* JOURNAL_STREAM is "device:inode" of the stream that the service manager gave as stderr. */
bool log_is_journal(void)
{
	const char *stream = getenv("JOURNAL_STREAM");
	char own[64];
	struct stat st;

	if (!stream || fstat(STDERR_FILENO, &st) < 0)
		return false;
	g_snprintf(own, sizeof(own), "%" PRIuMAX ":%" PRIuMAX, (uintmax_t)st.st_dev,
		   (uintmax_t)st.st_ino);
	return strcmp(own, stream) == 0;
}

static void log_add(GPtrArray *entry, const char *name, const char *value)
{
	if (value)
		g_ptr_array_add(entry, g_strconcat(name, "=", value, NULL));
}

static void log_to_journal(int level, const char *event_id, const struct log_field *fields,
			   const char *text)
{
	const char priority[] = { (char)('0' + level), '\0' };
	g_autoptr(GPtrArray) entry = g_ptr_array_new_with_free_func(g_free);
	g_autofree struct iovec *iov = NULL;

	log_add(entry, "MESSAGE", text);
	log_add(entry, "PRIORITY", priority);
	log_add(entry, "MESSAGE_ID", event_id);
	for (; fields->name; fields++)
		log_add(entry, fields->name, fields->value);
	iov = g_new(struct iovec, entry->len);
	for (guint i = 0; i < entry->len; i++)
		iov[i] = (struct iovec){ entry->pdata[i], strlen(entry->pdata[i]) };
	(void)sd_journal_sendv(iov, (int)entry->len); /* a full journal must not stop us */
}

/* A line tells whose session it is, unless its sentence does. */
static void log_to_stderr(const struct log_field *fields, const char *text)
{
	const char *session = NULL;

	for (; fields->name && !session; fields++)
		if (strcmp(fields->name, "LRTBF_SESSION") == 0)
			session = fields->value;
	if (session && !strstr(text, session))
		fprintf(stderr, "lrtbfd: %s: %s\n", session, text);
	else
		fprintf(stderr, "lrtbfd: %s\n", text);
}

G_GNUC_PRINTF(4, 0)
static void log_send(int level, const char *event_id, const struct log_field *fields,
		     const char *fmt, va_list ap)
{
	g_autofree char *text = NULL;
	int saved = errno;

	if (level > g_atomic_int_get(&log_level))
		return;
	text = g_strdup_vprintf(fmt, ap);
	if (log_is_journal())
		log_to_journal(level, event_id, fields, text);
	else
		log_to_stderr(fields, text);
	errno = saved;
}

void log_write(int level, const char *session, const char *fmt, ...)
{
	const struct log_field fields[] = { { "LRTBF_SESSION", session }, { NULL } };
	va_list ap;

	va_start(ap, fmt);
	log_send(level, NULL, fields, fmt, ap);
	va_end(ap);
}

void log_event(int level, enum log_event e, const struct log_field *fields, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	log_send(level, log_event_id(e), fields, fmt, ap);
	va_end(ap);
}
