/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "instrument.h"

#include <stddef.h>
#include <string.h>

const struct instrument *instrument_find(const char *name)
{
	for (size_t i = 0; instruments[i]; i++)
		if (strcmp(instruments[i]->name, name) == 0)
			return instruments[i];
	return NULL;
}

bool instrument_has_role(const struct instrument *i, uint32_t role)
{
	return role < 32 && i->roles >> role & 1;
}
