/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why the service does not speak to the other machine itself: it would need keys to it. The user
 * who starts such a session has them, and his client holds the connection for as long as the
 * session lasts; when it goes, the session fails.
 *
 * Why a peer that fails fails the session, while one that is in doubt makes a stage inconclusive:
 * without the other machine's part the figures are of something else than the plan says.
 *
 * A target that ends is known here first by its silence, and by its connection a moment later. So
 * after a stage that ended for want of answers that moment is waited for.
 */
#include "peer.h"

#include "clock.h"
#include "duration.h"
#include "log.h"
#include "message.h"
#include "peerreport.h"

#include <errno.h>
#include <string.h>

/* for its result, when somebody waits for the end: a session ends within a second of Stop */
#define PEER_HURRY_NS  (2 * NSEC_PER_SEC)
#define PEER_LINGER_NS (2 * NSEC_PER_SEC)
#define PEER_SLACK_NS  (50 * NSEC_PER_MSEC)
/* it may have measured so much less than here, one part in so many, and PEER_SLACK_NS */
#define PEER_SLACK_SHARE 100
#define PEER_VERSION_MAX 100  /* bytes */
#define PEER_REASON_MAX	 1000 /* bytes */

enum peer_phase {
	PEER_IDLE,
	PEER_BEGINS, /* asked to begin */
	PEER_RUNS,
	PEER_LINGERS, /* it may be about to tell why it is silent */
	PEER_ENDS,    /* asked for its result */
	PEER_GONE,    /* failed or forsaken */
};

struct peer {
	/* configuration */
	struct peer_params p;
	char *name;
	/* the stage */
	enum peer_phase phase;
	unsigned index;
	char *stage, *load, *id; /* id: of its session */
	uint64_t duration_ns, time_ns;
	sd_event_source *timer;
	bool hurry, taken; /* taken: its part is in the result */
	char *failure;
};

static void peer_news(struct peer *p, enum peer_news what)
{
	p->p.news(what, p->p.userdata);
}

static void peer_set_phase(struct peer *p, enum peer_phase phase)
{
	p->timer = sd_event_source_disable_unref(p->timer);
	p->phase = phase;
}

/* --- what is in the result --- */

static struct result_stage *peer_current(const struct peer *p)
{
	const GPtrArray *stages = p->p.r->stages;

	return stages && stages->len > 0 ? stages->pdata[stages->len - 1] : NULL;
}

static void peer_doubt(struct peer *p, const char *sentence)
{
	struct result_stage *stage = peer_current(p);

	finding_add(stage ? stage->findings : p->p.r->findings, "peer-doubt", "Peer %s: %s",
		    p->name, sentence);
}

/* The stage has begun and will stay without its part. */
static void peer_miss(struct peer *p)
{
	if (p->phase >= PEER_RUNS && p->phase <= PEER_ENDS && !p->taken)
		peer_doubt(p, "Its part of this stage is missing.");
}

static void peer_fail(struct peer *p, char *sentence)
{
	if (p->phase == PEER_GONE) {
		g_free(sentence);
		return;
	}
	peer_miss(p);
	peer_set_phase(p, PEER_GONE);
	p->failure = sentence;
	peer_news(p, PEER_FAILED);
}

/* Was it there all the time, and under the load that the stage is about? */
static void peer_compare(struct peer *p, const struct peerreport *report)
{
	const struct result_stage *stage = peer_current(p);
	uint64_t there_ns = peerreport_duration_ns(report), here_ns = stage->duration_ns;
	g_autofree char *there = duration_format(there_ns / 1000000 * 1000000);
	g_autofree char *here = duration_format(here_ns / 1000000 * 1000000);
	g_autofree char *text = NULL;

	if (strcmp(peerreport_text(report, "load"), stage->load) != 0)
		text = g_strdup_printf("It was under load \"%.64s\" and not \"%s\".",
				       peerreport_text(report, "load"), stage->load);
	else if (there_ns + here_ns / PEER_SLACK_SHARE + PEER_SLACK_NS < here_ns)
		text = g_strdup_printf("It took part for %s of the %s that were measured.", there,
				       here);
	if (text)
		peer_doubt(p, text);
}

