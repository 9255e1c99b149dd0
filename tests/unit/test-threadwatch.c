/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is told of new threads, devices and resumes, by the kernel of this machine. Network devices
 * are made in namespaces that end with the processes that made them.
 */
#include <fcntl.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <linux/cn_proc.h>
#include <linux/connector.h>
#include <linux/netlink.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "procevents.h"
#include "resume.h"
#include "threadwatch.h"
#include "uevents.h"

#define PATIENCE_USEC (20 * G_USEC_PER_SEC)
#define NAPI_NAME     "napi/lrtbf0-"

struct world {
	sd_event *event;
	struct threadwatch *watch;
	unsigned looks, modes, threads, napi;
	uint64_t napi_after_ns;
	bool napi_dated;
};

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void world_napi(struct world *w, const struct threadwatch_newcomer *n)
{
	g_autofree char *path = g_strdup_printf("/proc/%d/comm", n->tid), *comm = NULL;

	if (!g_file_get_contents(path, &comm, NULL, NULL) || !g_str_has_prefix(comm, NAPI_NAME))
		return;
	w->napi++;
	w->napi_dated = n->created_ns > 0;
	w->napi_after_ns = now_ns() - n->created_ns;
}

static void on_news(enum threadwatch_news what, const struct threadwatch_newcomer *n,
		    void *userdata)
{
	struct world *w = userdata;

	g_assert_cmpint(what == THREADWATCH_THREAD, ==, n != NULL);
	w->looks += what == THREADWATCH_LOOK;
	w->modes += what == THREADWATCH_MODE;
	w->threads += what == THREADWATCH_THREAD;
	if (n)
		world_napi(w, n);
}

static void world_init(struct world *w)
{
	*w = (struct world){ 0 };
	g_assert_cmpint(sd_event_new(&w->event), ==, 0);
	g_assert_cmpint(threadwatch_new(w->event, on_news, w, &w->watch), ==, 0);
	g_assert_cmpuint(w->modes, ==, 0);
}

static void world_done(struct world *w)
{
	threadwatch_free(w->watch);
	sd_event_unref(w->event);
}

static const char *world_mode(const struct world *w, const char **ret_why)
{
	return threadwatch_mode(w->watch, ret_why);
}

/* Until it knows how it watches. */
static const char *world_settle(struct world *w, const char **ret_why)
{
	int64_t end = g_get_monotonic_time() + PATIENCE_USEC;

	while (strcmp(world_mode(w, ret_why), "starting") == 0 && g_get_monotonic_time() < end)
		g_assert_cmpint(sd_event_run(w->event, 100000), >=, 0);
	return world_mode(w, ret_why);
}

static bool is_link(const char *path, const char *text)
{
	char target[64];
	ssize_t n = readlink(path, target, sizeof(target) - 1);

	return n > 0 && (size_t)n == strlen(text) && memcmp(target, text, n) == 0;
}

/* Where the kernel has to tell of processes: there a poll would be a fault. */
static bool kernel_tells(void)
{
	g_autofree char *init = g_file_read_link("/proc/1/ns/net", NULL);
	g_autofree char *own = g_file_read_link("/proc/self/ns/net", NULL);
	g_autofree char *comm = NULL;

	return geteuid() == 0 && is_link("/proc/self/ns/pid", "pid:[4026531836]") &&
	       is_link("/proc/self/ns/user", "user:[4026531837]") && own &&
	       (!init || strcmp(init, own) == 0) &&
	       g_file_get_contents("/proc/2/comm", &comm, NULL, NULL) &&
	       strcmp(comm, "kthreadd\n") == 0;
}

/* A child that runs @body and ends with this process; its standard input and output are ours. */
static pid_t child_start(void (*body)(int in, int out), int *ret_to, int *ret_from)
{
	int to[2], from[2];
	pid_t pid;

	g_assert_cmpint(pipe2(to, O_CLOEXEC), ==, 0);
	g_assert_cmpint(pipe2(from, O_CLOEXEC), ==, 0);
	pid = fork();
	g_assert_cmpint(pid, >=, 0);
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(to[1]);
		close(from[0]);
		body(to[0], from[1]);
		_exit(0);
	}
	close(to[0]);
	close(from[1]);
	*ret_to = to[1];
	*ret_from = from[0];
	return pid;
}

