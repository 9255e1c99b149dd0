/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What there is of every CPU and thread is put together before it is compared, so that 256 CPUs
 * with another governor are one line, and a thread is known by its name, as its number is not the
 * same after the next boot.
 */
#include "conditionsdiff-internal.h"

#include "cpulist.h"
#include "value.h"

#include <string.h>

#define CONDITIONSDIFF_THREADS 12 /* threads named one by one */

/* Of each CPU, put together: "0-3 performance, 4 powersave". */
static const struct {
	const char *what, *key;
	enum condition_weight weight;
} cpu_conditions[] = {
	{ "governor", "governor", CONDITION_COSTLY },
	{ "frequency_driver", "frequency_driver", CONDITION_OTHER },
	{ "min_khz", "min_khz", CONDITION_OTHER },
	{ "max_khz", "max_khz", CONDITION_OTHER },
	{ "siblings", "siblings", CONDITION_OTHER },
};

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static GPtrArray *sorted_keys(GHashTable *table)
{
	GPtrArray *keys = g_ptr_array_new();
	GHashTableIter iter;
	gpointer key;

	g_hash_table_iter_init(&iter, table);
	while (g_hash_table_iter_next(&iter, &key, NULL))
		g_ptr_array_add(keys, key);
	g_ptr_array_sort(keys, by_name);
	return keys;
}

/* "0-3 performance, 4 powersave"; NULL: not known of any. */
static char *cpus_text(const json_t *cpus, const char *key)
{
	g_autoptr(GHashTable) values =
		g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	g_autoptr(GString) text = g_string_new(NULL);
	g_autoptr(GPtrArray) names = NULL;
	const json_t *cpu;
	size_t i;

	json_array_foreach ((json_t *)cpus, i, cpu) {
		char *value = diff_scalar(json_object_get(cpu, key));
		json_int_t number = value_get_integer(cpu, "cpu", -1);
		cpu_set_t *set;

		if (!value || number < 0 || number >= CPU_SETSIZE) {
			g_free(value);
			continue;
		}
		set = g_hash_table_lookup(values, value);
		if (!set) {
			set = g_new0(cpu_set_t, 1);
			g_hash_table_insert(values, g_strdup(value), set);
		}
		CPU_SET(number, set);
		g_free(value);
	}
	names = sorted_keys(values);
	for (guint k = 0; k < names->len; k++) {
		g_autofree char *list =
			cpulist_format(g_hash_table_lookup(values, names->pdata[k]));

		g_string_append_printf(text, "%s%s %s", text->len ? ", " : "", list,
				       (const char *)names->pdata[k]);
	}
	return text->len ? g_strdup(text->str) : NULL;
}

void diff_cpus(struct diff *diff, const json_t *a, const json_t *b)
{
	for (size_t i = 0; i < G_N_ELEMENTS(cpu_conditions); i++) {
		g_autofree char *ta = cpus_text(json_object_get(a, "cpus"), cpu_conditions[i].key);
		g_autofree char *tb = cpus_text(json_object_get(b, "cpus"), cpu_conditions[i].key);

		if (ta && tb && strcmp(ta, tb) != 0)
			diff_add(diff, cpu_conditions[i].weight, cpu_conditions[i].what, ta, tb);
	}
}

/* Those of the kernel that are at the top by design, and our own. */
static bool thread_is_no_condition(const char *name)
{
	return g_str_has_prefix(name, "migration/") || g_str_has_prefix(name, "idle_inject/") ||
	       g_str_has_prefix(name, "lrtbf-");
}

/* "irq/24-eth0" -> "irq/eth0", "ktimers/3" -> "ktimers": numbers are of this boot or of a CPU. */
static char *thread_name(const char *name)
{
	const char *slash = strchr(name, '/'), *rest;

	if (!slash || !g_ascii_isdigit(slash[1]))
		return g_strdup(name);
	for (rest = slash + 1; g_ascii_isdigit(*rest); rest++)
		;
	if (*rest == '-' && rest[1])
		return g_strdup_printf("%.*s/%s", (int)(slash - name), name, rest + 1);
	return *rest ? g_strdup(name) : g_strndup(name, slash - name);
}

/* Name -> "fifo 50", or several in their order with commas. */
static GHashTable *threads_of(const json_t *threads)
{
	GHashTable *all = g_hash_table_new_full(g_str_hash, g_str_equal, g_free,
						(GDestroyNotify)g_ptr_array_unref);
	const json_t *thread;
	size_t i;

	json_array_foreach ((json_t *)threads, i, thread) {
		const char *name = value_get_string(thread, "name"),
			   *policy = value_get_string(thread, "policy");
		g_autofree char *level = NULL;
		GPtrArray *levels;
		char *key;

		if (!name || !policy || thread_is_no_condition(name))
			continue;
		level = g_strdup_printf("%s %" JSON_INTEGER_FORMAT, policy,
					value_get_integer(thread, "priority", 0));
		key = thread_name(name);
		levels = g_hash_table_lookup(all, key);
		if (!levels) {
			levels = g_ptr_array_new_with_free_func(g_free);
			g_hash_table_insert(all, g_strdup(key), levels);
		}
		if (!g_ptr_array_find_with_equal_func(levels, level, g_str_equal, NULL))
			g_ptr_array_add(levels, g_steal_pointer(&level));
		g_free(key);
	}
	return all;
}

static char *thread_levels(GHashTable *all, const char *name)
{
	GPtrArray *levels = g_hash_table_lookup(all, name);
	g_autoptr(GString) text = g_string_new(NULL);

	if (!levels)
		return g_strdup("");
	g_ptr_array_sort(levels, by_name);
	for (guint i = 0; i < levels->len; i++)
		g_string_append_printf(text, "%s%s", i ? ", " : "", (char *)levels->pdata[i]);
	return g_strdup(text->str);
}

/* Another model of preemption brings a thread for every interrupt: the rest is one line. */
static void diff_threads_left(struct diff *diff, unsigned left)
{
	g_autofree char *text = g_strdup_printf("%u more differ", left);

	if (left > 0)
		diff_add(diff, CONDITION_OTHER, "threads", "", text);
}

void diff_threads(struct diff *diff, const json_t *a, const json_t *b)
{
	const json_t *la = json_object_get(a, "threads"), *lb = json_object_get(b, "threads");
	g_autoptr(GHashTable) ta = threads_of(la), tb = threads_of(lb);
	g_autoptr(GHashTable) both = g_hash_table_new(g_str_hash, g_str_equal);
	g_autoptr(GPtrArray) names = NULL;
	unsigned told = 0, left = 0;
	GHashTableIter iter;
	gpointer key;

	if (!json_is_array(la) || !json_is_array(lb))
		return;
	g_hash_table_iter_init(&iter, ta);
	while (g_hash_table_iter_next(&iter, &key, NULL))
		g_hash_table_add(both, key);
	g_hash_table_iter_init(&iter, tb);
	while (g_hash_table_iter_next(&iter, &key, NULL))
		if (!g_hash_table_contains(both, key))
			g_hash_table_add(both, key);
	names = sorted_keys(both);
	for (guint i = 0; i < names->len; i++) {
		g_autofree char *va = thread_levels(ta, names->pdata[i]);
		g_autofree char *vb = thread_levels(tb, names->pdata[i]);
		g_autofree char *what = g_strconcat("thread ", names->pdata[i], NULL);

		if (strcmp(va, vb) == 0)
			continue;
		if (told++ < CONDITIONSDIFF_THREADS)
			diff_add(diff, CONDITION_OTHER, what, va, vb);
		else
			left++;
	}
	diff_threads_left(diff, left);
}
