/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines are looked up by their names: their order and number differ between kernels and grow with
 * each. The names that are asked for have been there for longer than any kernel this runs on.
 */
#include "proc-counters.h"

#include <errno.h>
#include <string.h>

#include "proc-line.h"

static bool line_counter(struct proc_line line, uint64_t *ret)
{
	return proc_line_number(&line, ret);
}

/* user nice system idle iowait irq softirq steal; guest times are in user and nice already. */
static bool stat_cpu(struct proc_line line, struct proc_stat *s)
{
	uint64_t ticks, sum = 0;

	for (int i = 0; i < 8; i++) {
		if (!proc_line_number(&line, &ticks))
			return i >= 4; /* kernels before steal time */
		sum += ticks;
		s->total_ticks = sum;
		if (i == 7)
			s->steal_ticks = ticks;
	}
	return true;
}

int proc_stat_parse(const char *text, size_t size, struct proc_stat *ret)
{
	struct proc_text t = { .at = text, .left = size };
	struct proc_stat s = { 0 };
	struct proc_line line;
	unsigned seen = 0;

	while (proc_text_line(&t, &line)) {
		bool good = true;

		if (proc_line_word(&line, "cpu"))
			seen |= 1, good = stat_cpu(line, &s);
		else if (proc_line_word(&line, "ctxt"))
			seen |= 2, good = line_counter(line, &s.context_switches);
		else if (proc_line_word(&line, "processes"))
			seen |= 4, good = line_counter(line, &s.forks);
		else if (proc_line_word(&line, "intr"))
			seen |= 8, good = line_counter(line, &s.interrupts);
		if (!good)
			return -EBADMSG;
	}
	if (seen != 15)
		return -EBADMSG;
	*ret = s;
	return 0;
}

int proc_vmstat_parse(const char *text, size_t size, struct proc_vmstat *ret)
{
	struct proc_text t = { .at = text, .left = size };
	struct proc_vmstat v = { 0 };
	struct proc_line line;
	unsigned seen = 0;

	while (proc_text_line(&t, &line)) {
		bool good = true;

		if (proc_line_word(&line, "pgpgin"))
			seen |= 1, good = line_counter(line, &v.read_kib);
		else if (proc_line_word(&line, "pgpgout"))
			seen |= 2, good = line_counter(line, &v.written_kib);
		else if (proc_line_word(&line, "nr_dirtied"))
			seen |= 4, good = line_counter(line, &v.dirtied_pages);
		if (!good)
			return -EBADMSG;
	}
	if (seen != 7)
		return -EBADMSG;
	*ret = v;
	return 0;
}

/* "  eth0: bytes packets errs ...": long values stand right behind the colon; the name may have
 * colons. */
static bool netdev_line(struct proc_line line, struct proc_netdev *ret)
{
	const char *colon = memrchr(line.at, ':', line.left);
	uint64_t bytes;
	size_t length;

	if (!colon)
		return false;
	proc_line_skip_blanks(&line);
	if (line.at >= colon)
		return false;
	length = colon - line.at;
	if (length >= sizeof(ret->name))
		return false;
	memcpy(ret->name, line.at, length);
	ret->name[length] = '\0';
	line.left -= colon + 1 - line.at;
	line.at = colon + 1;
	return proc_line_number(&line, &bytes) && proc_line_number(&line, &ret->received);
}

int proc_net_dev_parse(const char *text, size_t size, GArray **ret)
{
	g_autoptr(GArray) devices = g_array_new(FALSE, TRUE, sizeof(struct proc_netdev));
	struct proc_text t = { .at = text, .left = size };
	struct proc_line line;

	for (unsigned n = 0; proc_text_line(&t, &line); n++) {
		struct proc_netdev d = { 0 };

		if (n < 2) { /* two lines of titles, with bars and no counters */
			if (!memchr(line.at, '|', line.left))
				return -EBADMSG;
			continue;
		}
		if (!netdev_line(line, &d))
			return -EBADMSG;
		g_array_append_val(devices, d);
	}
	*ret = g_steal_pointer(&devices);
	return 0;
}

bool proc_counter_delta(uint64_t before, uint64_t after, uint64_t *ret)
{
	if (after >= before) {
		*ret = after - before;
		return true;
	}
	if (before > UINT32_MAX || (uint32_t)(after - before) > UINT32_MAX / 2)
		return false;
	*ret = (uint32_t)(after - before);
	return true;
}