/* All the child says until it ends. */
static char *child_end(pid_t pid, int to, int from)
{
	char text[4096];
	size_t size = 0;
	ssize_t n;
	int status;

	close(to);
	while (size < sizeof(text) - 1 &&
	       (n = read(from, text + size, sizeof(text) - 1 - size)) > 0)
		size += n;
	close(from);
	g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
	/* what it asserts is ours to fail with, unless we ended it */
	g_assert_true(status == 0 || (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL));
	return g_strndup(text, size);
}

static void say(int out, const char *text)
{
	(void)!write(out, text, strlen(text));
}

static bool write_to(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool done = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (fd >= 0)
		close(fd);
	return done;
}

/* A network namespace of its own, with its /sys. */
static bool enter_network(void)
{
	return unshare(CLONE_NEWNET | CLONE_NEWNS) == 0 &&
	       mount("none", "/", "none", MS_REC | MS_PRIVATE, NULL) == 0 &&
	       mount("sysfs", "/sys", "sysfs", 0, NULL) == 0;
}

static void napi_threads(int in, int out)
{
	char go;

	if (!enter_network() ||
	    system("ip link add lrtbf0 type vxlan id 1 dstport 4789 2>/dev/null && "
		   "ip link set lrtbf0 up 2>/dev/null") != 0) {
		say(out, "no device can be made in a network namespace");
		return;
	}
	say(out, "+");
	(void)!read(in, &go, 1);
	say(out, write_to("/sys/class/net/lrtbf0/threaded", "1") ? "+" : "-");
	(void)!read(in, &go, 1);
}

/* As many processes as it can, in turn, for two seconds; how many. */
static void storm(int in, int out)
{
	int64_t end = g_get_monotonic_time() + 2 * G_USEC_PER_SEC;
	g_autofree char *said = NULL;
	unsigned forks = 0;

	while (g_get_monotonic_time() < end) {
		pid_t pid = fork();

		if (pid == 0)
			_exit(0);
		if (pid > 0)
			waitpid(pid, NULL, 0);
		forks++;
	}
	said = g_strdup_printf("%u", forks);
	say(out, said);
}

/* Run the loop for @usec, or until napi threads were told of. How often it woke. */
static unsigned world_run(struct world *w, int64_t usec, bool until_napi)
{
	int64_t end = g_get_monotonic_time() + usec, left;
	unsigned wakes = 0;

	while ((left = end - g_get_monotonic_time()) > 0 && !(until_napi && w->napi > 0)) {
		int r = sd_event_run(w->event, left);

		g_assert_cmpint(r, >=, 0);
		wakes += r > 0;
	}
	return wakes;
}

/* Whether the kernel, asked by @pid, makes the threads; ends the test with a reason if not. */
static bool napi_ready(pid_t pid, int to, int from)
{
	char answer;

	if (read(from, &answer, 1) == 1 && answer == '+')
		return true;
	g_free(child_end(pid, to, from));
	g_test_skip("no network device can be made in a namespace here");
	return false;
}

static bool napi_make(int to, int from)
{
	char answer = 0;

	g_assert_cmpint(write(to, "g", 1), ==, 1);
	g_assert_cmpint(read(from, &answer, 1), ==, 1);
	return answer == '+';
}

static void test_newcomers(void)
{
	int to, from, storm_to[2], storm_from[2];
	unsigned wakes, forks = 0;
	pid_t napi, storms[2];
	struct world w;
	const char *why;

	if (!kernel_tells()) {
		g_test_skip("not root in the machine's own namespaces");
		return;
	}
	napi = child_start(napi_threads, &to, &from);
	if (!napi_ready(napi, to, from))
		return;
	world_init(&w);
	g_assert_cmpstr(world_settle(&w, &why), ==, "process-events");
	g_assert_null(why);
	g_assert_cmpuint(w.modes, ==, 1);

	for (int i = 0; i < 2; i++)
		storms[i] = child_start(storm, &storm_to[i], &storm_from[i]);
	wakes = world_run(&w, 1500000, false);
	if (!napi_make(to, from)) {
		g_test_skip("this kernel has no threads for network devices");
	} else {
		wakes += world_run(&w, PATIENCE_USEC, true);
		g_assert_cmpuint(w.napi, >, 0);
		g_assert_true(w.napi_dated);
		g_test_message("told of %.3f ms after it was made", w.napi_after_ns / 1e6);
		g_assert_cmpuint(w.napi_after_ns, <, 1000000000);
	}
	for (int i = 0; i < 2; i++) {
		g_autofree char *said = child_end(storms[i], storm_to[i], storm_from[i]);

		forks += (unsigned)atoi(said);
	}
	g_test_message("%u processes forked, %u wake-ups", forks, wakes);
	if (forks >= 2000) /* fewer under valgrind: then kworkers alone may be as many */
		g_assert_cmpuint(wakes, <, forks / 20);
	world_done(&w);
	g_free(child_end(napi, to, from));
}

