/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why a text file that only grows: a line is in the page cache when write(2) returns, which a kill
 * of this process does not undo, and after a crash of the machine the journal is of another boot
 * and void. So nothing is ever synced, and one small write per step is all it costs. When most of
 * the lines say nothing any more, the file is written anew beside the old one and takes its place.
 */
#include "journal-file.h"
#include "journal-text.h"

#include "cleanup.h"
#include "message.h"
#include "tuning.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define NAME	 "tuning"
#define NAME_NEW "tuning.new"
/* what a "did" and a "forget" take, about */
#define RESERVE_ENTRY_BYTES 320
#define RESERVE_STEP_BYTES  (32 * 1024)
/* fewer lines than this are not worth a new file */
#define COMPACT_LINES 256

struct journal {
	char *dir, *path, *boot_id; /* fixed */
	int fd;
	off_t size;	/* of what is whole */
	off_t reserved; /* up to here the file has its room */
	uint64_t serial;
	unsigned lines, damaged;
	GPtrArray *entries;
};

/* The whole journal as few lines. @ret_lines, @ret_serial: of the last. */
static char *journal_format(const struct journal *j, unsigned *ret_lines, uint64_t *ret_serial)
{
	g_autofree char *head = journal_head_format(j->boot_id);
	GString *out = g_string_new(head);
	uint64_t serial = 0;

	for (guint i = 0; i < j->entries->len; i++) {
		const struct tuning_entry *e = g_ptr_array_index(j->entries, i);
		struct journal_record rec = {
			.verb = JOURNAL_WILL,
			.subject = e->subject,
			.attribute = e->attribute,
			.old = e->old,
			.before = e->before,
			.new = e->new,
			.by = e->by,
		};
		g_autofree char *will = journal_record_format(&rec, ++serial);
		g_autofree char *did = NULL;

		g_string_append(out, will);
		if (!e->sure)
			continue;
		rec.verb = JOURNAL_DID;
		did = journal_record_format(&rec, ++serial);
		g_string_append(out, did);
	}
	*ret_lines = (unsigned)serial + 1;
	*ret_serial = serial;
	return g_string_free(out, FALSE);
}

/* A new file in the place of the old one, which stays when this fails. */
static int journal_rewrite(struct journal *j)
{
	g_autofree char *path = g_build_filename(j->dir, NAME_NEW, NULL), *text = NULL;
	g_auto(fd_t) fd = -1;
	unsigned lines;
	uint64_t serial;
	int r;

	text = journal_format(j, &lines, &serial);
	(void)unlink(path); /* left by one who was killed here; whatever else fails below */
	fd = open(path, JOURNAL_OPEN_FLAGS | O_EXCL, 0600);
	if (fd < 0)
		return -errno;
	r = journal_file_lock(fd);
	if (r >= 0)
		r = journal_file_write(fd, text, 0);
	if (r >= 0 && rename(path, j->path) < 0)
		r = -errno;
	if (r < 0) {
		(void)unlink(path); /* the error is told already */
		return r;
	}
	fd_close(j->fd);
	j->fd = fd_steal(&fd);
	j->size = (off_t)strlen(text);
	j->reserved = 0;
	j->lines = lines;
	j->serial = serial;
	return 0;
}

/* Room for @line_bytes now and for what will be said of every entry later. */
static int journal_reserve(struct journal *j, size_t line_bytes)
{
	off_t need =
		j->size + (off_t)line_bytes + (off_t)(j->entries->len + 1) * RESERVE_ENTRY_BYTES;

	if (need <= j->reserved)
		return 0;
	need += RESERVE_STEP_BYTES;
	if (fallocate(j->fd, FALLOC_FL_KEEP_SIZE, 0, need) < 0)
		/* a file system that cannot: then a full disk shows later, as it may */
		return errno == EOPNOTSUPP || errno == ENOSYS ? 0 : -errno;
	j->reserved = need;
	return 0;
}

/* A tidy-up of the folder may have taken it away: what is written then is nowhere. */
static bool journal_is_there(const struct journal *j)
{
	struct stat st;

	return fstat(j->fd, &st) == 0 && st.st_nlink > 0;
}

/*
 * Write the record, then let it take effect here, as read from what was written. On failure
 * nothing of it is left in either place.
 */
