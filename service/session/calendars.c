/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All expressions that are not known go into one question, as nearly always all are right; when one
 * is not, each is asked about by itself.
 *
 * Lateness without a calendar: the last time of a schedule is not too long ago when the first one
 * after the moment start_within ago has come already. What the timer may add of its own accord
 * (randomized_delay, accuracy) does not count, and a clock that was put right by moments since the
 * timer fired is no reason to skip a night.
 */
#include "calendars.h"

#include "analyze.h"
#include "calendartext.h"
#include "clock.h"
#include "duration.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define CALENDARS_QUESTIONS_MAX 16   /* at one time */
#define CALENDARS_KNOWN_MAX	1000 /* then all is forgotten */
#define CALENDARS_SLACK_USEC	(5 * G_USEC_PER_SEC)

struct calendars {
	sd_event *event;
	GHashTable *known;    /* text -> GINT_TO_POINTER(1): means something, 2: nothing */
	GPtrArray *questions; /* of struct question, owned */
};

struct question {
	struct calendars *calendars;
	GPtrArray *texts; /* of char *, NULL-ended */
	guint next;	  /* of those that are asked about one by one */
	bool single;
	struct analyze *asked;
	calendars_done_t learned;
	/* lateness */
	calendars_late_t judged; /* NULL: that is not the question */
	uint64_t base_usec, now_usec;
	char *sentence;
	void *userdata;
	GDestroyNotify free;
};

static void question_free(gpointer data)
{
	struct question *q = data;

	analyze_free(q->asked);
	g_ptr_array_unref(q->texts);
	if (q->free && q->userdata)
		q->free(q->userdata);
	g_free(q->sentence);
	g_free(q);
}

struct calendars *calendars_new(sd_event *event)
{
	struct calendars *c = g_new0(struct calendars, 1);

	c->event = event;
	c->known = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	c->questions = g_ptr_array_new_with_free_func(question_free);
	return c;
}

struct calendars *calendars_free(struct calendars *c)
{
	if (!c)
		return NULL;
	g_ptr_array_unref(c->questions);
	g_hash_table_unref(c->known);
	g_free(c);
	return NULL;
}

/* --- the end of a question --- */

static void question_end(struct question *q, bool late)
{
	void *userdata = g_steal_pointer(&q->userdata);
	g_autofree char *sentence = g_steal_pointer(&q->sentence);
	calendars_done_t learned = q->learned;
	calendars_late_t judged = q->judged;

	g_ptr_array_remove(q->calendars->questions, q);
	if (judged)
		judged(late ? sentence : NULL, userdata);
	else
		learned(userdata);
}

static void question_note(struct question *q, const char *text, bool meaningless)
{
	g_hash_table_replace(q->calendars->known, g_strdup(text),
			     GINT_TO_POINTER(meaningless ? 2 : 1));
}

/* --- asking --- */

static void on_question_answer(int r, const char *text, size_t size, void *userdata);

/* 0: an answer comes. */
static int question_ask(struct question *q)
{
	const char *one[2] = { NULL, NULL };
	const char *const *texts = (const char *const *)q->texts->pdata;

	if (q->single) {
		one[0] = q->texts->pdata[q->next];
		texts = one;
	}
	return analyze_start(q->calendars->event, texts, q->base_usec, on_question_answer, q,
			     &q->asked);
}

/* The next one by itself; after the last, or when nobody can be asked, that was all. */
static void question_go_on(struct question *q, bool late)
{
	if (q->texts->pdata[q->next] && question_ask(q) == 0)
		return;
	question_end(q, late && !q->texts->pdata[q->next]);
}

static void question_learn(struct question *q, int r)
{
	if (!q->single && r == 1) {
		q->single = true;
		question_go_on(q, false);
		return;
	}
	if (q->single && r >= 0) { /* who does not answer is not asked about the next one, too */
		question_note(q, q->texts->pdata[q->next], r == 1);
		q->next++;
		question_go_on(q, false);
		return;
	}
	for (guint i = 0; r == 0 && q->texts->pdata[i]; i++)
		question_note(q, q->texts->pdata[i], false);
	question_end(q, false);
}

static void question_judge(struct question *q, int r, const char *text, size_t size)
{
	uint64_t next_usec;

	if (r == 0)
		r = calendartext_next(text, size, &next_usec);
	if (r == 0 && next_usec > q->now_usec + CALENDARS_SLACK_USEC)
		r = -ENODATA;
	if (r != -ENODATA) {
		question_end(q, false); /* in time; or not to be known, and then it is measured */
		return;
	}
	q->next++;
	question_go_on(q, true);
}

