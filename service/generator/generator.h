/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * All schedules as timer units: what systemd runs when it starts and at each daemon-reload. One
 * process, nobody to ask: no bus, nothing below /var, which may not be there yet.
 */

struct generator_params {
	const char *const *config_dirs; /* strongest first, NULL-ended */
	const char *root;		/* what to take off the files' names; "": nothing */
	const char *dest;		/* systemd.generator(7)'s normal-dir */
	/* a sentence for the administrator */
	void (*say)(const char *text, void *userdata);
	void *userdata;
};

/*
 * Never fails as a whole: what cannot be read or written is said, and the other plans have their
 * timers. How many were written.
 */
unsigned generator_run(const struct generator_params *g);