/* In a child: how it watches here, and why. */
/* Someone with the right to write to our socket, who plays kernel */

#define NOBODYS_CHILD 2 /* kthreadd, which is born once */

struct listener {
	unsigned ready, refused, spoofed;
};

static void on_procevents_news(const struct procevents_news *n, void *userdata)
{
	struct listener *l = userdata;

	l->ready += n->what == PROCEVENTS_READY;
	l->refused += n->what == PROCEVENTS_REFUSED;
	l->spoofed += n->what == PROCEVENTS_THREAD && n->child == NOBODYS_CHILD;
}

static bool spoof(int fd, const struct sockaddr_nl *to)
{
	struct proc_event event = { .what = PROC_EVENT_FORK };
	struct cn_msg msg = { .id = { CN_IDX_PROC, CN_VAL_PROC }, .len = sizeof(event) };
	struct nlmsghdr head = { .nlmsg_len = sizeof(head) + sizeof(msg) + sizeof(event),
				 .nlmsg_type = NLMSG_DONE };
	char bytes[sizeof(head) + sizeof(msg) + sizeof(event)];

	event.event_data.fork.parent_pid = event.event_data.fork.parent_tgid = 2;
	event.event_data.fork.child_pid = event.event_data.fork.child_tgid = NOBODYS_CHILD;
	memcpy(bytes, &head, sizeof(head));
	memcpy(bytes + sizeof(head), &msg, sizeof(msg));
	memcpy(bytes + sizeof(head) + sizeof(msg), &event, sizeof(event));
	/* the socket that nobody reads may be full already: a send that waits would wait for ever
	 */
	return sendto(fd, bytes, sizeof(bytes), MSG_DONTWAIT, (const struct sockaddr *)to,
		      sizeof(*to)) == (ssize_t)sizeof(bytes);
}

/* To every socket of this process that process events come to. How many took it. */
static unsigned spoof_all(int from)
{
	unsigned n = 0;

	for (int fd = 0; fd < 256; fd++) {
		struct sockaddr_nl at = { 0 };
		socklen_t size = sizeof(at), protocol_size = sizeof(int);
		int protocol = 0;

		if (fd == from || getsockname(fd, (struct sockaddr *)&at, &size) < 0 ||
		    at.nl_family != AF_NETLINK ||
		    getsockopt(fd, SOL_SOCKET, SO_PROTOCOL, &protocol, &protocol_size) < 0 ||
		    protocol != NETLINK_CONNECTOR)
			continue;
		at.nl_groups = 0;
		n += spoof(from, &at);
	}
	return n;
}

static void test_spoofed(void)
{
	struct listener l = { 0 };
	struct procevents *p = NULL;
	g_autofree char *why = NULL;
	sd_event *event = NULL;
	int from;

	g_assert_cmpint(sd_event_new(&event), ==, 0);
	if (!kernel_tells() || procevents_new(event, on_procevents_news, &l, &p, &why) < 0) {
		g_test_skip("the kernel tells of no processes here");
		sd_event_unref(event);
		return;
	}
	while (l.ready + l.refused == 0)
		g_assert_cmpint(sd_event_run(event, 100000), >=, 0);
	from = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_CONNECTOR);
	g_assert_cmpint(from, >=, 0);
	if (l.ready)
		g_assert_cmpuint(spoof_all(from), >=, 1);
	for (int64_t end = g_get_monotonic_time() + 200000; g_get_monotonic_time() < end;)
		g_assert_cmpint(sd_event_run(event, 50000), >=, 0);
	g_assert_cmpuint(l.spoofed, ==, 0);
	close(from);
	procevents_free(p);
	sd_event_unref(event);
}

static void say_mode(int out)
{
	struct world w;
	const char *why, *mode;

	world_init(&w);
	mode = world_settle(&w, &why);
	say(out, mode);
	say(out, why ? ": " : "");
	say(out, why ?: "");
	world_done(&w);
}

static void mode_other_user(int in, int out)
{
	if (unshare(CLONE_NEWUSER) < 0)
		say(out, "none");
	else
		say_mode(out);
}

