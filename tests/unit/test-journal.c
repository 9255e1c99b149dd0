/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The journal of changes: what comes out of it is right or missing, whatever happened to it. */
#include "journal-text.h"
#include "tuning.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define BOOT "0b7a5c3e-5d0c-4a43-9a50-0a2f6f1a3c11"
#define SKIP 77 /* exit status of a child that could not try */

struct world {
	char *dir, *path;
	struct journal *j;
};

static struct tuning_subject thread_subject(pid_t tid, const char *name)
{
	return (struct tuning_subject){ .tid = tid, .start_ticks = 4711, .name = (char *)name };
}

static const struct tuning_subject line24 = { .is_line = true,
					      .irq = 24,
					      .name = (char *)"IO-APIC 5" };

static struct tuning_value policy(int p, unsigned priority)
{
	return (struct tuning_value){ .policy = p, .priority = priority };
}

static struct tuning_value nice_of(int n)
{
	return (struct tuning_value){ .nice = n };
}

static struct tuning_value cpus(const char *list)
{
	return (struct tuning_value){ .affinity = (char *)list };
}

static void world_open(struct world *w)
{
	g_autofree char *message = NULL;

	g_assert_cmpint(journal_open(w->dir, BOOT, &w->j, &message), ==, 0);
	g_assert_null(message);
}

static void world_again(struct world *w)
{
	w->j = journal_close(w->j);
	world_open(w);
}

static void world_set_up(struct world *w, gconstpointer data)
{
	w->dir = g_dir_make_tmp("test-journal-XXXXXX", NULL);
	g_assert_nonnull(w->dir);
	w->path = g_build_filename(w->dir, "tuning", NULL);
	w->j = NULL;
	if (!data)
		world_open(w);
}

static void world_tear_down(struct world *w, gconstpointer data)
{
	g_autofree char *other = g_build_filename(w->dir, "tuning.new", NULL);
	g_autofree char *target = g_build_filename(w->dir, "target", NULL);

	journal_close(w->j);
	(void)remove(w->path);
	(void)remove(other);
	(void)remove(target);
	g_assert_cmpint(rmdir(w->dir), ==, 0);
	g_free(w->path);
	g_free(w->dir);
}

/* Everything of an entry in one line of text. */
static char *entry_text(const struct tuning_entry *e)
{
	g_autofree char *old = tuning_value_format(e->attribute, &e->old);
	g_autofree char *before = tuning_value_format(e->attribute, &e->before);
	g_autofree char *new = tuning_value_format(e->attribute, &e->new);

	return g_strdup_printf("%s %d %s|%s|%s|%s|%s by %s\n", e->subject.is_line ? "line" : "tid",
			       e->subject.is_line ? (int)e->subject.irq : e->subject.tid,
			       e->subject.name, old, before, new, e->sure ? "sure" : "unsure",
			       e->by);
}

static char *entries_text(const GPtrArray *entries)
{
	GString *out = g_string_new("");

	for (guint i = 0; i < entries->len; i++) {
		g_autofree char *line = entry_text(entries->pdata[i]);

		g_string_append(out, line);
	}
	return g_string_free(out, FALSE);
}

static char *state(const struct world *w)
{
	return entries_text(journal_entries(w->j));
}

static void assert_state(const struct world *w, const char *expected)
{
	g_autofree char *now = state(w);

	g_assert_cmpstr(now, ==, expected);
}

static void set(struct world *w, const struct tuning_subject *s, enum tuning_attribute a,
		struct tuning_value old, struct tuning_value new)
{
	g_assert_cmpint(journal_will(w->j, s, a, &old, &new, "10-net/2"), ==, 0);
	g_assert_cmpint(journal_did(w->j, s, a), ==, 0);
}

