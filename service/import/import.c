/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What holds for every source is seen to here, before and after the importers: that it is text and
 * has an end, that what comes out can be kept, ids and times.
 */
#include "import.h"

#include "source.h"
#include "textline.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

#define IMPORT_SESSIONS_MAX 64 /* of one file */

static int import_say(char **ret_message, int r, const char *fmt, ...) G_GNUC_PRINTF(3, 4);

static int import_say(char **ret_message, int r, const char *fmt, ...)
{
	g_autofree char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	text = g_strdup_vprintf(fmt, ap);
	va_end(ap);
	if (ret_message)
		*ret_message = g_utf8_make_valid(text, -1);
	return r;
}

const struct import_format *import_format(const char *name)
{
	for (const struct import_format *const *f = import_formats; *f; f++)
		if (g_strcmp0((*f)->name, name) == 0)
			return *f;
	return NULL;
}

static char *import_names(void)
{
	GString *names = g_string_new(NULL);

	for (const struct import_format *const *f = import_formats; *f; f++)
		g_string_append_printf(names, "%s%s", names->len ? ", " : "", (*f)->name);
	return g_string_free(names, FALSE);
}

static int import_check_text(const char *what, const char *text, char **ret_message)
{
	if (!text || text_is_line(text))
		return 0;
	return import_say(ret_message, -EINVAL,
			  "The %s of an import is one line without control characters.", what);
}

static int import_check_options(const struct import_options *o, char **ret_message)
{
	int r = import_check_text("file name", o->name, ret_message);

	if (r == 0)
		r = import_check_text("label", o->label, ret_message);
	if (r == 0)
		r = import_check_text("load", o->load, ret_message);
	if (r == 0)
		r = import_check_text("kernel", o->kernel, ret_message);
	if (r == 0 && o->load && !*o->load)
		r = import_say(ret_message, -EINVAL, "The load of an import has no name.");
	return r;
}

/* As text with Unix line ends, whatever machine it came over. */
static int import_text(const char *name, const void *data, size_t size, char **ret, gsize *ret_size,
		       char **ret_message)
{
	const char *text = data;

	if (size > IMPORT_SIZE_MAX)
		return import_say(ret_message, -EMSGSIZE,
				  "%s is larger than the %d MiB that can be imported.", name,
				  IMPORT_SIZE_MAX >> 20);
	if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) { /* a mark of the byte order */
		text += 3;
		size -= 3;
	}
	if (size == 0)
		return import_say(ret_message, -EBADMSG, "%s is empty.", name);
	if (memchr(text, '\0', size) || !g_utf8_validate(text, (gssize)size, NULL))
		return import_say(ret_message, -EBADMSG,
				  "%s is no text (UTF-8): nothing of it can be read.", name);
	*ret = g_malloc(size + 1);
	*ret_size = 0;
	for (size_t i = 0; i < size; i++)
		if (text[i] != '\r' || (i + 1 < size && text[i + 1] != '\n'))
			(*ret)[(*ret_size)++] = text[i];
	(*ret)[*ret_size] = '\0';
	return 0;
}

static int import_find(const char *format, const char *name, const char *text, size_t size,
		       const struct import_format **ret, char **ret_message)
{
	g_autofree char *names = import_names();

	if (format && *format) {
		*ret = import_format(format);
		if (*ret)
			return 0;
		return import_say(ret_message, -EINVAL,
				  "There is no import format \"%s\"; there are: %s.", format,
				  names);
	}
	for (const struct import_format *const *f = import_formats; *f; f++) {
		*ret = *f;
		if ((*f)->looks_like(text, size))
			return 0;
	}
	return import_say(ret_message, -EBADMSG,
			  "%s looks like no output that can be imported; these can: %s.", name,
			  names);
}

static bool import_id_taken(const GPtrArray *results, guint n, const char *id)
{
	for (guint i = 0; i < n; i++)
		if (strcmp(((const struct result *)results->pdata[i])->id, id) == 0)
			return true;
	return false;
}

static void import_complete(GPtrArray *results, guint i, uint64_t now_usec)
{
	struct result *r = results->pdata[i];

	do {
		g_free(r->id);
		r->id = result_id_new(now_usec);
	} while (import_id_taken(results, i, r->id));
	r->state = SESSION_DONE;
	r->verdict = VERDICT_NONE;
	r->created_usec = now_usec;
	if (r->started_usec == 0)
		r->started_usec = now_usec;
	if (r->finished_usec < r->started_usec)
		r->finished_usec = r->started_usec;
}

/* Whatever the importer made of it: what cannot be kept is refused here and not by the store. */
static int import_check_results(const char *name, const GPtrArray *results, char **ret_message)
{
	bool good = results->len > 0 && results->len <= IMPORT_SESSIONS_MAX;

	for (guint i = 0; good && i < results->len; i++) {
		const struct result *r = results->pdata[i];

		for (guint k = 0; good && k < r->stages->len; k++) {
			const struct result_stage *s = r->stages->pdata[k];

			good = text_is_line(s->name) && (s->cpus->len > 0 || s->values->len > 0);
			for (guint n = 0; good && n < s->cpus->len; n++) {
				const struct result_cpu *c = s->cpus->pdata[n];

				good = figures_check(c->figures) == 0 &&
				       c->figures->unplaced <= SOURCE_SAMPLES_MAX &&
				       figures_placed(c->figures) <= SOURCE_SAMPLES_MAX;
			}
		}
	}
	if (good)
		return 0;
	return import_say(
		ret_message, -EBADMSG,
		"%s: its figures contradict one another, so that none of them can be kept.", name);
}

int import_read(const char *format, const void *data, size_t size, const struct import_options *o,
		uint64_t now_usec, GPtrArray **ret, char **ret_message)
{
	static const struct import_options defaults;
	g_autoptr(GPtrArray) results = g_ptr_array_new_with_free_func((GDestroyNotify)result_free);
	const struct import_format *f = NULL;
	g_autofree char *text = NULL;
	const char *name;
	gsize length = 0;
	int r;

	if (!o)
		o = &defaults;
	name = o->name ? o->name : "The file";
	r = import_check_options(o, ret_message);
	if (r == 0)
		r = import_text(name, data, size, &text, &length, ret_message);
	if (r == 0)
		r = import_find(format, name, text, length, &f, ret_message);
	if (r == 0)
		r = f->read(text, length, o, results, ret_message);
	if (r == 0)
		r = import_check_results(name, results, ret_message);
	if (r < 0)
		return r;
	for (guint i = 0; i < results->len; i++)
		import_complete(results, i, now_usec + i);
	*ret = g_steal_pointer(&results);
	return 0;
}
