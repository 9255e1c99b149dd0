/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Below the figures of the stage, as they are this machine's: what the peer says explains them. A
 * peer that was lost has a session there and nothing else; then that is what is said.
 */
#include "text-peer.h"

#include "cell.h"
#include "peerreport.h"
#include "portfacts.h"
#include "text-effect.h"
#include "value.h"

static void text_peer_session(struct page *p, const json_t *peer)
{
	g_autofree char *id = cell_text(value_get_string(peer, "session"));
	g_autofree char *plan = cell_text(value_get_string(peer, "plan"));
	json_int_t ns = value_get_integer(peer, "duration_ns", 0);
	g_autofree char *took = cell_duration((uint64_t)MAX(ns, 0));

	page_blank(p);
	if (!*plan)
		page_text(p, 0, "The peer's session %s; its report is missing.", id);
	else
		page_text(p, 0, "The peer's session %s of plan %s measured %s.", id, plan, took);
}

void text_peer(struct page *p, const struct result_stage *s)
{
	g_autoptr(GPtrArray) metrics = NULL;
	g_auto(GStrv) lines = NULL;

	if (!s->peer)
		return;
	text_peer_session(p, s->peer);
	lines = portfacts_lines(json_object_get(s->peer, "port"));
	for (char **line = lines; *line; line++) {
		g_autofree char *clean = cell_text(*line);

		page_item(p, PAGE_PLAIN, "", 2, clean);
	}
	metrics = peerreport_metrics(s->peer);
	text_effect(p, metrics, "What the peer did meanwhile, second by second:");
}
