/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * A PID 1 that does as a test wants: its units are children of the test. Kept as long as the test;
 * what runs in it when it is freed is killed.
 */
#include "cage.h"

#include <glib.h>
#include <stdint.h>
#include <systemd/sd-event.h>

enum fake_asked {
	FAKE_SCOPE,
	FAKE_SERVICE,
};

struct fake_behaviour {
	int error;	   /* of the call itself; 0: none */
	int answer;	   /* 0: it starts */
	bool silent;	   /* no answer */
	bool starts;	   /* although the answer is that it does not */
	uint64_t delay_ns; /* of answer and start */
};

struct fake_cage {
	struct cage cage;
	struct fake_behaviour behaviour[2]; /* of enum fake_asked; the test's to change */
	GPtrArray *names[2];		    /* of what was asked for, in order */
	pid_t scope_pid;		    /* asked for last */
	unsigned answered, terms, kills;
	/* its own */
	sd_event **event;
	GPtrArray *units;
};

/* @event: where the loop is, when units are asked for. */
struct fake_cage *fake_cage_new(sd_event **event);
void fake_cage_free(struct fake_cage *f); /* after the loop's other users */
/* Processes that were started as services and live. */
unsigned fake_cage_living(const struct fake_cage *f);
/* SIGKILL to the first process of every service, as a stranger would. */
void fake_cage_murder(const struct fake_cage *f);