static void peer_take(struct peer *p, struct peerreport *report)
{
	struct result_stage *stage = peer_current(p);
	struct result *r = p->p.r;

	p->taken = true;
	json_decref(stage->peer);
	stage->peer = json_incref(report->stage);
	if (!r->peer_conditions)
		r->peer_conditions = json_incref(report->conditions);
	json_object_set(r->peer, "plan", json_object_get(report->stage, "plan"));
	for (guint i = 0; i < report->doubts->len; i++)
		peer_doubt(p, report->doubts->pdata[i]);
	for (guint i = 0; i < report->warnings->len; i++)
		finding_add(r->findings, "peer-warns", "Peer %s: %s", p->name,
			    (const char *)report->warnings->pdata[i]);
	if (strcmp(peerreport_text(report, "verdict"), "fail") == 0)
		finding_add(r->findings, "peer-warns", "Peer %s: A limit of its own is broken.",
			    p->name);
	peer_compare(p, report);
}

/* --- waiting --- */

static void peer_ask_result(struct peer *p);

static int on_peer_late(sd_event_source *src, uint64_t usec, void *userdata)
{
	struct peer *p = userdata;
	g_autofree char *wait = duration_format(p->hurry ? PEER_HURRY_NS : p->p.wait_ns);

	if (p->phase == PEER_LINGERS) {
		peer_ask_result(p);
		return 0;
	}
	if (p->phase == PEER_BEGINS) {
		peer_fail(p, g_strdup_printf("Peer %s: Its part of stage %s did not begin within "
					     "%s.",
					     p->name, p->stage, wait));
		return 0;
	}
	if (p->hurry) {
		peer_miss(p);
		peer_set_phase(p, PEER_GONE);
		peer_news(p, PEER_DONE);
	} else {
		peer_fail(p, g_strdup_printf("Peer %s: The result of its part of stage %s did not "
					     "come within %s.",
					     p->name, p->stage, wait));
	}
	return 0;
}

static void peer_wait(struct peer *p, uint64_t wait_ns)
{
	int r = clock_timer(p->p.event, &p->timer, wait_ns, on_peer_late, p);

	if (r < 0)
		log_write(LOG_ERR, p->p.r->id, "No timer for the peer %s: %s", p->name,
			  g_strerror(-r));
}

/* --- the session asks --- */

void peer_begin(struct peer *p, const struct plan_stage *spec, unsigned index, uint64_t time_ns)
{
	if (p->phase == PEER_GONE)
		return;
	peer_set_phase(p, PEER_BEGINS);
	p->taken = false;
	g_free(p->stage);
	g_free(p->load);
	g_clear_pointer(&p->id, g_free);
	p->stage = g_strdup(spec->name);
	p->load = g_strdup(spec->load);
	p->index = index;
	p->duration_ns = spec->duration_ns;
	p->time_ns = time_ns;
	peer_wait(p, p->p.wait_ns);
	peer_news(p, PEER_ASKS);
}

bool peer_ready(const struct peer *p)
{
	return p->phase == PEER_RUNS;
}

json_t *peer_part(const struct peer *p)
{
	json_t *o = json_object();

	json_object_set_new(o, "session", p->id ? json_string(p->id) : json_null());
	return o;
}

/* The stage ended because no answers came. */
static bool peer_silent(const struct peer *p)
{
	const struct result_stage *stage = peer_current(p);
	const char *stop = stage ? json_string_value(json_object_get(stage->port, "stop")) : NULL;

	return g_strcmp0(stop, "losses") == 0;
}

static void peer_ask_result(struct peer *p)
{
	peer_set_phase(p, PEER_ENDS);
	peer_wait(p, p->hurry ? MIN(PEER_HURRY_NS, p->p.wait_ns) : p->p.wait_ns);
	peer_news(p, PEER_ASKS);
}

bool peer_end(struct peer *p, bool hurry)
{
	if (p->phase != PEER_RUNS)
		return false;
	p->hurry = hurry;
	if (!hurry && peer_silent(p)) {
		peer_set_phase(p, PEER_LINGERS);
		peer_wait(p, PEER_LINGER_NS);
	} else {
		peer_ask_result(p);
	}
	return true;
}

void peer_hurry(struct peer *p)
{
	if ((p->phase != PEER_ENDS && p->phase != PEER_LINGERS) || p->hurry)
		return;
	p->hurry = true;
	if (p->phase == PEER_LINGERS)
		peer_ask_result(p);
	else
		peer_wait(p, MIN(PEER_HURRY_NS, p->p.wait_ns));
}

