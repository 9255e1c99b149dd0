/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Configuration text: libconfig's syntax with what libconfig lets pass refused.
 *
 * libconfig 1.5 wraps integers beyond 32 bits in silence; the text is checked for them first.
 * Settings are taken with conf_take_*(): each call marks its key as known, and conf_done() then
 * refuses every key nobody asked for, by name, with file:line. Problems are collected, not returned
 * one by one, so that a user sees all of them at once.
 */
#include "problem.h"
#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct conf;
struct conf_group; /* the file's top level, or one group in it; owned by its conf */

/* At most 1 MiB, UTF-8, no NUL. @name is what problems call the file. NULL when it cannot be
 * parsed. */
struct conf *conf_parse(const char *text, size_t size, const char *name, GPtrArray *problems);
/*
 * Lay a drop-in over it, before anything is taken: its top-level settings replace those of the same
 * key. The same rules; problems name the text that a setting came from.
 */
int conf_overlay(struct conf *c, const char *text, size_t size, const char *name);
void conf_free(struct conf *c);
struct conf_group *conf_root(struct conf *c);

bool conf_empty(const struct conf *c); /* says nothing at all */
bool conf_has(struct conf_group *g, const char *key);
bool conf_is_string(struct conf_group *g,
		    const char *key); /* for keys that take a number or a word */
unsigned conf_line(struct conf_group *g, const char *key); /* 0: not there: the group's own line */
/* Name of the text, drop-ins included, that it stands in; @key NULL: the group's. The conf's. */
const char *conf_file(struct conf_group *g, const char *key);
/* The line of element @i of the list or array @key; @i negative: as conf_line(). */
unsigned conf_line_at(struct conf_group *g, const char *key, int i);

/* Each: 0 taken, 1 not there (@ret untouched), -EINVAL problem added. Strings belong to the conf.
 */
int conf_take_string(struct conf_group *g, const char *key, const char **ret);
int conf_take_bool(struct conf_group *g, const char *key, bool *ret);
int conf_take_integer(struct conf_group *g, const char *key, int64_t min, int64_t max,
		      int64_t *ret);
int conf_take_duration(struct conf_group *g, const char *key, uint64_t min_ns, uint64_t max_ns,
		       uint64_t *ret_ns);
int conf_take_size(struct conf_group *g, const char *key, uint64_t *ret_bytes);
int conf_take_strings(struct conf_group *g, const char *key,
		      char ***ret); /* array or list; g_strfreev */
int conf_take_integers(struct conf_group *g, const char *key, int64_t min, int64_t max,
		       int64_t **ret, size_t *ret_n); /* array or list; g_free */
int conf_take_groups(struct conf_group *g, const char *key, struct conf_group ***ret,
		     size_t *ret_n); /* list of groups; g_free the array */
/* The same, but an element that is no group has its problem and is NULL in @ret, and the others
 * count. */
int conf_take_each_group(struct conf_group *g, const char *key, struct conf_group ***ret,
			 size_t *ret_n);
int conf_take_group(struct conf_group *g, const char *key, struct conf_group **ret);
/* Add a problem at @key's line. Returns -EINVAL. */
int conf_complain(struct conf_group *g, const char *key, const char *fmt, ...) G_GNUC_PRINTF(3, 4);
/* The same at the line of element @i of the list or array @key. */
int conf_complain_at(struct conf_group *g, const char *key, unsigned i, const char *fmt, ...)
	G_GNUC_PRINTF(4, 5);
/* Problems for all keys not taken, here and in the groups taken. */
void conf_done(struct conf *c);
/* The same for one group, for who leaves out that group alone; conf_done() passes over it then. */
void conf_done_group(struct conf_group *g);
/* @text as it stands in a file, quotes included. g_free(). */
char *conf_quote(const char *text);
