/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The region's reader on hostile bytes. The first byte says how to take the rest: 0: as the file;
 * else as changes to a good region of two CPUs: offset (4 bytes, little-endian), length (1), bytes.
 */
#include "region.h"
#include "portfacts.h"

#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void record_some(struct region_cpu *c)
{
	c->interval_ns = 1000000;
	c->grid_ns = c->next_ns = 1000000000;
	c->started = 1;
	c->port = (struct region_port){ .known = 1, .role = ROLE_LOGGER, .tid = 5, .irq = 7 };
	c->figures.has_grid = 1;
	for (uint64_t i = 0; i < 100; i++)
		region_record(c, i * i * 1000, i * 1000000000, 0);
}

static size_t region_changed(char *map, const uint8_t *data, size_t size)
{
	size_t whole = region_size(2);
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(0, &cpus);
	CPU_SET(5, &cpus);
	memset(map, 0, whole);
	region_format(map, &cpus);
	record_some(region_cpu((struct region_header *)map, 0));
	while (size > 5) {
		uint32_t offset = data[0] | data[1] << 8 | data[2] << 16 | (uint32_t)data[3] << 24;
		size_t n = MIN(data[4], size - 5);

		offset %= whole;
		n = MIN(n, whole - offset);
		memcpy(map + offset, data + 5, n);
		data += 5 + n;
		size -= 5 + n;
	}
	return whole;
}

/* Everything a reader does with what it was given. */
static void use(struct region_cpu *c)
{
	g_autofree struct figures *sum = figures_new();
	json_t *facts = portfacts_add(portfacts_add(NULL, c->cpu, &c->port), 1, &c->port);
	uint64_t ns;
	double d;

	g_strfreev(portfacts_lines(facts));
	json_decref(facts);
	region_close_cpu(c, c->next_ns + 5000000);
	figures_add(sum, &c->figures);
	figures_add(sum, &c->figures);
	figures_mean_ns(sum, &d);
	figures_stddev_ns(sum, &d);
	figures_corrected_mean_ns(sum, &d);
	for (const struct figures_percentile *p = figures_percentiles; p->name; p++) {
		figures_percentile_ns(sum, p->ppm, false, &ns);
		figures_percentile_ns(sum, p->ppm, true, &ns);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t page = sysconf(_SC_PAGESIZE), room;
	g_autofree struct region_cpu *c = g_new(struct region_cpu, 1);
	char *map;

	if (size == 0)
		return 0;
	room = data[0] == 0 ? size - 1 : region_size(2);
	room = MAX((room + page - 1) / page * page, page);
	map = g_aligned_alloc0(1, room, page);
	if (data[0] == 0) {
		memcpy(map, data + 1, size - 1);
		room = size - 1;
	} else {
		room = region_changed(map, data + 1, size - 1);
	}
	for (unsigned i = 0; i < 3; i++)
		if (region_read_cpu(map, room, i, c) >= 0)
			use(c);
	g_aligned_free(map);
	return 0;
}