static int journal_append(struct journal *j, const struct journal_record *rec)
{
	g_autofree char *line = NULL;
	struct journal_record back;
	uint64_t serial;
	int r;

	if (!journal_is_there(j)) {
		r = journal_rewrite(j);
		if (r < 0)
			return r;
	}
	line = journal_record_format(rec, j->serial + 1);
	if (journal_record_parse(line, strlen(line) - 1, &serial, &back) < 0)
		return -EINVAL;
	r = rec->verb == JOURNAL_WILL ? journal_reserve(j, strlen(line)) : 0;
	if (r >= 0)
		r = journal_file_write(j->fd, line, j->size);
	if (r < 0) {
		/* a torn line that cannot be cut off is overwritten by the next, and read by nobody
		 */
		if (ftruncate(j->fd, j->size) < 0)
			errno = 0;
		j->reserved = 0;
		journal_record_done(&back);
		return r;
	}
	j->size += (off_t)strlen(line);
	j->serial = serial;
	j->lines++;
	journal_entries_apply(j->entries, &back);
	if (j->lines > COMPACT_LINES && j->lines > 8 * j->entries->len)
		(void)journal_rewrite(j); /* it is only longer than it could be */
	return 0;
}

static int journal_load(struct journal *j, char **ret_message)
{
	g_autofree char *text = NULL;
	struct journal_reading reading;
	size_t size = 0;
	int r = journal_file_read(j->fd, &text, &size);

	if (r < 0)
		return message_fail(ret_message, r, "The journal of changes %s cannot be read: %s.",
				    j->path, g_strerror(-r));
	journal_read(text, size, j->boot_id, &reading);
	j->entries = reading.entries;
	j->damaged = reading.bad;
	j->serial = reading.serial;
	j->lines = reading.lines;
	j->size = (off_t)size;
	r = reading.current ? 0 : journal_rewrite(j);
	if (r < 0)
		return message_fail(ret_message, r,
				    "The journal of changes %s cannot be written: %s.", j->path,
				    g_strerror(-r));
	return 0;
}

int journal_open(const char *runtime_dir, const char *boot_id, struct journal **ret,
		 char **ret_message)
{
	struct journal *j = g_new0(struct journal, 1);
	int r;

	j->fd = -1;
	j->dir = g_strdup(runtime_dir);
	j->path = g_build_filename(runtime_dir, NAME, NULL);
	j->boot_id = g_strdup(boot_id);
	r = journal_file_open(j->path, &j->fd, ret_message);
	if (r >= 0)
		r = journal_load(j, ret_message);
	if (r < 0) {
		journal_close(j);
		return r;
	}
	*ret = j;
	return 0;
}

struct journal *journal_close(struct journal *j)
{
	if (!j)
		return NULL;
	fd_close(j->fd);
	g_clear_pointer(&j->entries, g_ptr_array_unref);
	g_free(j->dir);
	g_free(j->path);
	g_free(j->boot_id);
	g_free(j);
	return NULL;
}

unsigned journal_damaged(const struct journal *j)
{
	return j->damaged;
}

const GPtrArray *journal_entries(const struct journal *j)
{
	return j->entries;
}

struct tuning_entry *journal_find(const struct journal *j, const struct tuning_subject *s,
				  enum tuning_attribute a)
{
	return journal_entries_find(j->entries, s, a);
}

/* What of ours is there before a change to come, while @now is in force. */
static const struct tuning_value *entry_before(const struct tuning_entry *e,
					       const struct tuning_value *now)
{
	return !e->sure && tuning_value_equal(e->attribute, &e->before, now) ? &e->before : &e->new;
}

int journal_will(struct journal *j, const struct tuning_subject *s, enum tuning_attribute a,
		 const struct tuning_value *old, const struct tuning_value *new, const char *by)
{
	const struct tuning_entry *e = journal_find(j, s, a);
	const struct journal_record rec = {
		.verb = JOURNAL_WILL,
		.subject = *s,
		.attribute = a,
		.old = e ? e->old : *old,
		.before = e ? *entry_before(e, old) : *old,
		.new = *new,
		.by = (char *)by,
	};

	return journal_append(j, &rec);
}

int journal_did(struct journal *j, const struct tuning_subject *s, enum tuning_attribute a)
{
	const struct journal_record rec = { .verb = JOURNAL_DID, .subject = *s, .attribute = a };

	return journal_find(j, s, a) ? journal_append(j, &rec) : 0;
}

int journal_forget(struct journal *j, const struct tuning_subject *s, enum tuning_attribute a)
{
	const struct journal_record rec = { .verb = JOURNAL_FORGET, .subject = *s, .attribute = a };

	return journal_find(j, s, a) ? journal_append(j, &rec) : 0;
}

int journal_wont(struct journal *j, const struct tuning_subject *s, enum tuning_attribute a)
{
	const struct tuning_entry *e = journal_find(j, s, a);
	struct journal_record rec;
	int r;

	if (!e)
		return 0;
	if (tuning_value_equal(a, &e->before, &e->old))
		return journal_forget(j, s, a);
	rec = (struct journal_record){
		.verb = JOURNAL_WILL,
		.subject = e->subject,
		.attribute = a,
		.old = e->old,
		.before = e->before,
		.new = e->before,
		.by = e->by,
	};
	r = journal_append(j, &rec);
	return r < 0 ? r : journal_did(j, s, a);
}
