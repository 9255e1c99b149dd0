/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The thread owns the result until it has ended, the event loop from then on. Nothing else is
 * shared. Modes are set whatever the umask, as files that others could write would
 * be refused when they are read.
 */
#include "filejob.h"

#include "cleanup.h"
#include "quietthread.h"
#include "replacefile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>

#define FILEJOB_FILE_MODE 0644
#define FILEJOB_DIR_MODE  0755

struct filejob {
	char *dir, *name, *text; /* @text NULL: remove */
	filejob_done_t done;
	void *userdata;
	struct quietthread thread;
	sd_event_source *source;
	int r; /* the thread's, until then */
};

/* --- the thread --- */

static int job_remove(const struct filejob *j)
{
	g_auto(fd_t) fd = open(j->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return errno == ENOENT ? 0 : -errno;
	if ((unlinkat(fd, j->name, 0) < 0 && errno != ENOENT) || fsync(fd) < 0)
		return -errno;
	(void)rmdir(j->dir); /* others' drop-ins stay, and their folder */
	return 0;
}

static int job_write(const struct filejob *j)
{
	bool made = access(j->dir, F_OK) < 0;
	g_auto(fd_t) fd = -1;

	if (g_mkdir_with_parents(j->dir, FILEJOB_DIR_MODE) < 0)
		return -errno;
	fd = open(j->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || (made && fchmod(fd, FILEJOB_DIR_MODE) < 0))
		return -errno;
	return replacefile_write(fd, j->name, j->text, FILEJOB_FILE_MODE, true);
}

static void job_run(void *userdata)
{
	struct filejob *j = userdata;

	j->r = j->text ? job_write(j) : job_remove(j);
}

/* --- the event loop --- */

static int on_filejob(sd_event_source *source, int fd, uint32_t revents, void *userdata)
{
	struct filejob *j = userdata;

	quietthread_join(&j->thread);
	(void)sd_event_source_set_enabled(j->source, SD_EVENT_OFF);
	j->done(j->r, j->userdata);
	return 0;
}

int filejob_new(sd_event *event, const char *dir, const char *name, const char *text,
		filejob_done_t done, void *userdata, struct filejob **ret)
{
	struct filejob *j = g_new0(struct filejob, 1);
	int r;

	j->dir = g_strdup(dir);
	j->name = g_strdup(name);
	j->text = g_strdup(text);
	j->done = done;
	j->userdata = userdata;
	r = quietthread_init(&j->thread);
	if (r >= 0)
		r = sd_event_add_io(event, &j->source, j->thread.fd, EPOLLIN, on_filejob, j);
	if (r >= 0)
		r = quietthread_start(&j->thread, job_run, j);
	if (r < 0) {
		filejob_free(j);
		return r;
	}
	*ret = j;
	return 0;
}

struct filejob *filejob_free(struct filejob *j)
{
	if (!j)
		return NULL;
	sd_event_source_disable_unref(j->source);
	quietthread_done(&j->thread);
	g_free(j->dir);
	g_free(j->name);
	g_free(j->text);
	g_free(j);
	return NULL;
}