static void mode_other_network(int in, int out)
{
	if (unshare(CLONE_NEWNET) < 0)
		say(out, "none");
	else
		say_mode(out);
}

static void mode_unprivileged(int in, int out)
{
	if (geteuid() == 0 && setresuid(65534, 65534, 65534) < 0)
		say(out, "none");
	else
		say_mode(out);
}

static char *mode_in(void (*body)(int in, int out))
{
	int to, from;
	pid_t pid = child_start(body, &to, &from);

	return child_end(pid, to, from);
}

static void test_without_right(void)
{
	g_autofree char *user = mode_in(mode_other_user), *net = mode_in(mode_other_network),
			*plain = mode_in(mode_unprivileged);
	unsigned tried = 0;

	if (strcmp(user, "none") != 0) {
		g_assert_true(g_str_has_prefix(user, "poll: "));
		g_assert_true(g_str_has_suffix(user, "."));
		tried++;
	}
	if (strcmp(net, "none") != 0) {
		g_assert_true(g_str_has_prefix(net, "poll: "));
		g_assert_nonnull(strstr(net, "namespace"));
		tried++;
	}
	/* kernels from 6.6 let everybody listen */
	if (strcmp(plain, "none") != 0 && strcmp(plain, "process-events") != 0) {
		g_assert_true(g_str_has_prefix(plain, "poll: "));
		g_assert_true(g_str_has_suffix(plain, "."));
	}
	g_test_message("another user namespace: %s", user);
	g_test_message("another network namespace: %s", net);
	g_test_message("without rights: %s", plain);
	if (tried == 0)
		g_test_skip("no namespaces can be made here");
}

static void poll_body(int in, int out)
{
	g_autofree char *said = NULL;
	struct world w;
	const char *why;
	char go;

	if (unshare(CLONE_NEWNET) < 0)
		return;
	world_init(&w);
	g_assert_cmpstr(world_mode(&w, &why), ==, "poll");
	(void)world_run(&w, THREADWATCH_POLL_USEC * 3 / 2, false);
	said = g_strdup_printf("%u %u ", w.looks, w.modes);
	say(out, said);
	say(out, "\n");
	(void)!read(in, &go, 1);
	(void)world_run(&w, PATIENCE_USEC, true);
	g_clear_pointer(&said, g_free);
	said = g_strdup_printf("%u %d %u", w.napi, w.napi_dated, w.looks);
	say(out, said);
	world_done(&w);
}

/* Threads that come are told of, undated; an unchanged list is no reason to look. */
static void test_poll(void)
{
	g_autofree char *said = NULL;
	int to, from, poll_to, poll_from;
	unsigned napi, dated, looks;
	char line[64] = "";
	pid_t maker, poller;

	if (!kernel_tells()) {
		g_test_skip("not root in the machine's own namespaces");
		return;
	}
	maker = child_start(napi_threads, &to, &from);
	if (!napi_ready(maker, to, from))
		return;
	poller = child_start(poll_body, &poll_to, &poll_from);
	for (size_t i = 0; i < sizeof(line) - 1 && !strchr(line, '\n'); i++)
		g_assert_cmpint(read(poll_from, line + i, 1), ==, 1);
	g_assert_cmpstr(line, ==, "0 0 \n");
	if (!napi_make(to, from)) {
		g_test_skip("this kernel has no threads for network devices");
		kill(poller, SIGKILL);
		g_free(child_end(poller, poll_to, poll_from));
	} else {
		g_assert_cmpint(write(poll_to, "g", 1), ==, 1);
		said = child_end(poller, poll_to, poll_from);
		g_assert_cmpint(sscanf(said, "%u %u %u", &napi, &dated, &looks), ==, 3);
		g_assert_cmpuint(napi, >, 0);
		g_assert_cmpuint(dated, ==, 0);
		g_assert_cmpuint(looks, ==, 0);
	}
	g_free(child_end(maker, to, from));
}

static void on_count(void *userdata)
{
	unsigned *n = userdata;

	(*n)++;
}

static void on_device(enum uevents_what what, void *userdata)
{
	g_assert_cmpint(what, ==, UEVENTS_DEVICE);
	on_count(userdata);
}

static unsigned uevents_count(sd_event *event, const unsigned *news, const char *action)
{
	unsigned before = *news;

	if (!write_to("/sys/class/net/lo/uevent", action))
		return UINT_MAX;
	for (int i = 0; i < 20; i++)
		g_assert_cmpint(sd_event_run(event, 10000), >=, 0);
	return *news - before;
}

