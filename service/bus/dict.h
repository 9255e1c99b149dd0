/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Dictionaries on the bus. Each dict_*() appends one thing to a message; sd-bus' errors come back.
 *
 * JSON becomes D-Bus so: strings s, booleans b, integers t (negative ones x), reals d, objects
 * a{sv}, arrays of strings as, of objects aa{sv}, of integers that are not negative at, all
 * others, empty ones too, av. null is left out, and what lies deeper than 16 levels.
 */
#include <glib.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <systemd/sd-bus.h>

#define DICT_PROBLEMS_MAX     500
#define DICT_PROBLEM_TEXT_MAX 1000 /* bytes */

/* A string, made valid UTF-8: the bus disconnects who sends anything else. */
int dict_text(sd_bus_message *m, const char *s);

/* One entry of an open a{sv}. */
int dict_string(sd_bus_message *m, const char *key, const char *value);
int dict_optional(sd_bus_message *m, const char *key, const char *value); /* NULL: left out */
int dict_bool(sd_bus_message *m, const char *key, bool value);
int dict_i32(sd_bus_message *m, const char *key, int32_t value);
int dict_u32(sd_bus_message *m, const char *key, uint32_t value);
int dict_u64(sd_bus_message *m, const char *key, uint64_t value);
/* @type, @open(m, data) appends the value. */
int dict_value(sd_bus_message *m, const char *key, const char *type,
	       int (*append)(sd_bus_message *m, const void *data), const void *data);

/* Whole values. */
int dict_append_strv(sd_bus_message *m, const void *strv); /* NULL-ended, or NULL: as */
int dict_json(sd_bus_message *m, const json_t *object);	   /* a{sv} */
int dict_findings(sd_bus_message *m,
		  const void *findings); /* GPtrArray of struct finding: aa{sv} */
/*
 * GPtrArray of struct problem, NULL: none: aa{sv}. A caller's text of 1 MiB can have as many
 * problems as letters: the first DICT_PROBLEMS_MAX, and one that counts the rest.
 */
int dict_problems(sd_bus_message *m, const void *problems);

/* Remove @key from every object in @j. */
void dict_drop(json_t *j, const char *key);
/* An upper bound of the bytes that dict_json() of @j takes in a message. */
size_t dict_size(const json_t *j);