static void test_kept(struct world *w, gconstpointer data)
{
	struct tuning_subject t = thread_subject(50, "irq/24-ACPI:Ged");
	struct tuning_value fifo = policy(SCHED_FIFO, 50), other = policy(SCHED_OTHER, 0);
	struct tuning_value rr = { .policy = SCHED_RR, .priority = 33, .reset_on_fork = true };
	const char *first = "tid 50 irq/24-ACPI:Ged|fifo 50|fifo 50|other|unsure by 10-net/2\n";
	struct tuning_entry *e;

	assert_state(w, "");
	g_assert_cmpint(journal_will(w->j, &t, TUNING_POLICY, &fifo, &other, "10-net/2"), ==, 0);
	assert_state(w, first);
	world_again(w);
	g_assert_cmpuint(journal_damaged(w->j), ==, 0);
	assert_state(w, first);
	e = journal_find(w->j, &t, TUNING_POLICY);
	g_assert_cmpint(e->old.policy, ==, SCHED_FIFO);
	g_assert_cmpuint(e->subject.start_ticks, ==, 4711);
	g_assert_null(journal_find(w->j, &t, TUNING_NICE));
	g_assert_cmpint(journal_did(w->j, &t, TUNING_POLICY), ==, 0);
	world_again(w);
	/* the second change keeps what was there before the first, and stays the same entry */
	e = journal_find(w->j, &t, TUNING_POLICY);
	g_assert_cmpint(journal_will(w->j, &t, TUNING_POLICY, &other, &rr, NULL), ==, 0);
	g_assert_true(journal_find(w->j, &t, TUNING_POLICY) == e);
	world_again(w);
	assert_state(w, "tid 50 irq/24-ACPI:Ged|fifo 50|other|rr 33, reset on fork|unsure by \n");
	set(w, &line24, TUNING_AFFINITY, cpus("0-1"), cpus("0"));
	set(w, &t, TUNING_NICE, nice_of(0), nice_of(-20));
	g_assert_cmpint(journal_forget(w->j, &t, TUNING_POLICY), ==, 0);
	g_assert_cmpint(journal_forget(w->j, &t, TUNING_POLICY), ==, 0);
	world_again(w);
	assert_state(w, "line 24 IO-APIC 5|0-1|0-1|0|sure by 10-net/2\n"
			"tid 50 irq/24-ACPI:Ged|nice 0|nice 0|nice -20|sure by 10-net/2\n");
}

/* After a crash between the two, both values are ours, and it is known which was there first. */
static void test_unsure_twice(struct world *w, gconstpointer data)
{
	struct tuning_subject t = thread_subject(50, "irq/24-x");
	struct tuning_value a = nice_of(1), b = nice_of(2), c = nice_of(3);

	g_assert_cmpint(journal_will(w->j, &t, TUNING_NICE, &a, &b, "x"), ==, 0);
	/* the change was not made: 1 is there still */
	g_assert_cmpint(journal_will(w->j, &t, TUNING_NICE, &a, &c, "x"), ==, 0);
	assert_state(w, "tid 50 irq/24-x|nice 1|nice 1|nice 3|unsure by x\n");
	g_assert_cmpint(journal_forget(w->j, &t, TUNING_NICE), ==, 0);
	g_assert_cmpint(journal_will(w->j, &t, TUNING_NICE, &a, &b, "x"), ==, 0);
	/* it was made: 2 is there */
	g_assert_cmpint(journal_will(w->j, &t, TUNING_NICE, &b, &c, "x"), ==, 0);
	assert_state(w, "tid 50 irq/24-x|nice 1|nice 2|nice 3|unsure by x\n");
}

static void test_wont(struct world *w, gconstpointer data)
{
	struct tuning_subject t = thread_subject(50, "irq/24-x");
	struct tuning_value a = nice_of(1), b = nice_of(2), c = nice_of(3);

	g_assert_cmpint(journal_wont(w->j, &t, TUNING_NICE), ==, 0);
	g_assert_cmpint(journal_will(w->j, &t, TUNING_NICE, &a, &b, "x"), ==, 0);
	g_assert_cmpint(journal_wont(w->j, &t, TUNING_NICE), ==, 0);
	assert_state(w, "");
	set(w, &t, TUNING_NICE, a, b);
	g_assert_cmpint(journal_will(w->j, &t, TUNING_NICE, &b, &c, "x"), ==, 0);
	g_assert_cmpint(journal_wont(w->j, &t, TUNING_NICE), ==, 0);
	world_again(w);
	assert_state(w, "tid 50 irq/24-x|nice 1|nice 2|nice 2|sure by x\n");
}