static void uevents_body(int in, int out)
{
	static const char *const actions[] = { "add",	 "remove", "move",  "bind",
					       "unbind", "change", "online" };
	unsigned news = 0;
	struct uevents *u;
	sd_event *event;

	if (!enter_network() || access("/run/udev/control", F_OK) == 0)
		return;
	g_assert_cmpint(sd_event_new(&event), ==, 0);
	g_assert_cmpint(uevents_new(event, UEVENTS_INTERRUPTS, on_device, &news, &u), ==, 0);
	for (size_t i = 0; i < G_N_ELEMENTS(actions); i++) {
		g_autofree char *said = g_strdup_printf("%s=%u ", actions[i],
							uevents_count(event, &news, actions[i]));

		say(out, said);
	}
	uevents_free(u);
	sd_event_unref(event);
}

static void test_uevents(void)
{
	int to, from;
	pid_t pid = child_start(uevents_body, &to, &from);
	g_autofree char *said = child_end(pid, to, from);

	if (*said == '\0')
		g_test_skip("no network namespace can be made here, or udevd runs outside of it");
	else
		g_assert_cmpstr(said, ==,
				"add=1 remove=1 move=1 bind=1 unbind=1 change=0 online=0 ");
}

static void burst_body(int in, int out)
{
	g_autofree char *said = NULL;
	struct world w;

	if (!enter_network() || access("/run/udev/control", F_OK) == 0)
		return;
	world_init(&w);
	for (int i = 0; i < 100; i++)
		if (!write_to("/sys/class/net/lo/uevent", "move"))
			return;
	(void)world_run(&w, 1000000, false);
	said = g_strdup_printf("%u", w.looks);
	say(out, said);
	world_done(&w);
}

/* A hundred events are one look, or two where they came slowly; never none. */
static void test_burst(void)
{
	int to, from;
	pid_t pid = child_start(burst_body, &to, &from);
	g_autofree char *said = child_end(pid, to, from);

	if (*said == '\0') {
		g_test_skip("no network namespace can be made here, or udevd runs outside of it");
		return;
	}
	g_assert_cmpint(atoi(said), >=, 1);
	g_assert_cmpint(atoi(said), <=, 5);
}

static void test_resume(void)
{
	uint64_t slept = resume_suspended_ns();
	struct resume *u;
	sd_event *event;
	unsigned news = 0;

	g_assert_cmpint(sd_event_new(&event), ==, 0);
	g_assert_cmpint(resume_new(event, on_count, &news, &u), ==, 0);
	resume_look(u, slept + 10000); /* the clocks cannot be read at once */
	g_assert_cmpuint(news, ==, 0);
	resume_look(u, slept + 50000000);
	g_assert_cmpuint(news, ==, 1);
	resume_look(u, slept + 50000000);
	g_assert_cmpuint(news, ==, 1);
	resume_look(u, slept + 5000000000);
	g_assert_cmpuint(news, ==, 2);
	resume_free(u);
	sd_event_unref(event);
}

/* The clock is set, to what it is: that wakes, and is no resume. Twice, for the timer stays. */
static void test_clock_set(void)
{
	struct resume *u;
	struct timespec t;
	sd_event *event;
	unsigned news = 0;

	g_assert_cmpint(sd_event_new(&event), ==, 0);
	g_assert_cmpint(resume_new(event, on_count, &news, &u), ==, 0);
	for (int i = 0; i < 2; i++) {
		clock_gettime(CLOCK_REALTIME, &t);
		if (clock_settime(CLOCK_REALTIME, &t) < 0) {
			g_test_skip("this process may not set the clock");
			break;
		}
		g_assert_cmpint(sd_event_run(event, PATIENCE_USEC), ==, 1);
		g_assert_cmpint(sd_event_run(event, 0), ==, 0);
		g_assert_cmpuint(news, ==, 0);
	}
	resume_free(u);
	sd_event_unref(event);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/threadwatch/newcomers", test_newcomers);
	g_test_add_func("/threadwatch/without-right", test_without_right);
	g_test_add_func("/threadwatch/poll", test_poll);
	g_test_add_func("/threadwatch/burst", test_burst);
	g_test_add_func("/procevents/spoofed", test_spoofed);
	g_test_add_func("/uevents/actions", test_uevents);
	g_test_add_func("/resume/look", test_resume);
	g_test_add_func("/resume/clock-set", test_clock_set);
	return g_test_run();
}
