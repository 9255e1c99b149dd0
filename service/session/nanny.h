/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * The daemon's side of one lrtbf-load process, which runs one load. Made and owned by a loadset;
 * event loop's thread only.
 */
#include "cage.h"
#include "errand.h"
#include <systemd/sd-event.h>

struct nanny;

/*
 * Something changed: ask nanny_settled() and nanny_gone() again. With a finding id: trouble, told
 * once, with a sentence of which load and why. Called from the event loop and from nanny_new();
 * must not free the nanny.
 */
typedef void (*nanny_news_t)(const char *finding_id, const char *text, void *userdata);

struct nanny_params {
	sd_event *event;
	const char *load_path, *scratch_dir;
	const struct cage *cage; /* a unit for it; NULL: a child of ours */
	const char *session;	 /* id */
	unsigned stage;		 /* index */
	uint64_t taken_bytes;	 /* of the scratch folder's free space, promised to others */
	nanny_news_t news;
	void *userdata;
};

/* Starts the load's nanny. Never NULL: what goes wrong is news. */
struct nanny *nanny_new(const struct nanny_params *p, const struct load *l);
/* The process is left alone: nanny_end_now() before, when it may live. In a unit it ends by itself.
 */
void nanny_free(struct nanny *n);

/* All instances have started, or there was trouble. */
bool nanny_settled(const struct nanny *n);
/* Neither it nor any process of its load is left. */
bool nanny_gone(const struct nanny *n);

/* No more trouble is told from now on: SIGTERM ends load and nanny, SIGKILL at once. */
void nanny_signal(struct nanny *n, int signo);
/* After SIGKILL: wait for the end, but not beyond @deadline_us (CLOCK_MONOTONIC). */
void nanny_end_now(struct nanny *n, gint64 deadline_us);
/* What hangs in the kernel, or is still being removed, is not waited for any longer. */
void nanny_give_up(struct nanny *n);

/*
 * When all is gone: begin to remove the scratch folder, beside the event loop; again: nothing. What
 * cannot be removed is news.
 */
void nanny_sweep(struct nanny *n);
bool nanny_swept(const struct nanny *n);
void nanny_remove_scratch(struct nanny *n); /* at once, while the event loop waits */
uint64_t nanny_scratch_bytes(const struct nanny *n);
const char *nanny_name(const struct nanny *n);

/* nanny-spawn.c: the process with its errand, status socket and scratch folder (-1: none). */
int nanny_spawn(const char *path, const struct errand *e, int status_fd, int scratch_fd,
		pid_t *ret_pid);
/* The errand as an open file at its start. */
int nanny_errand_fd(const struct errand *e, int *ret);

/* nanny-unit.c: the same as a unit of PID 1. */
int nanny_unit(const struct nanny_params *p, const struct errand *e, int status_fd, int scratch_fd,
	       cage_started_t started, void *userdata, struct cage_unit **ret);
/*
 * nanny-status.c: one packet. 1: @text and its descriptor (-1: none); 0: none waits; -EPIPE: the
 * other end is closed.
 */
int nanny_read_status(int status_fd, char text[ERRAND_STATUS_MAX + 1], int *ret_fd);
