/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why a timer: the kernel has no news of a resume for ordinary programs, and a session manager that
 * has (logind) is missing on small boards. But a timerfd of CLOCK_REALTIME that asks to be
 * cancelled when the clock is set is cancelled by a resume too: timekeeping_resume() ends in
 * timerfd_resume() (until 5.14: in hrtimers_resume(), which says the clock was set), and that
 * cancels when the offset of real time to CLOCK_MONOTONIC is another, which it is by the time
 * slept. A machine that learns the time slept from its RTC only does the same a moment later.
 *
 * Which of the two it was tells CLOCK_BOOTTIME - CLOCK_MONOTONIC, which grows by suspends alone.
 */
#include "resume.h"

#include "cleanup.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/timerfd.h>
#include <time.h>

#define NSEC_PER_SEC  UINT64_C(1000000000)
#define RESUME_NS     UINT64_C(1000000) /* slept at least; reading the clocks is better than that */
#define RESUME_GAP_NS UINT64_C(100000)	/* between two reads of a clock that count */
#define RESUME_TRIES  10
#define RESUME_NEVER  ((time_t)(sizeof(time_t) > 4 ? INT64_MAX : INT32_MAX))

struct resume {
	resume_news_t news;
	void *userdata;
	uint64_t suspended_ns;
	fd_t fd;
	sd_event_source *io;
};

static uint64_t resume_clock(clockid_t id)
{
	struct timespec t;

	(void)clock_gettime(id, &t); /* cannot fail: both clocks are older than timerfd */
	return (uint64_t)t.tv_sec * NSEC_PER_SEC + (uint64_t)t.tv_nsec;
}

/* Between two reads of CLOCK_MONOTONIC that lie close together; the closest of some. */
uint64_t resume_suspended_ns(void)
{
	uint64_t closest = UINT64_MAX, suspended = 0;

	for (int i = 0; i < RESUME_TRIES && closest > RESUME_GAP_NS; i++) {
		uint64_t before = resume_clock(CLOCK_MONOTONIC);
		uint64_t boot = resume_clock(CLOCK_BOOTTIME);
		uint64_t gap = resume_clock(CLOCK_MONOTONIC) - before;

		if (gap >= closest)
			continue;
		closest = gap;
		suspended = boot - MIN(boot, before + gap / 2);
	}
	return suspended;
}

void resume_look(struct resume *u, uint64_t suspended_ns)
{
	bool slept = suspended_ns >= u->suspended_ns + RESUME_NS;

	u->suspended_ns = suspended_ns;
	if (slept)
		u->news(u->userdata);
}

static int resume_arm(struct resume *u)
{
	const struct itimerspec never = { .it_value.tv_sec = RESUME_NEVER };

	/* cancelled means armed, and that the clock was set before: whoever calls this looks then
	 */
	if (timerfd_settime(u->fd, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &never, NULL) < 0 &&
	    errno != ECANCELED)
		return -errno;
	return 0;
}

static int on_resume(sd_event_source *s, int fd, uint32_t revents, void *userdata)
{
	struct resume *u = userdata;
	uint64_t expired;
	int r;

	if (read(fd, &expired, sizeof(expired)) < 0 && errno != ECANCELED)
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	/* armed anew: by then it may have expired, the clock set to far away */
	r = resume_arm(u);
	resume_look(u, resume_suspended_ns());
	return r;
}

int resume_new(sd_event *event, resume_news_t news, void *userdata, struct resume **ret)
{
	struct resume *u = g_new0(struct resume, 1);
	int r = 0;

	u->news = news;
	u->userdata = userdata;
	u->suspended_ns = resume_suspended_ns();
	u->fd = timerfd_create(CLOCK_REALTIME, TFD_NONBLOCK | TFD_CLOEXEC);
	if (u->fd < 0)
		r = -errno;
	if (r >= 0)
		r = resume_arm(u);
	if (r >= 0)
		r = sd_event_add_io(event, &u->io, u->fd, EPOLLIN, on_resume, u);
	if (r < 0) {
		resume_free(u);
		return r;
	}
	*ret = u;
	return 0;
}

struct resume *resume_free(struct resume *u)
{
	if (!u)
		return NULL;
	sd_event_source_disable_unref(u->io);
	fd_close(u->fd);
	g_free(u);
	return NULL;
}
