/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Following new kernel threads while processes fork as fast as this machine can: how many forks a
 * second, how many of the threads made meanwhile were told of, what the watcher's process takes of
 * a CPU and how often it wakes. Beside it, in the same run: nobody listening, a listener of process
 * events without a filter in the kernel, and forkstat(8) where it is installed. Needs root in the
 * machine's own namespaces. Devices are made in a network namespace of its own.
 */
#include "threadwatch.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <linux/cn_proc.h>
#include <linux/connector.h>
#include <linux/netlink.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define SECONDS 5
#define DEVICES 20 /* each with some threads, one after the other over the time */

/* Shared by all processes of one round. */
struct tally {
	volatile int ready; /* the watcher listens */
	volatile int stop;
	volatile unsigned long forks[CPU_SETSIZE];
	volatile unsigned long wakes, seen, slowest_us;
	volatile unsigned long made;
};

static bool is_ours(pid_t tid)
{
	g_autofree char *path = g_strdup_printf("/proc/%d/comm", tid), *comm = NULL;

	return g_file_get_contents(path, &comm, NULL, NULL) && g_str_has_prefix(comm, "napi/forks");
}

static void on_news(enum threadwatch_news what, const struct threadwatch_newcomer *n,
		    void *userdata)
{
	struct tally *t = userdata;

	if (what != THREADWATCH_THREAD || !is_ours(n->tid))
		return;
	t->seen++;
	t->slowest_us =
		MAX(t->slowest_us, (unsigned long)g_get_monotonic_time() - n->created_ns / 1000);
}

static void watch_filtered(struct tally *t)
{
	struct threadwatch *w;
	const char *why;
	sd_event *event;

	if (sd_event_new(&event) < 0 || threadwatch_new(event, on_news, t, &w) < 0)
		_exit(1);
	while (strcmp(threadwatch_mode(w, &why), "starting") == 0)
		if (sd_event_run(event, 100000) < 0)
			_exit(1);
	if (why) {
		printf("# no process events here: %s\n", why);
		fflush(stdout);
		_exit(77);
	}
	t->ready = 1;
	while (!t->stop)
		t->wakes += sd_event_run(event, 100000) > 0;
	threadwatch_free(w);
	sd_event_unref(event);
}

/* What most programs do: take every event, look at its kind. */
static void watch_unfiltered(struct tally *t)
{
	struct {
		struct nlmsghdr head;
		uint32_t idx, val, seq, ack; /* struct cn_msg */
		uint16_t len, flags;
		enum proc_cn_mcast_op wish;
	} listen = { .head = { .nlmsg_len = sizeof(listen), .nlmsg_type = NLMSG_DONE },
		     .idx = CN_IDX_PROC,
		     .val = CN_VAL_PROC,
		     .len = sizeof(listen.wish),
		     .wish = PROC_CN_MCAST_LISTEN };
	struct sockaddr_nl at = { .nl_family = AF_NETLINK, .nl_groups = CN_IDX_PROC };
	int fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_NONBLOCK, NETLINK_CONNECTOR);
	struct pollfd p = { .fd = fd, .events = POLLIN };
	char buffer[1024];

	if (bind(fd, (struct sockaddr *)&at, sizeof(at)) < 0 ||
	    send(fd, &listen, sizeof(listen), 0) < 0)
		_exit(77);
	t->ready = 1;
	while (!t->stop) {
		if (poll(&p, 1, 100) <= 0)
			continue;
		t->wakes++;
		while (recv(fd, buffer, sizeof(buffer), 0) > 0 || errno == ENOBUFS) {
			struct proc_event e;

			errno = 0;
			memcpy(&e, buffer + NLMSG_LENGTH(sizeof(struct cn_msg)), sizeof(e));
			if ((uint32_t)e.what == PROC_EVENT_FORK &&
			    e.event_data.fork.parent_tgid == 2)
				t->seen++;
		}
	}
	close(fd);
}

static void watch_forkstat(struct tally *t)
{
	char *seconds = g_strdup_printf("%d", SECONDS + 1);
	int null = open("/dev/null", O_WRONLY);

	dup2(null, STDOUT_FILENO);
	t->ready = 1;
	execlp("forkstat", "forkstat", "-e", "fork", "-D", seconds, NULL);
	_exit(77);
}

static void fork_all_the_time(struct tally *t, int cpu)
{
	while (!t->stop) {
		pid_t pid = vfork();

		if (pid == 0)
			_exit(0);
		if (pid > 0)
			waitpid(pid, NULL, 0);
		t->forks[cpu]++;
	}
}

