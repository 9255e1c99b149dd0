/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * News waits in a queue and is told by one event source, one piece a turn: whoever is told may free
 * the set in that moment, so nothing may be touched afterwards, and no handler has to know that.
 */
#include "loadset.h"

#include <errno.h>
#include <signal.h>

#include "cleanup.h"
#include "nanny.h"
#include "scratch.h"

typedef struct loadset loadset_t;
G_DEFINE_AUTOPTR_CLEANUP_FUNC(loadset_t, loadset_free)

#define USEC_PER_MS	  1000ULL
#define LOADSET_KILL_USEC (500 * USEC_PER_MS)
/* A process that SIGKILL has not ended by then hangs in the kernel: said, and not waited for. */
#define LOADSET_GIVE_UP_USEC (5000 * USEC_PER_MS)
/* The event loop stands still for as long as that at most when a set is freed. */
#define LOADSET_FREE_WAIT_USEC (300 * USEC_PER_MS)

struct news {
	const char *finding_id;
	char *text;
};

struct loadset {
	/* configuration */
	sd_event *event;
	loadset_news_t news;
	void *userdata;
	/* changes */
	GPtrArray *nannies; /* of struct nanny */
	GQueue troubles;    /* of struct news */
	bool running_told, stopping, killed, gone_told;
	sd_event_source *news_source, *stop_timer;
};

static void news_free(struct news *n)
{
	g_free(n->text);
	g_free(n);
}

/* --- news --- */

static bool loadset_all(const struct loadset *s, bool (*is)(const struct nanny *n))
{
	for (guint i = 0; i < s->nannies->len; i++)
		if (!is(s->nannies->pdata[i]))
			return false;
	return true;
}

/* Something changed: see whether there is news. */
static void loadset_review(struct loadset *s)
{
	/* cannot fail for a defer source that exists */
	(void)sd_event_source_set_enabled(s->news_source, SD_EVENT_ONESHOT);
}

static void loadset_trouble(struct loadset *s, const char *finding_id, char *text)
{
	struct news *n = g_new0(struct news, 1);

	n->finding_id = finding_id;
	n->text = text;
	g_queue_push_tail(&s->troubles, n);
	loadset_review(s);
}

static void on_nanny_news(const char *finding_id, const char *text, void *userdata)
{
	struct loadset *s = userdata;

	if (finding_id)
		loadset_trouble(s, finding_id, g_strdup(text));
	else if (s->news_source)
		loadset_review(s);
}

/* No process is left and no scratch folder. */
static bool loadset_gone(struct loadset *s)
{
	if (!s->stopping || !loadset_all(s, nanny_gone))
		return false;
	for (guint i = 0; i < s->nannies->len; i++)
		nanny_sweep(s->nannies->pdata[i]);
	return loadset_all(s, nanny_swept);
}

static int loadset_on_news(sd_event_source *source, void *userdata)
{
	struct loadset *s = userdata;
	loadset_news_t tell = s->news;
	void *listener = s->userdata;
	bool gone = loadset_gone(s);
	struct news *n;

	n = g_queue_pop_head(&s->troubles);
	if (n) {
		loadset_review(s);
		tell(LOADSET_TROUBLE, n->finding_id, n->text, listener);
		news_free(n);
	} else if (!s->running_told && !s->stopping && loadset_all(s, nanny_settled)) {
		s->running_told = true;
		tell(LOADSET_RUNNING, NULL, NULL, listener);
	} else if (gone && !s->gone_told) {
		s->gone_told = true;
		tell(LOADSET_GONE, NULL, NULL, listener);
	}
	return 0;
}

/* --- start --- */

static void loadset_add(struct loadset *s, const struct loadset_params *p, const struct load *l)
{
	struct nanny_params q = { .event = s->event,
				  .load_path = p->load_path,
				  .scratch_dir = p->scratch_dir,
				  .cage = p->cage,
				  .session = p->session,
				  .stage = p->stage,
				  .news = on_nanny_news,
				  .userdata = s };

	/* each may fill its share before the next is looked at, and wants twice that free */
	for (guint i = 0; i < s->nannies->len; i++)
		q.taken_bytes += 2 * nanny_scratch_bytes(s->nannies->pdata[i]);
	g_ptr_array_add(s->nannies, nanny_new(&q, l));
}

