/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Source: POSIX.1-2017, pax(1), "ustar Interchange Format" and "pax Extended Header". A name up to
 * 255 bytes is cut at a '/' into prefix and name; what does not come apart so, and a link to
 * something longer than 100 bytes, as they abound in /sys, has a header of its own in front, which
 * programs that know only ustar unpack as a file beside.
 */
#include "tar.h"

#include <glib.h>
#include <string.h>

#define BLOCK	    512
#define RECORD	    (20 * BLOCK) /* tar(1)'s default blocking */
#define NAME_SIZE   100
#define PREFIX_SIZE 155

struct tar_header {
	char name[NAME_SIZE], mode[8], uid[8], gid[8], size[12], mtime[12], checksum[8], type;
	char linkname[NAME_SIZE], magic[6], version[2], uname[32], gname[32], devmajor[8],
		devminor[8], prefix[PREFIX_SIZE], pad[12];
};
G_STATIC_ASSERT(sizeof(struct tar_header) == BLOCK);

struct tar {
	GByteArray *bytes;
	uint64_t mtime_s;
};

struct tar *tar_new(uint64_t mtime_s)
{
	struct tar *t = g_new0(struct tar, 1);

	t->bytes = g_byte_array_new();
	t->mtime_s = mtime_s;
	return t;
}

struct tar *tar_free(struct tar *t)
{
	if (!t)
		return NULL;
	g_byte_array_unref(t->bytes);
	g_free(t);
	return NULL;
}

/* Zeros up to a multiple of @unit. */
static void tar_pad(struct tar *t, guint unit)
{
	guint old = t->bytes->len, rest = old % unit;

	if (rest == 0)
		return;
	g_byte_array_set_size(t->bytes, old + unit - rest);
	memset(t->bytes->data + old, 0, unit - rest);
}

/* @size - 1 octal digits and a NUL. */
static void field_octal(char *field, size_t size, uint64_t value)
{
	field[size - 1] = '\0';
	for (size_t i = size - 1; i-- > 0; value /= 8)
		field[i] = '0' + value % 8;
}

/* A field that is full has no NUL. */
static void field_text(char *field, size_t size, const char *text)
{
	memcpy(field, text, MIN(strlen(text), size));
}

static void tar_put_header(struct tar *t, struct tar_header *h, char type, size_t size)
{
	const unsigned char *byte = (const unsigned char *)h;
	unsigned sum = 0;

	field_octal(h->mode, sizeof(h->mode), type == '5' ? 0755 : type == '2' ? 0777 : 0644);
	field_octal(h->uid, sizeof(h->uid), 0);
	field_octal(h->gid, sizeof(h->gid), 0);
	field_octal(h->size, sizeof(h->size), size);
	field_octal(h->mtime, sizeof(h->mtime), t->mtime_s);
	field_octal(h->devmajor, sizeof(h->devmajor), 0);
	field_octal(h->devminor, sizeof(h->devminor), 0);
	field_text(h->magic, sizeof(h->magic), "ustar");
	field_text(h->version, sizeof(h->version), "00");
	field_text(h->uname, sizeof(h->uname), "root");
	field_text(h->gname, sizeof(h->gname), "root");
	h->type = type;
	memset(h->checksum, ' ', sizeof(h->checksum));
	for (size_t i = 0; i < sizeof(*h); i++)
		sum += byte[i];
	field_octal(h->checksum, sizeof(h->checksum) - 1, sum);
	g_byte_array_append(t->bytes, (const guint8 *)h, sizeof(*h));
}

static void tar_put_bytes(struct tar *t, const void *bytes, size_t size)
{
	g_byte_array_append(t->bytes, bytes, size);
	tar_pad(t, BLOCK);
}

/* @path as prefix and name; false: it does not come apart so that both fit. */
static gboolean header_set_path(struct tar_header *h, const char *path)
{
	size_t size = strlen(path);
	const char *slash;

	if (size <= NAME_SIZE) {
		field_text(h->name, sizeof(h->name), path);
		return TRUE;
	}
	/* the first '/' that leaves a name that fits */
	slash = strchr(path + size - NAME_SIZE - 1, '/');
	if (!slash || slash == path || !slash[1] || slash - path > PREFIX_SIZE)
		return FALSE;
	memcpy(h->prefix, path, slash - path);
	field_text(h->name, sizeof(h->name), slash + 1);
	return TRUE;
}

/* "LENGTH KEY=VALUE\n", where the length counts its own digits. */
static void pax_append(GString *records, const char *key, const char *value)
{
	size_t rest = strlen(key) + strlen(value) + 3, length = rest + 1;
	char digits[24];

	for (;;) {
		size_t n = g_snprintf(digits, sizeof(digits), "%zu", length);

		if (rest + n == length)
			break;
		length = rest + n;
	}
	g_string_append_printf(records, "%s %s=%s\n", digits, key, value);
}

static void tar_put_pax(struct tar *t, const char *path, const char *target)
{
	g_autoptr(GString) records = g_string_new(NULL);
	struct tar_header h = { 0 };

	if (path)
		pax_append(records, "path", path);
	if (target)
		pax_append(records, "linkpath", target);
	field_text(h.name, sizeof(h.name), "pax-header");
	tar_put_header(t, &h, 'x', records->len);
	tar_put_bytes(t, records->str, records->len);
}

static void tar_put_member(struct tar *t, char type, const char *path, const char *target,
			   size_t size)
{
	struct tar_header h = { 0 };
	gboolean fits = header_set_path(&h, path);
	gboolean target_fits = !target || strlen(target) <= NAME_SIZE;

	if (!fits || !target_fits)
		tar_put_pax(t, fits ? NULL : path, target_fits ? NULL : target);
	if (!fits)
		field_text(h.name, sizeof(h.name), path);
	if (target)
		field_text(h.linkname, sizeof(h.linkname), target);
	tar_put_header(t, &h, type, size);
}

void tar_add_file(struct tar *t, const char *path, const void *bytes, size_t size)
{
	tar_put_member(t, '0', path, NULL, size);
	tar_put_bytes(t, bytes, size);
}

void tar_add_folder(struct tar *t, const char *path)
{
	g_autofree char *name = g_strconcat(path, "/", NULL);

	tar_put_member(t, '5', name, NULL, 0);
}

void tar_add_link(struct tar *t, const char *path, const char *target)
{
	tar_put_member(t, '2', path, target, 0);
}

void *tar_finish(struct tar *t, size_t *ret_size)
{
	guint old = t->bytes->len;
	void *bytes;

	g_byte_array_set_size(t->bytes, old + 2 * BLOCK);
	memset(t->bytes->data + old, 0, 2 * BLOCK);
	tar_pad(t, RECORD);
	*ret_size = t->bytes->len;
	bytes = g_byte_array_free(t->bytes, FALSE);
	t->bytes = g_byte_array_new();
	return bytes;
}
