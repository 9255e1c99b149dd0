/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * The journal's lines: text to records and back, and what a record does to the entries. Pure.
 * Fuzzed through journal_parse(). Private to journal*.c and the tests.
 *
 *	lrtbf-tuning 1 BOOT-ID CHECK
 *	SERIAL will thread TID START-TICKS ATTRIBUTE NAME OLD BEFORE NEW BY CHECK
 *	SERIAL will line IRQ 0 affinity NAME OLD BEFORE NEW BY CHECK
 *	SERIAL did|forget thread|line ... ATTRIBUTE NAME CHECK
 *
 * One blank between fields; names escaped (%20), may be empty. Values: "fifo:50:0" (policy,
 * priority, reset-on-fork), "-5", "0-1". SERIAL counts the lines from 1. CHECK: of everything
 *before it, 16 digits.
 */
#include "journal.h"

enum journal_verb {
	JOURNAL_WILL,
	JOURNAL_DID,
	JOURNAL_FORGET,
	JOURNAL_VERBS,
};

struct journal_record {
	enum journal_verb verb;
	struct tuning_subject subject;
	enum tuning_attribute attribute;
	struct tuning_value old, before, new; /* JOURNAL_WILL only, as is by */
	char *by;
};

/* Whole lines with their newline. g_free(). */
char *journal_head_format(const char *boot_id);
/* Its boot id, g_free(); NULL: no such head. */
char *journal_head_parse(const char *line, size_t size);
char *journal_record_format(const struct journal_record *rec, uint64_t serial);
/* @line: without its newline, of @size bytes. -EBADMSG. journal_record_done() after success. */
int journal_record_parse(const char *line, size_t size, uint64_t *ret_serial,
			 struct journal_record *ret);
void journal_record_done(struct journal_record *rec);

GPtrArray *journal_entries_new(void);
struct tuning_entry *journal_entries_find(const GPtrArray *entries, const struct tuning_subject *s,
					  enum tuning_attribute a);
/* Takes what it needs out of @rec, which is done with afterwards. */
void journal_entries_apply(GPtrArray *entries, struct journal_record *rec);

/* A line's text with its checksum and newline behind it. g_free(). */
char *journal_seal(const char *text);

/* What a file says, and whether more can be written behind it. */
struct journal_reading {
	GPtrArray *entries;
	uint64_t serial; /* of the last line */
	unsigned lines;
	unsigned bad;
	bool current; /* of this boot, with no damage */
};
void journal_read(const char *text, size_t size, const char *boot_id, struct journal_reading *ret);