int loadset_start(const struct loadset_params *p, const GPtrArray *loads, struct loadset **ret,
		  char **ret_message)
{
	g_autoptr(loadset_t) s = g_new0(struct loadset, 1);
	int r;

	s->event = sd_event_ref(p->event);
	s->news = p->news;
	s->userdata = p->userdata;
	s->nannies = g_ptr_array_new_with_free_func((GDestroyNotify)nanny_free);
	g_queue_init(&s->troubles);
	r = sd_event_add_defer(s->event, &s->news_source, loadset_on_news, s);
	if (r < 0) {
		if (ret_message)
			*ret_message =
				g_strdup_printf("Loads cannot be watched: %s.", g_strerror(-r));
		return r;
	}
	for (guint i = 0; loads && i < loads->len; i++)
		loadset_add(s, p, loads->pdata[i]);
	*ret = g_steal_pointer(&s);
	return 0;
}

/* --- end --- */

static void loadset_signal(struct loadset *s, int signo)
{
	for (guint i = 0; i < s->nannies->len; i++)
		nanny_signal(s->nannies->pdata[i], signo);
}

/*
 * Processes hang in the kernel: they are dead as far as anybody can make them so. Or their files
 * are too many: they will be gone some time.
 */
static void loadset_give_up(struct loadset *s)
{
	for (guint i = 0; i < s->nannies->len; i++) {
		struct nanny *n = s->nannies->pdata[i];
		bool gone = nanny_gone(n);

		if (gone && nanny_swept(n))
			continue;
		nanny_give_up(n);
		loadset_trouble(
			s, "load-left",
			g_strdup_printf("Load %s: %s %u s after it was killed.", nanny_name(n),
					gone ? "its files are not all removed"
					     : "a process has not ended",
					(unsigned)(LOADSET_GIVE_UP_USEC / 1000 / USEC_PER_MS)));
	}
}

static int loadset_on_stop_timer(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct loadset *s = userdata;

	if (s->killed) {
		loadset_give_up(s);
		return 0;
	}
	s->killed = true;
	loadset_signal(s, SIGKILL);
	/* cannot fail: the source is there */
	(void)sd_event_source_set_time_relative(source, LOADSET_GIVE_UP_USEC);
	(void)sd_event_source_set_enabled(source, SD_EVENT_ONESHOT);
	return 0;
}

void loadset_stop(struct loadset *s)
{
	if (s->stopping)
		return;
	s->stopping = true;
	loadset_signal(s, SIGTERM);
	if (sd_event_add_time_relative(s->event, &s->stop_timer, CLOCK_MONOTONIC, LOADSET_KILL_USEC,
				       1000, loadset_on_stop_timer, s) < 0)
		loadset_signal(s, SIGKILL); /* no timer, no grace */
	loadset_review(s);
}

static void loadset_end_now(struct loadset *s)
{
	gint64 deadline_us = g_get_monotonic_time() + LOADSET_FREE_WAIT_USEC;

	loadset_signal(s, SIGKILL);
	for (guint i = 0; i < s->nannies->len; i++) {
		nanny_end_now(s->nannies->pdata[i], deadline_us);
		nanny_remove_scratch(s->nannies->pdata[i]);
	}
}

struct loadset *loadset_free(struct loadset *s)
{
	if (!s)
		return NULL;
	s->news_source = sd_event_source_disable_unref(s->news_source);
	s->stop_timer = sd_event_source_disable_unref(s->stop_timer);
	loadset_end_now(s);
	g_ptr_array_unref(s->nannies);
	g_queue_clear_full(&s->troubles, (GDestroyNotify)news_free);
	sd_event_unref(s->event);
	g_free(s);
	return NULL;
}

/* --- beside a set --- */

int loadset_clean_scratch(const char *scratch_dir, char **ret_message)
{
	int r = scratch_clean(scratch_dir);

	if (r < 0 && ret_message)
		*ret_message = g_strdup_printf("Old scratch folders in %s cannot be removed: %s.",
					       scratch_dir, g_strerror(-r));
	return r;
}