static void test_names(struct world *w, gconstpointer data)
{
	static const char *const names[] = { "",      " ",	   "irq/5-a b",	 "100%",   "%20",
					     "a\nb",  "\xff\x01x", "gr\xc3\xb6", "(x) y)", "did",
					     "\t\r ", "a%",	   "\\x20" };
	g_autofree char *before = NULL;

	for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
		struct tuning_subject t = thread_subject(100 + (pid_t)i, names[i]);
		struct tuning_value a = policy(7, 0), b = policy(SCHED_BATCH, 0);

		g_assert_cmpint(journal_will(w->j, &t, TUNING_POLICY, &a, &b, names[i]), ==, 0);
	}
	before = state(w);
	world_again(w);
	g_assert_cmpuint(journal_damaged(w->j), ==, 0);
	g_assert_cmpuint(journal_entries(w->j)->len, ==, G_N_ELEMENTS(names));
	assert_state(w, before);
	for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
		struct tuning_subject t = thread_subject(100 + (pid_t)i, names[i]);
		struct tuning_entry *e = journal_find(w->j, &t, TUNING_POLICY);

		g_assert_cmpstr(e->subject.name, ==, names[i]);
		g_assert_cmpstr(e->by, ==, names[i]);
		t.start_ticks++;
		g_assert_null(journal_find(w->j, &t, TUNING_POLICY));
	}
}

/* What could not be read again is not written. */
static void test_no_value(struct world *w, gconstpointer data)
{
	struct tuning_subject t = thread_subject(50, "a"), none = thread_subject(0, "a");
	struct tuning_value good = policy(SCHED_FIFO, 1), bad = policy(SCHED_FIFO, 100);
	struct tuning_value nothing = { 0 };

	g_assert_cmpint(journal_will(w->j, &t, TUNING_POLICY, &good, &bad, "x"), ==, -EINVAL);
	g_assert_cmpint(journal_will(w->j, &t, TUNING_POLICY, &bad, &good, "x"), ==, -EINVAL);
	g_assert_cmpint(journal_will(w->j, &none, TUNING_POLICY, &good, &good, "x"), ==, -EINVAL);
	g_assert_cmpint(journal_will(w->j, &line24, TUNING_POLICY, &good, &good, "x"), ==, -EINVAL);
	g_assert_cmpint(journal_will(w->j, &line24, TUNING_AFFINITY, &nothing, &nothing, "x"), ==,
			-EINVAL);
	world_again(w);
	assert_state(w, "");
	g_assert_cmpuint(journal_damaged(w->j), ==, 0);
}

