/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * What weakens a result, of the session and of all its stages, gathered in the order in which a
 * reader must learn it.
 */
#include "result.h"

struct note {
	const struct finding *finding; /* borrowed; NULL: the policy fell back and nobody said so */
	char *text; /* its sentence, with the names of the stages when not all have it */
	bool inconclusive;
};

/*
 * How the policy fell back first, then what makes the verdict inconclusive, then what only warns.
 * Each once, however many stages have it. GPtrArray of struct note, g_ptr_array_unref().
 */
GPtrArray *notes_new(const struct result *r);
