/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * What a conf is made of, between the three files that are its functions: conffile.c (the text and
 * its places), conftake.c (values), confunknown.c (what nobody took). Only they include it.
 */
#include "conffile.h"
#include <libconfig.h>

struct conf_layer {
	config_t config;
	char *name;
};

struct conf {
	GPtrArray *layers; /* of struct conf_layer, weakest first */
	GPtrArray *groups; /* of struct conf_group: the root and those taken */
	GPtrArray *problems;
};

struct conf_group {
	struct conf *conf;
	struct conf_layer *layer;  /* NULL: the root, which is in all of them */
	config_setting_t *setting; /* NULL likewise */
	GHashTable *asked;	   /* keys that were taken or looked for: those that exist */
	bool done;		   /* its unknown keys were told of */
};

struct conf_group *conf_group_add(struct conf *c, struct conf_layer *layer,
				  config_setting_t *setting);
/* @key's setting in the strongest layer that has it, with the layer; NULL. The key exists from now
 * on. */
config_setting_t *conf_find(struct conf_group *g, const char *key, struct conf_layer **ret_layer);