/* Some of everything; what was known after each line. */
static GPtrArray *history(struct world *w)
{
	struct tuning_subject t = thread_subject(50, "irq/24-ACPI:Ged");
	struct tuning_subject u = thread_subject(51, "napi/eth 0-1");
	struct tuning_value fifo = policy(SCHED_FIFO, 50), other = policy(SCHED_OTHER, 0);
	struct tuning_value rr = policy(SCHED_RR, 33), all = cpus("0-1"), one = cpus("1");
	GPtrArray *states = g_ptr_array_new_with_free_func(g_free);

#define STEP(call)                                                                                 \
	do {                                                                                       \
		g_ptr_array_add(states, state(w));                                                 \
		g_assert_cmpint(journal_##call, ==, 0);                                            \
	} while (0)
	STEP(will(w->j, &t, TUNING_POLICY, &fifo, &other, "10-net/2"));
	STEP(did(w->j, &t, TUNING_POLICY));
	STEP(will(w->j, &line24, TUNING_AFFINITY, &all, &one, "set by user 1000"));
	STEP(did(w->j, &line24, TUNING_AFFINITY));
	STEP(will(w->j, &u, TUNING_POLICY, &other, &rr, "x"));
	STEP(will(w->j, &t, TUNING_POLICY, &other, &rr, "y"));
	STEP(did(w->j, &u, TUNING_POLICY));
	STEP(forget(w->j, &line24, TUNING_AFFINITY));
	STEP(did(w->j, &t, TUNING_POLICY));
	STEP(forget(w->j, &u, TUNING_POLICY));
	STEP(will(w->j, &u, TUNING_NICE, &other, &other, "z"));
	STEP(will(w->j, &line24, TUNING_AFFINITY, &one, &all, "z"));
#undef STEP
	g_ptr_array_add(states, state(w));
	return states;
}

/* Every entry of @text is one of @known, letter for letter. */
static void assert_within(const char *text, size_t size, const char *known)
{
	GPtrArray *entries = journal_parse(text, size, BOOT, NULL);

	for (guint i = 0; i < entries->len; i++) {
		g_autofree char *line = entry_text(entries->pdata[i]);

		g_assert_nonnull(strstr(known, line));
	}
	g_ptr_array_unref(entries);
}

static unsigned lines_in(const char *text, size_t size)
{
	unsigned n = 0;

	for (size_t i = 0; i < size; i++)
		n += text[i] == '\n';
	return n;
}

static void test_torn(struct world *w, gconstpointer data)
{
	g_autoptr(GPtrArray) states = history(w);
	g_autofree char *text = NULL;
	gsize size;

	g_assert_true(g_file_get_contents(w->path, &text, &size, NULL));
	g_assert_cmpuint(lines_in(text, size), ==, states->len);
	for (gsize n = 0; n <= size; n++) {
		unsigned lines = lines_in(text, n), bad = 99;
		GPtrArray *entries = journal_parse(text, n, BOOT, &bad);
		g_autofree char *now = entries_text(entries);

		g_assert_cmpstr(now, ==, lines ? states->pdata[lines - 1] : "");
		g_assert_cmpuint(bad, ==, n > 0 && text[n - 1] != '\n');
		g_ptr_array_unref(entries);
	}
}

static void test_flipped(struct world *w, gconstpointer data)
{
	g_autoptr(GPtrArray) states = history(w);
	const char *last = states->pdata[states->len - 1],
		   *but_one = states->pdata[states->len - 2];
	g_autofree char *text = NULL;
	gsize size, begin;
	/* under valgrind every hash is slow */
	unsigned step = g_getenv("LRTBF_VALGRIND") ? 0x40 : 1;

	g_assert_true(g_file_get_contents(w->path, &text, &size, NULL));
	begin = size - 1;
	while (text[begin - 1] != '\n')
		begin--;
	for (gsize at = 0; at < size; at++)
		for (unsigned flip = step; flip < 256; flip += step) {
			text[at] ^= (char)flip;
			assert_within(text, size, at < begin ? last : but_one);
			text[at] ^= (char)flip;
		}
	assert_within(text, size, last);
}

/* Lines that are whole and not where they were: left out, again, exchanged. */
static void test_moved(struct world *w, gconstpointer data)
{
	g_autoptr(GPtrArray) states = history(w);
	const char *last = states->pdata[states->len - 1];
	g_autofree char *text = NULL;
	g_auto(GStrv) lines = NULL;
	guint n;

	g_assert_true(g_file_get_contents(w->path, &text, NULL, NULL));
	lines = g_strsplit(text, "\n", -1);
	n = g_strv_length(lines) - 1; /* the last is empty */
	for (guint a = 0; a < n; a++)
		for (guint b = 0; b < n; b++) {
			g_autoptr(GString) out = g_string_new(NULL);

			/* a's place taken by b; and with a == b, left out */
			for (guint i = 0; i < n; i++)
				if (i != a || a != b)
					g_string_append_printf(out, "%s\n", lines[i == a ? b : i]);
			if (a != b || a < n - 1)
				assert_within(out->str, out->len, last);
			/* b once more at the end */
			g_string_assign(out, text);
			g_string_append_printf(out, "%s\n", lines[b]);
			assert_within(out->str, out->len, "");
		}
}

/* A damaged file is written anew from what is left of it, and goes on from there. */
static void test_goes_on(struct world *w, gconstpointer data)
{
	g_autoptr(GPtrArray) states = history(w);
	g_autofree char *text = NULL, *left = NULL;
	struct tuning_subject t = thread_subject(50, "irq/24-ACPI:Ged");
	gsize size;

	g_assert_cmpuint(states->len, >, 1);
	g_assert_true(g_file_get_contents(w->path, &text, &size, NULL));
	w->j = journal_close(w->j);
	text[size / 2] ^= 1;
	g_assert_true(g_file_set_contents(w->path, text, (gssize)size, NULL));
	world_open(w);
	g_assert_cmpuint(journal_damaged(w->j), >=, 1);
	left = state(w);
	g_assert_cmpuint(journal_entries(w->j)->len, >, 0);
	world_again(w);
	g_assert_cmpuint(journal_damaged(w->j), ==, 0);
	assert_state(w, left);
	set(w, &t, TUNING_NICE, nice_of(0), nice_of(3));
	world_again(w);
	g_assert_cmpuint(journal_damaged(w->j), ==, 0);
	g_assert_nonnull(journal_find(w->j, &t, TUNING_NICE));
	/* torn in the midst of a line */
	w->j = journal_close(w->j);
	g_clear_pointer(&text, g_free);
	g_assert_true(g_file_get_contents(w->path, &text, &size, NULL));
	g_assert_cmpint(truncate(w->path, (off_t)size - 5), ==, 0);
	world_open(w);
	g_assert_cmpuint(journal_damaged(w->j), ==, 1);
	g_assert_false(journal_find(w->j, &t, TUNING_NICE)->sure);
}

static void test_other_boot(struct world *w, gconstpointer data)
{
	g_autoptr(GPtrArray) states = history(w);
	g_autofree char *text = NULL, *message = NULL;
	gsize size;
	unsigned bad;

	assert_state(w, states->pdata[states->len - 1]);
	g_assert_true(g_file_get_contents(w->path, &text, &size, NULL));
	g_ptr_array_unref(journal_parse(text, size, "another", &bad));
	g_assert_cmpuint(bad, ==, 0);
	w->j = journal_close(w->j);
	g_assert_cmpint(journal_open(w->dir, "another", &w->j, &message), ==, 0);
	assert_state(w, "");
	g_assert_cmpuint(journal_damaged(w->j), ==, 0);
	/* and it is gone for good */
	world_again(w);
	assert_state(w, "");
}

static int wait_for(pid_t pid)
{
	int status;

	g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
	return status;
}

static void test_killed(struct world *w, gconstpointer data)
{
	struct tuning_subject t = thread_subject(50, "irq/24-x");
	struct tuning_value a = policy(SCHED_FIFO, 50), b = policy(SCHED_OTHER, 0);
	pid_t pid;

	fflush(NULL);
	pid = fork();
	g_assert_cmpint(pid, >=, 0);
	if (pid == 0) {
		if (journal_open(w->dir, BOOT, &w->j, NULL) < 0 ||
		    journal_will(w->j, &t, TUNING_POLICY, &a, &b, "x") < 0)
			_exit(1);
		kill(getpid(), SIGKILL);
	}
	g_assert_true(WIFSIGNALED(wait_for(pid)));
	world_open(w);
	assert_state(w, "tid 50 irq/24-x|fifo 50|fifo 50|other|unsure by x\n");
}

static void test_locked(struct world *w, gconstpointer data)
{
	pid_t pid;

	/* a fork of the holder does not hold on to it */
	fflush(NULL);
	pid = fork();
	g_assert_cmpint(pid, >=, 0);
	if (pid == 0) {
		g_autofree char *message = NULL;
		struct journal *j;

		if (journal_open(w->dir, BOOT, &j, &message) != -EBUSY || !message ||
		    !strstr(message, "is an lrtbfd running"))
			_exit(1);
		_exit(0);
	}
	g_assert_cmpint(wait_for(pid), ==, 0);
	pid = fork();
	g_assert_cmpint(pid, >=, 0);
	if (pid == 0) {
		pause();
		_exit(0);
	}
	world_again(w);
	w->j = journal_close(w->j);
	world_open(w);
	kill(pid, SIGKILL);
	wait_for(pid);
}

static void assert_refused(struct world *w, const char *word)
{
	g_autofree char *message = NULL;
	struct journal *j = NULL;

	g_assert_cmpint(journal_open(w->dir, BOOT, &j, &message), <, 0);
	g_test_message("%s", message);
	g_assert_null(j);
	g_assert_nonnull(strstr(message, w->path));
	g_assert_nonnull(strstr(message, word));
}

static void test_places(struct world *w, gconstpointer data)
{
	g_autofree char *target = g_build_filename(w->dir, "target", NULL), *text = NULL;
	g_autofree char *nowhere = g_build_filename(w->dir, "not", "there", NULL);
	g_autofree char *message = NULL;
	struct journal *j;

	g_assert_true(g_file_set_contents(target, "precious", -1, NULL));
	g_assert_cmpint(symlink(target, w->path), ==, 0);
	assert_refused(w, "symbolic link");
	g_assert_cmpint(unlink(w->path), ==, 0);
	g_assert_cmpint(symlink(nowhere, w->path), ==, 0);
	assert_refused(w, "symbolic link");
	g_assert_cmpint(unlink(w->path), ==, 0);
	g_assert_cmpint(mkfifo(w->path, 0600), ==, 0);
	assert_refused(w, "no regular file");
	g_assert_cmpint(unlink(w->path), ==, 0);
	g_assert_cmpint(mkdir(w->path, 0700), ==, 0);
	assert_refused(w, "cannot be opened");
	g_assert_cmpint(rmdir(w->path), ==, 0);
	g_assert_cmpint(link(target, w->path), ==, 0);
	assert_refused(w, "2 names");
	g_assert_cmpint(unlink(w->path), ==, 0);
	g_assert_true(g_file_set_contents(w->path, "", 0, NULL));
	g_assert_cmpint(chmod(w->path, 0660), ==, 0);
	assert_refused(w, "mode 0660");
	if (geteuid() == 0) {
		g_assert_cmpint(chmod(w->path, 0600), ==, 0);
		g_assert_cmpint(chown(w->path, 65534, 65534), ==, 0);
		assert_refused(w, "user 65534");
	}
	g_assert_cmpint(unlink(w->path), ==, 0);
	g_assert_cmpint(journal_open(nowhere, BOOT, &j, &message), ==, -ENOENT);
	g_assert_nonnull(strstr(message, nowhere));
	g_assert_true(g_file_get_contents(target, &text, NULL, NULL));
	g_assert_cmpstr(text, ==, "precious");
}

static void test_mode(struct world *w, gconstpointer data)
{
	struct stat st;
	mode_t mask = umask(0);

	world_open(w);
	umask(mask);
	g_assert_cmpint(stat(w->path, &st), ==, 0);
	g_assert_cmpuint(st.st_mode & 07777, ==, 0600);
}

/* It stays short, and whatever lies where the new one is written is not followed. */
static void test_compacted(struct world *w, gconstpointer data)
{
	g_autofree char *beside = g_build_filename(w->dir, "tuning.new", NULL);
	g_autofree char *target = g_build_filename(w->dir, "target", NULL), *text = NULL;
	struct tuning_subject t = thread_subject(50, "irq/24-x");
	struct stat st;

	g_assert_true(g_file_set_contents(target, "precious", -1, NULL));
	g_assert_cmpint(symlink(target, beside), ==, 0);
	set(w, &line24, TUNING_AFFINITY, cpus("0-1"), cpus("1"));
	for (int i = 0; i < 1000; i++)
		set(w, &t, TUNING_NICE, nice_of(0), nice_of(i % 19 + 1));
	g_assert_cmpint(stat(w->path, &st), ==, 0);
	g_assert_cmpint(st.st_size, <, 64 * 1024);
	world_again(w);
	assert_state(w, "line 24 IO-APIC 5|0-1|0-1|1|sure by 10-net/2\n"
			"tid 50 irq/24-x|nice 0|nice 11|nice 12|sure by 10-net/2\n");
	g_assert_cmpuint(journal_damaged(w->j), ==, 0);
	g_assert_true(g_file_get_contents(target, &text, NULL, NULL));
	g_assert_cmpstr(text, ==, "precious");
}

/* Somebody tidied up the folder. */
static void test_taken_away(struct world *w, gconstpointer data)
{
	struct tuning_subject t = thread_subject(50, "irq/24-x");
	g_autofree char *before = NULL;

	set(w, &line24, TUNING_AFFINITY, cpus("0-1"), cpus("1"));
	g_assert_cmpint(unlink(w->path), ==, 0);
	set(w, &t, TUNING_NICE, nice_of(0), nice_of(5));
	before = state(w);
	world_again(w);
	g_assert_cmpuint(journal_entries(w->j)->len, ==, 2);
	assert_state(w, before);
}

static void fill(const char *path)
{
	static const char block[4096];
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);

	g_assert_cmpint(fd, >=, 0);
	while (write(fd, block, sizeof(block)) > 0)
		;
	g_assert_cmpint(errno, ==, ENOSPC);
	close(fd);
}