/* Names of threads below kthreadd that are ours. */
static unsigned long count_ours(void)
{
	g_autofree char *text = NULL;
	g_auto(GStrv) ids = NULL;
	unsigned long n = 0;

	if (!g_file_get_contents("/proc/2/task/2/children", &text, NULL, NULL))
		return 0;
	ids = g_strsplit(g_strchomp(text), " ", -1);
	for (char **id = ids; *id; id++)
		n += is_ours(atoi(*id));
	return n;
}

static void make_threads(struct tally *t)
{
	if (unshare(CLONE_NEWNET | CLONE_NEWNS) < 0 ||
	    mount("none", "/", "none", MS_REC | MS_PRIVATE, NULL) < 0 ||
	    mount("sysfs", "/sys", "sysfs", 0, NULL) < 0)
		_exit(1);
	for (int i = 0; i < DEVICES && !t->stop; i++) {
		g_autofree char *command =
			g_strdup_printf("ip link add forks%d type vxlan id %d dstport %d && ip "
					"link set forks%d up && "
					"echo 1 >/sys/class/net/forks%d/threaded",
					i, i + 1, 4800 + i, i, i);

		if (system(command) != 0)
			break;
		g_usleep((SECONDS - 2) * G_USEC_PER_SEC / DEVICES);
	}
	t->made = count_ours();
	while (!t->stop)
		g_usleep(10000);
}

static pid_t start(void (*body)(struct tally *t), struct tally *t)
{
	pid_t pid = fork();

	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		body(t);
		_exit(0);
	}
	return pid;
}

static double seconds_of(const struct rusage *u)
{
	return (double)(u->ru_utime.tv_sec + u->ru_stime.tv_sec) +
	       (double)(u->ru_utime.tv_usec + u->ru_stime.tv_usec) / 1e6;
}

static void storms_start(struct tally *t, pid_t *pids, long cpus)
{
	for (int cpu = 0; cpu < cpus; cpu++) {
		pids[cpu] = fork();
		if (pids[cpu] == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			fork_all_the_time(t, cpu);
			_exit(0);
		}
	}
}

/* Forks a second; 0: this watcher cannot be had here. */
static double bench(const char *name, void (*watcher)(struct tally *t), double alone)
{
	struct tally *t =
		mmap(NULL, sizeof(*t), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	long cpus = MIN(sysconf(_SC_NPROCESSORS_ONLN), CPU_SETSIZE);
	g_autofree pid_t *storm = g_new(pid_t, cpus);
	pid_t watch = watcher ? start(watcher, t) : -1, maker;
	unsigned long forks = 0;
	struct rusage used = { 0 };
	int64_t begin;
	double took;
	int status = 0;

	while (watcher && !t->ready && waitpid(watch, &status, WNOHANG) == 0)
		g_usleep(1000);
	if (watcher && !t->ready) {
		printf("%-24s not here\n", name);
		return 0;
	}
	begin = g_get_monotonic_time();
	storms_start(t, storm, cpus);
	maker = start(make_threads, t);
	g_usleep(SECONDS * G_USEC_PER_SEC);
	for (long cpu = 0; cpu < cpus; cpu++)
		forks += t->forks[cpu];
	took = (double)(g_get_monotonic_time() - begin) / 1e6;
	t->stop = 1;
	for (long cpu = 0; cpu < cpus; cpu++)
		waitpid(storm[cpu], NULL, 0);
	waitpid(maker, NULL, 0);
	if (watcher)
		wait4(watch, &status, 0, &used);
	if (watcher && WIFEXITED(status) && WEXITSTATUS(status) == 77) {
		printf("%-24s not here\n", name);
		return 0;
	}
	printf("%-24s %8.0f forks/s", name, forks / took);
	if (alone > 0)
		printf(" (%5.1f %%)", 100 * forks / took / alone);
	if (watcher)
		printf("  %6.2f %% of a CPU", 100 * seconds_of(&used) / took);
	if (t->wakes > 0)
		printf("  %6lu wake-ups", t->wakes);
	if (watcher == watch_filtered)
		printf("  %lu of %lu threads seen, slowest after %.1f ms", t->seen, t->made,
		       t->slowest_us / 1e3);
	printf("\n");
	fflush(stdout);
	munmap(t, sizeof(*t));
	return (double)forks / took;
}

int main(void)
{
	double alone;

	if (geteuid() != 0) {
		printf("needs root\n");
		return 77;
	}
	alone = bench("nobody listens", NULL, 0);
	if (bench("threadwatch", watch_filtered, alone) == 0)
		return 77;
	bench("listener, no filter", watch_unfiltered, alone);
	bench("forkstat -e fork", watch_forkstat, alone);
	return 0;
}