static void on_question_answer(int r, const char *text, size_t size, void *userdata)
{
	struct question *q = userdata;
	struct analyze *asked = g_steal_pointer(&q->asked); /* @text is not in it */

	analyze_free(asked);
	if (q->judged)
		question_judge(q, r, text, size);
	else
		question_learn(q, r);
}

/* As calendars_learn(); @q is freed unless 1 is returned, @userdata is not. */
static int question_begin(struct question *q, void *userdata, GDestroyNotify free)
{
	struct calendars *c = q->calendars;
	int r = c->questions->len < CALENDARS_QUESTIONS_MAX ? question_ask(q) : -EBUSY;

	if (r < 0) {
		question_free(q);
		return r == -EBUSY ? r : 0; /* nobody knows */
	}
	q->userdata = userdata;
	q->free = free;
	g_ptr_array_add(c->questions, q);
	return 1;
}

static struct question *question_new(struct calendars *c)
{
	struct question *q = g_new0(struct question, 1);

	q->calendars = c;
	q->texts = g_ptr_array_new_with_free_func(g_free);
	return q;
}

/* --- what they mean --- */

int calendars_learn(struct calendars *c, const GPtrArray *texts, calendars_done_t done,
		    void *userdata, GDestroyNotify free)
{
	struct question *q = question_new(c);

	if (g_hash_table_size(c->known) > CALENDARS_KNOWN_MAX)
		g_hash_table_remove_all(c->known);
	for (guint i = 0; i < texts->len; i++)
		if (!g_hash_table_contains(c->known, texts->pdata[i]))
			g_ptr_array_add(q->texts, g_strdup(texts->pdata[i]));
	if (q->texts->len == 0 || q->texts->len > CALENDARS_KNOWN_MAX) {
		question_free(q);
		return 0;
	}
	g_ptr_array_add(q->texts, NULL);
	q->learned = done;
	return question_begin(q, userdata, free);
}

bool calendars_meaningless(const struct calendars *c, const char *text)
{
	return GPOINTER_TO_INT(g_hash_table_lookup(c->known, text)) == 2;
}

void calendars_problems(const struct calendars *c, const struct plan *p, GPtrArray *problems)
{
	for (guint i = 0; i < p->schedule.calendars->len; i++) {
		const struct schedule_calendar *s = p->schedule.calendars->pdata[i];

		if (calendars_meaningless(c, s->text))
			(void)problem_add(problems, s->file, s->line,
					  "\"%s\" is no calendar expression, says "
					  "systemd-analyze(1); see systemd.time(7)",
					  s->text);
	}
}

void calendars_collect(const struct plan *p, GPtrArray *texts)
{
	for (guint i = 0; i < p->schedule.calendars->len; i++)
		g_ptr_array_add(
			texts, ((struct schedule_calendar *)p->schedule.calendars->pdata[i])->text);
}

/* --- too late? --- */

/* In a container the boot that on_boot counts from is the container's, which nobody tells. */
static bool calendars_just_booted(const struct schedule *s, uint64_t window_ns)
{
	uint64_t now_ns = clock_mono_ns();

	if (s->on_boot_ns == 0)
		return false;
	return access("/run/systemd/container", F_OK) == 0 ||
	       now_ns < s->on_boot_ns + window_ns + CALENDARS_SLACK_USEC * NSEC_PER_USEC;
}

static char *calendars_sentence(const struct schedule *s)
{
	g_autofree char *within = duration_format(s->start_within_ns);
	g_autofree char *when = schedule_join(s);

	return g_strdup_printf("The schedule (%s) wanted it more than start_within = %s ago.",
			       s->calendars->len ? when : "on_boot", within);
}

int calendars_judge(struct calendars *c, const struct plan *p, calendars_late_t done,
		    void *userdata, GDestroyNotify free, char **ret_sentence)
{
	const struct schedule *s = &p->schedule;
	uint64_t window_ns = s->start_within_ns + s->randomized_delay_ns + s->accuracy_ns;
	uint64_t window_usec = window_ns / NSEC_PER_USEC;
	struct question *q;

	*ret_sentence = NULL;
	if (s->start_within_ns == 0 || calendars_just_booted(s, window_ns))
		return 0;
	if (s->calendars->len == 0) {
		*ret_sentence = s->on_boot_ns > 0 ? calendars_sentence(s) : NULL;
		return 0;
	}
	q = question_new(c);
	q->judged = done;
	q->single = true;
	q->now_usec = clock_real_usec();
	q->base_usec = q->now_usec > window_usec ? q->now_usec - window_usec : 1;
	q->sentence = calendars_sentence(s);
	for (guint i = 0; i < s->calendars->len; i++)
		g_ptr_array_add(
			q->texts,
			g_strdup(((struct schedule_calendar *)s->calendars->pdata[i])->text));
	g_ptr_array_add(q->texts, NULL);
	return question_begin(q, userdata, free);
}