/* In a mount namespace of its own: nothing of it is left. */
static void full_disk(struct world *w)
{
	g_autofree char *filler = g_build_filename(w->dir, "filler", NULL);
	g_autofree char *before = NULL;
	enum { N = 500 };
	int r = 0, i;

	if (unshare(CLONE_NEWNS) < 0 || mount("none", "/", "none", MS_REC | MS_PRIVATE, NULL) < 0 ||
	    mount("tmpfs", w->dir, "tmpfs", 0, "size=256k") < 0)
		_exit(SKIP);
	world_open(w);
	for (i = 0; i < N; i++) {
		struct tuning_subject t = thread_subject(100 + i, "irq/24-some-name-of-a-thread");
		struct tuning_value a = nice_of(0), b = nice_of(5);

		if (i == 2)
			fill(filler);
		/* the room it took for what comes after is enough for some more, and for all ends
		 */
		g_free(before);
		before = state(w);
		r = journal_will(w->j, &t, TUNING_NICE, &a, &b, "a rule");
		if (r < 0)
			break;
	}
	g_assert_cmpint(r, ==, -ENOSPC);
	assert_state(w, before);
	for (int k = 0; k < i; k++) {
		struct tuning_subject t = thread_subject(100 + k, "irq/24-some-name-of-a-thread");

		g_assert_cmpint(journal_did(w->j, &t, TUNING_NICE), ==, 0);
		g_assert_cmpint(journal_forget(w->j, &t, TUNING_NICE), ==, 0);
	}
	assert_state(w, "");
	g_assert_cmpint(unlink(filler), ==, 0);
	set(w, &line24, TUNING_AFFINITY, cpus("0-1"), cpus("1"));
	world_again(w);
	g_assert_cmpuint(journal_damaged(w->j), ==, 0);
	g_assert_cmpuint(journal_entries(w->j)->len, ==, 1);
	/* and one that cannot even be begun */
	w->j = journal_close(w->j);
	g_assert_cmpint(unlink(w->path), ==, 0);
	fill(filler);
	{
		g_autofree char *message = NULL;

		g_assert_cmpint(journal_open(w->dir, BOOT, &w->j, &message), ==, -ENOSPC);
		g_assert_nonnull(strstr(message, w->path));
	}
}

