/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Where sessions are measured: the loop, the store, the folders and programs that all of them
 * share. Owned by sessions.c, changed by nobody else; a session, its stages and recovery borrow it.
 */
#include "house.h"
#include "sessions.h"

struct cage;
struct irqpolicy;
struct ports;

struct session_place {
	sd_event *event;
	struct store *store;
	const char *measure_path, *load_path, *runtime_dir, *root;
	char *scratch_dir;
	uint32_t tag; /* of region files */
	struct house *house;
	struct irqpolicy *irqpolicy; /* NULL: none */
	struct ports *ports;	     /* NULL: none */
	const struct cage *cage;     /* NULL: plain children */
	sessions_news_t news;	     /* to sessions.c */
	void *userdata;
};
