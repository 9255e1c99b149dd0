/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why a region is waited for and its child killed before it is read: until the lock on it is free,
 * somebody may still write, and a session that is told as interrupted must not have a measurement
 * running on behind it. A pid alone is no proof, pids are used again: the process must run our
 * program, and the lock on our region must still be held.
 *
 * A region of a killed measurement is not closed here as a stage closes one it has killed itself:
 * when exactly it died is not known, and grid points after its death were never awaited by anybody.
 * What was seen stands; count + missed = corrected count holds for it all the same.
 */
#include "recover.h"

#include "baseline.h"
#include "cleanup.h"
#include "clock.h"
#include "drain.h"
#include "log.h"
#include "plan.h"
#include "regionfile.h"
#include "sessionlog.h"
#include "verdict.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#define RECOVER_WAIT_NS	 (2 * NSEC_PER_SEC)
#define RECOVER_PAUSE_US 5000

struct plan *recover_plan(const struct result *r, bool wishes, char **ret_message)
{
	g_autoptr(GPtrArray) problems = problems_new();
	struct plan *p;
	const char *key;
	json_t *value;

	p = plan_parse(r->plan, r->plan_text, strlen(r->plan_text), r->plan, problems);
	if (!p) {
		*ret_message = problems_format(problems);
		return NULL;
	}
	if (!wishes)
		return p;
	json_object_foreach (r->overrides, key, value) {
		if (plan_override(p, key, json_string_value(value), ret_message) < 0) {
			plan_free(p);
			return NULL;
		}
	}
	return p;
}

/* Is @pid a process of our measuring program? */
static bool recover_is_measure(pid_t pid, const char *measure_path)
{
	g_autofree char *link = g_strdup_printf("/proc/%d/exe", pid);
	struct stat exe, ours;

	return pid > 1 && stat(link, &exe) == 0 && stat(measure_path, &ours) == 0 &&
	       exe.st_dev == ours.st_dev && exe.st_ino == ours.st_ino;
}

static bool recover_lock_within(int fd, uint64_t wait_ns)
{
	uint64_t end_ns = clock_mono_ns() + wait_ns;

	while (flock(fd, LOCK_EX | LOCK_NB) < 0) {
		if (clock_mono_ns() >= end_ns)
			return false;
		g_usleep(RECOVER_PAUSE_US);
	}
	return true;
}

/* Until nobody else has the region: it dies with its daemon, and is helped along if it does not. */
static void recover_await(const struct session_place *place, int fd, pid_t child, const char *id)
{
	if (recover_lock_within(fd, RECOVER_WAIT_NS))
		return;
	if (recover_is_measure(child, place->measure_path)) {
		log_write(LOG_WARNING, id,
			  "lrtbf-measure (process %d) outlived its daemon, killing it", child);
		(void)kill(child, SIGKILL); /* gone meanwhile: good */
	}
	if (!recover_lock_within(fd, RECOVER_WAIT_NS))
		log_write(LOG_WARNING, id,
			  "The result region is still in use, reading it all the same");
}

static struct result_stage *recover_stage(struct result *r, unsigned index)
{
	struct result_stage *stage;

	for (guint i = 0; i < r->stages->len; i++) {
		stage = r->stages->pdata[i];
		if (stage->index == index)
			return stage;
	}
	stage = result_stage_new();
	stage->index = index;
	g_free(stage->name);
	stage->name = g_strdup_printf("stage %u", index + 1);
	g_ptr_array_add(r->stages, stage);
	return stage;
}

/* Name, load and time of a stage, when it died before the store had them. */
static void recover_describe(struct result_stage *stage, const struct plan *plan)
{
	const struct plan_stage *spec;

	if (!plan || stage->index >= plan_stage_count(plan) || stage->planned_ns > 0)
		return;
	spec = plan_stage_at(plan, stage->index, &stage->repeat);
	g_free(stage->name);
	g_free(stage->load);
	stage->name = g_strdup(spec->name);
	stage->load = g_strdup(spec->load);
	stage->planned_ns = spec->duration_ns;
}

