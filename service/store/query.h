/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* SQL -> rows, on the reader's connection. */
#include "db.h"
#include "rows.h"
#include "store.h"

struct query {
	struct store_filter filter;
	unsigned states;    /* bit per enum session_state */
	bool started;	    /* only those whose measuring began */
	int64_t before_row; /* only rows below */
	unsigned limit;
};
#define QUERY_ANY_STATE (~0u)
#define QUERY_NO_LIMIT	INT_MAX

/* Words of @f checked: -EINVAL with a sentence. Strings stay @f's. */
int query_init(struct query *q, const struct store_filter *f, char **ret_message);
/* Is @h one that @q asks for? The same question as the SQL's, for rows not in the database yet. */
bool query_matches(const struct query *q, const struct head_row *h);

/* Heads without papers, newest first; of struct head_row. */
int query_heads(sqlite3 *db, const struct query *q, GPtrArray **ret, char **ret_message);
/* Head with papers; 1: no such session. */
int query_head(sqlite3 *db, const char *id, struct head_row **ret, char **ret_message);
/* All stages with figures, by index; of struct stage_row. */
int query_stages(sqlite3 *db, int64_t row, GPtrArray **ret, char **ret_message);
/* The row of a session; 1: no such session. */
int query_row(sqlite3 *db, const char *id, int64_t *ret, char **ret_message);
/* Plans that sessions have, by name; g_strfreev(). */
int query_plans(sqlite3 *db, char ***ret, char **ret_message);
/* The largest row ever given. */
int query_last_row(sqlite3 *db, int64_t *ret, char **ret_message);