void peer_forsake(struct peer *p)
{
	peer_set_phase(p, PEER_GONE);
}

bool peer_wanted(const struct peer *p, struct session_peer_want *ret)
{
	if (p->phase != PEER_BEGINS && p->phase != PEER_ENDS)
		return false;
	*ret = (struct session_peer_want){
		.what = p->phase == PEER_BEGINS ? "begin" : "end",
		.index = p->index,
		.stage = p->stage,
		.load = p->load,
		.duration_ns = p->duration_ns,
		.time_ns = p->time_ns,
	};
	return true;
}

const char *peer_failure(const struct peer *p)
{
	return p->failure;
}

const char *peer_name(const struct peer *p)
{
	return p->name;
}

/* --- answers --- */

static int peer_check(const struct peer *p, enum peer_phase phase, unsigned stage,
		      char **ret_message)
{
	if (p->phase != phase)
		return message_fail(ret_message, -EINVAL,
				    "This is not what the session waits for: see its property "
				    "PeerWanted.");
	if (p->index != stage)
		return message_fail(ret_message, -EINVAL,
				    "The session is at stage %u, not at stage %u.", p->index,
				    stage);
	return 0;
}

int peer_say_ready(struct peer *p, unsigned stage, const char *id, const char *version,
		   char **ret_message)
{
	int r = peer_check(p, PEER_BEGINS, stage, ret_message);

	if (r < 0)
		return r;
	if (!result_id_valid(id))
		return message_fail(ret_message, -EINVAL, "\"%.64s\" is no session's id.", id);
	if (version && strlen(version) > PEER_VERSION_MAX)
		return message_fail(ret_message, -EINVAL, "A version has at most %d bytes.",
				    PEER_VERSION_MAX);
	p->id = g_strdup(id);
	if (version)
		json_object_set_new(p->p.r->peer, "version", json_string(version));
	peer_set_phase(p, PEER_RUNS);
	peer_news(p, PEER_ASKS);
	peer_news(p, PEER_READY);
	return 0;
}

int peer_say_result(struct peer *p, unsigned stage, const char *report, size_t size,
		    char **ret_message)
{
	struct peerreport parsed;
	int r = peer_check(p, PEER_ENDS, stage, ret_message);

	if (r == 0)
		r = peerreport_parse(report, size, &parsed, ret_message);
	if (r < 0)
		return r;
	if (strcmp(peerreport_text(&parsed, "session"), p->id) != 0) {
		r = message_fail(ret_message, -EINVAL,
				 "The report is of session %s, and %s was said to run.",
				 peerreport_text(&parsed, "session"), p->id);
	} else {
		peer_take(p, &parsed);
		if (strcmp(peerreport_text(&parsed, "state"), "failed") == 0) {
			peer_fail(p,
				  g_strdup_printf("Peer %s: Its session %s failed: %.400s", p->name,
						  p->id, peerreport_text(&parsed, "reason")));
		} else {
			peer_set_phase(p, PEER_IDLE);
			peer_news(p, PEER_ASKS);
			peer_news(p, PEER_DONE);
		}
	}
	peerreport_done(&parsed);
	return r;
}

int peer_say_failed(struct peer *p, const char *sentence, char **ret_message)
{
	if (!*sentence || strlen(sentence) > PEER_REASON_MAX)
		return message_fail(ret_message, -EINVAL,
				    "A reason is a sentence of at most %d bytes.", PEER_REASON_MAX);
	if (p->phase == PEER_GONE)
		return 0; /* that is known */
	peer_fail(p, g_strdup_printf("Peer %s: %s", p->name, sentence));
	return 0;
}

void peer_lost(struct peer *p)
{
	peer_fail(p, g_strdup_printf("Peer %s: Who held the connection to it has gone.", p->name));
}

/* --- life --- */

struct peer *peer_new(const struct peer_params *params)
{
	struct peer *p = g_new0(struct peer, 1);

	p->p = *params;
	p->name = g_strdup(params->name);
	p->p.name = p->name;
	return p;
}

struct peer *peer_free(struct peer *p)
{
	if (!p)
		return NULL;
	sd_event_source_disable_unref(p->timer);
	g_free(p->name);
	g_free(p->stage);
	g_free(p->load);
	g_free(p->id);
	g_free(p->failure);
	g_free(p);
	return NULL;
}