static void test_full(struct world *w, gconstpointer data)
{
	int status;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	g_assert_cmpint(pid, >=, 0);
	if (pid == 0) {
		full_disk(w);
		_exit(0);
	}
	status = wait_for(pid);
	if (WIFEXITED(status) && WEXITSTATUS(status) == SKIP)
		g_test_skip("no right to mount here");
	else
		g_assert_cmpint(status, ==, 0);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
#define ADD(name, data, fn)                                                                        \
	g_test_add("/journal/" name, struct world, data, world_set_up, fn, world_tear_down)
#define NOT_YET "not opened yet"
	ADD("kept", NULL, test_kept);
	ADD("unsure-twice", NULL, test_unsure_twice);
	ADD("wont", NULL, test_wont);
	ADD("names", NULL, test_names);
	ADD("no-value", NULL, test_no_value);
	ADD("torn", NULL, test_torn);
	ADD("flipped", NULL, test_flipped);
	ADD("moved", NULL, test_moved);
	ADD("goes-on", NULL, test_goes_on);
	ADD("other-boot", NULL, test_other_boot);
	ADD("killed", NOT_YET, test_killed);
	ADD("locked", NULL, test_locked);
	ADD("places", NOT_YET, test_places);
	ADD("mode", NOT_YET, test_mode);
	ADD("compacted", NULL, test_compacted);
	ADD("taken-away", NULL, test_taken_away);
	ADD("full", NOT_YET, test_full);
	return g_test_run();
}
