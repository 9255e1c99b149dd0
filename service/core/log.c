/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether standard error is the journal is asked at every message (one fstat): messages are rare,
 * and so nothing is remembered but the level.
 */
#include "log.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
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
static bool log_is_journal(void)
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

static void log_to_journal(int level, const char *session, const char *text)
{
	g_autofree char *message = g_strconcat("MESSAGE=", text, NULL);
	g_autofree char *field = g_strconcat("LRTBF_SESSION=", session ?: "", NULL);
	char priority[] = "PRIORITY=0";
	struct iovec iov[3] = {
		{ message, strlen(message) },
		{ priority, strlen(priority) },
		{ field, strlen(field) },
	};

	priority[sizeof(priority) - 2] = (char)('0' + level);
	(void)sd_journal_sendv(iov, session ? 3 : 2); /* a full journal must not stop us */
}

void log_write(int level, const char *session, const char *fmt, ...)
{
	g_autofree char *text = NULL;
	int saved = errno;
	va_list ap;

	if (level > g_atomic_int_get(&log_level))
		return;
	va_start(ap, fmt);
	text = g_strdup_vprintf(fmt, ap);
	va_end(ap);
	if (log_is_journal())
		log_to_journal(level, session, text);
	else if (session && !strstr(text, session))
		fprintf(stderr, "lrtbfd: %s: %s\n", session, text);
	else
		fprintf(stderr, "lrtbfd: %s\n", text);
	errno = saved;
}