static void recover_fold(const struct session_place *place, struct result *r,
			 const struct plan *plan, const struct regionfile *f)
{
	g_auto(fd_t) fd = open(f->path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct result_stage *stage = recover_stage(r, f->stage);
	struct drain *d;
	int n;

	/* it had ended: the store has it as it was judged, with what its end added */
	if (stage->verdict != VERDICT_EMPTY)
		return;
	if (fd < 0 || (n = drain_new(fd, &d)) < 0) {
		log_write(LOG_WARNING, r->id,
			  "Region %s cannot be read, its figures since the last "
			  "checkpoint are lost: %s",
			  f->path, g_strerror(fd < 0 ? errno : -n));
		return;
	}
	recover_await(place, fd, drain_header(d)->child_pid, r->id);
	recover_describe(stage, plan);
	stage->complete = drain_header(d)->phase == REGION_ENDED;
	if (drain_read(d, stage) < 0)
		log_write(LOG_WARNING, r->id, "Region %s is damaged", f->path);
	if (r->started_usec == 0)
		r->started_usec = stage->started_usec;
	drain_free(d);
}

static void recover_judge(struct store *store, struct result *r, const struct plan *plan)
{
	for (guint i = 0; i < r->stages->len; i++) {
		struct result_stage *stage = r->stages->pdata[i];
		g_autoptr(GArray) limits = NULL;

		if (stage->verdict != VERDICT_EMPTY)
			continue; /* it had ended */
		limits = baseline_limits(store, r, plan, stage);
		verdict_findings(stage, plan, limits);
		verdict_stage(stage, limits);
		sessionlog_limits(r, stage);
	}
	verdict_session(r, plan);
}

/* One that was measuring. Everything that is left of it goes into the store. */
static void recover_session(const struct session_place *place, struct result *r,
			    const GPtrArray *files)
{
	g_autofree char *message = NULL;
	struct plan *plan = recover_plan(r, true, &message);

	for (guint i = 0; i < files->len; i++) {
		const struct regionfile *f = files->pdata[i];

		if (strcmp(f->id, r->id) == 0)
			recover_fold(place, r, plan, f);
	}
	g_free(r->reason);
	g_free(r->reason_id);
	r->reason = g_strdup_printf(
		"lrtbfd or the machine went down while this session measured; it has the samples "
		"up to then.%s",
		*r->plan_text ? ""
			      : " Nothing else of it had reached the disk, not even its plan.");
	r->reason_id = g_strdup("");
	r->state = SESSION_INTERRUPTED;
	recover_judge(place->store, r, plan);
	r->finished_usec = clock_real_usec();
	for (guint i = 0; i < r->stages->len; i++)
		(void)store_put_stage(place->store, r->id, r->stages->pdata[i]);
	(void)store_put_session(place->store, r); /* no memory is the only way these fail */
	plan_free(plan);
	sessionlog_recovered(r);
}

/*
 * The session of a region that the store knows nothing of: a daemon that could not write at all was
 * killed. There is no plan, but there are samples. @ret stays NULL when the store knows it, or
 * nothing was measured. -errno: whether the store knows it cannot be said.
 */
static int recover_adopt(const struct session_place *place, const struct regionfile *f,
			 struct result **ret)
{
	g_auto(fd_t) fd = open(f->path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	g_autofree char *message = NULL;
	uint64_t start_mono_ns, start_real_ns;
	struct result *r = NULL;
	struct drain *d;
	int q = store_get(place->store, f->id, &r, &message);

	if (q != -ENOENT) {
		result_free(r);
		return q;
	}
	if (fd < 0 || drain_new(fd, &d) < 0)
		return 0;
	start_mono_ns = drain_header(d)->start_mono_ns;
	start_real_ns = drain_header(d)->start_real_ns;
	drain_free(d);
	if (start_mono_ns == 0)
		return 0;
	r = result_new();
	g_free(r->id);
	g_free(r->plan);
	r->id = g_strdup(f->id);
	r->plan = g_strdup("unknown");
	r->state = SESSION_RUNNING;
	r->created_usec = start_real_ns / NSEC_PER_USEC;
	(void)store_put_session(place->store, r); /* first, or its stages have nothing to hang on */
	*ret = r;
	return 0;
}

/*
 * A region whose session has ended or never began: its writer is ended, the file is removed; unless
 * it is @dear, because its session may have nothing else.
 */
static void recover_stray(const struct session_place *place, const struct regionfile *f, bool dear)
{
	g_auto(fd_t) fd = open(f->path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct drain *d;

	if (fd >= 0 && drain_new(fd, &d) >= 0) {
		recover_await(place, fd, drain_header(d)->child_pid, f->id);
		drain_free(d);
	}
	if (dear)
		log_write(LOG_WARNING, f->id, "Region %s is left alone: its session cannot be read",
			  f->path);
	else
		(void)unlink(f->path); /* tried again at the next start */
}

static bool recover_known(const GPtrArray *results, const char *id)
{
	for (guint i = 0; i < results->len; i++) {
		const struct result *r = results->pdata[i];

		if (strcmp(r->id, id) == 0)
			return true;
	}
	return false;
}

/*
 * Did it still wait? One with a region had begun, whatever the store says: a daemon that could not
 * write any more was killed.
 */
static bool recover_waited(const struct result *r, const GPtrArray *files)
{
	if (r->state != SESSION_QUEUED)
		return false;
	for (guint i = 0; i < files->len; i++) {
		const struct regionfile *f = files->pdata[i];

		if (strcmp(f->id, r->id) == 0)
			return false;
	}
	return true;
}

int recover(const struct session_place *place, GPtrArray **ret_queued, GPtrArray **ret_regions,
	    char **ret_message)
{
	g_autoptr(GPtrArray) unfinished = NULL;
	g_autoptr(GPtrArray) files = NULL;
	GPtrArray *queued, *regions;
	int r;

	r = store_unfinished(place->store, &unfinished, ret_message);
	if (r < 0)
		return r;
	if (*ret_message) {
		log_warning("Of sessions that had not ended: %s", *ret_message);
		g_clear_pointer(ret_message, g_free);
	}
	files = regionfile_list(place->runtime_dir, place->tag);
	queued = g_ptr_array_new_with_free_func((GDestroyNotify)result_free);
	regions = g_ptr_array_new_with_free_func(g_free);
	for (guint i = 0; i < files->len; i++) {
		const struct regionfile *f = files->pdata[i];
		bool known = recover_known(unfinished, f->id);
		struct result *adopted = NULL;

		r = known ? 0 : recover_adopt(place, f, &adopted);

		if (adopted)
			g_ptr_array_add(unfinished, adopted);
		if (known || adopted)
			g_ptr_array_add(regions, g_strdup(f->path));
		else
			recover_stray(place, f, r < 0);
	}
	for (guint i = 0; i < unfinished->len; i++) {
		struct result *result = unfinished->pdata[i];

		if (recover_waited(result, files))
			g_ptr_array_add(queued, result_copy(result));
		else
			recover_session(place, result, files);
	}
	*ret_queued = queued;
	*ret_regions = regions;
	return 0;
}
