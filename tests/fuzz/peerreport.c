/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any bytes as a peer's report: refused with a reason, or parts within their bounds. */
#include "peerreport.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = data ? (const char *)data : ""; /* no bytes may be no pointer */
	g_autoptr(GPtrArray) metrics = NULL;
	g_autofree char *why = NULL;
	struct peerreport p;

	if (peerreport_parse(text, size, &p, &why) < 0) {
		g_assert(why && g_utf8_validate(why, -1, NULL));
		return 0;
	}
	g_assert(*peerreport_text(&p, "session") && *peerreport_text(&p, "plan"));
	g_assert(json_is_object(p.conditions) && json_is_object(p.stage));
	for (guint i = 0; i < p.doubts->len; i++)
		g_assert(g_utf8_validate(p.doubts->pdata[i], -1, NULL));
	g_assert(p.doubts->len <= 32 && p.warnings->len <= 32);
	metrics = peerreport_metrics(p.stage);
	g_assert(metrics);
	peerreport_done(&p);
	return 0;
}
