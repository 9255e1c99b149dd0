/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "source.h"

#include "textline.h"

#include <errno.h>
#include <string.h>

void source_init(struct source *s, const char *text, size_t size, const struct import_options *o,
		 char **ret_message)
{
	*s = (struct source){
		.name = o && o->name ? o->name : "The file",
		.at = text,
		.end = text + size,
		.ret_message = ret_message,
	};
}

char *source_line(struct source *s)
{
	const char *end = memchr(s->at, '\n', (size_t)(s->end - s->at));
	char *line;

	if (!end)
		return NULL;
	line = g_strndup(s->at, (gsize)(end - s->at));
	g_strchomp(line);
	s->at = end + 1;
	s->line++;
	return line;
}

bool source_cut(const struct source *s)
{
	return s->at < s->end;
}

static int source_say(struct source *s, const char *where, const char *fmt, va_list ap)
	G_GNUC_PRINTF(3, 0);

static int source_say(struct source *s, const char *where, const char *fmt, va_list ap)
{
	g_autofree char *what = g_strdup_vprintf(fmt, ap);
	g_autofree char *text = g_strconcat(s->name, where, ": ", what, NULL);

	if (s->ret_message)
		*s->ret_message = g_utf8_make_valid(text, -1);
	return -EBADMSG;
}

int source_fail(struct source *s, const char *fmt, ...)
{
	g_autofree char *where = g_strdup_printf(", line %u", s->line);
	va_list ap;
	int r;

	va_start(ap, fmt);
	r = source_say(s, where, fmt, ap);
	va_end(ap);
	return r;
}

int source_fail_whole(struct source *s, const char *fmt, ...)
{
	va_list ap;
	int r;

	va_start(ap, fmt);
	r = source_say(s, "", fmt, ap);
	va_end(ap);
	return r;
}

/* --- numbers --- */

bool source_number(const char **at, uint64_t *ret)
{
	const char *s = *at + strspn(*at, " \t");
	uint64_t n = 0;

	if (!g_ascii_isdigit(*s))
		return false;
	for (; g_ascii_isdigit(*s); s++)
		if (__builtin_mul_overflow(n, 10, &n) ||
		    __builtin_add_overflow(n, (uint64_t)(*s - '0'), &n))
			return false;
	*ret = n;
	*at = s;
	return true;
}

bool source_decimal(const char **at, unsigned decimals, uint64_t *ret)
{
	uint64_t n, digit;
	const char *s = *at;
	bool point;

	if (!source_number(&s, &n))
		return false;
	point = *s == '.';
	s += point;
	for (unsigned i = 0; i < decimals; i++) {
		digit = point && g_ascii_isdigit(*s) ? (uint64_t)(*s++ - '0') : 0;
		if (__builtin_mul_overflow(n, 10, &n) || __builtin_add_overflow(n, digit, &n))
			return false;
	}
	if (point && g_ascii_isdigit(*s))
		return false;
	*ret = n;
	*at = s;
	return true;
}

bool source_ended(const char *at)
{
	return at[strspn(at, " \t")] == '\0';
}

bool source_decimal_comma(const char *line)
{
	for (const char *comma = strchr(line, ','); comma; comma = strchr(comma + 1, ','))
		if (comma > line && g_ascii_isdigit(comma[-1]) && g_ascii_isdigit(comma[1]))
			return true;
	return false;
}

uint64_t source_range(const char *command)
{
	static const char *const options[] = { " -h", " -H", " --histogram=", " --histofall=" };
	uint64_t range;

	for (size_t i = 0; command && i < G_N_ELEMENTS(options); i++) {
		const char *at = strstr(command, options[i]);

		if (!at)
			continue;
		at += strlen(options[i]);
		if (source_number(&at, &range) && (*at == ' ' || *at == '\0'))
			return range;
	}
	return 0;
}

/* --- figures --- */

bool source_samples(struct figures *f, uint64_t ns, uint64_t n)
{
	uint64_t *bucket = &f->bucket[histogram_bucket(ns)];

	if (n == 0)
		return true;
	if (n > SOURCE_SAMPLES_MAX || *bucket > SOURCE_SAMPLES_MAX - n)
		return false;
	*bucket += n;
	f->sum_ns += (u128)ns * n;
	f->sum_sq_ns2 += (u128)ns * ns * n;
	if (!(f->stated & FIGURES_STATED_MIN))
		f->min_ns = MIN(f->min_ns, ns);
	if (!(f->stated & FIGURES_STATED_MAX))
		f->max_ns = MAX(f->max_ns, ns);
	return true;
}

void source_state_min(struct figures *f, uint64_t ns)
{
	f->stated |= FIGURES_STATED_MIN;
	f->min_ns = ns;
}

void source_state_max(struct figures *f, uint64_t ns)
{
	f->stated |= FIGURES_STATED_MAX;
	f->max_ns = ns;
}

void source_state_mean(struct figures *f, double ns)
{
	f->stated |= FIGURES_STATED_MEAN;
	f->stated_mean_ns = ns;
}

void source_state_stddev(struct figures *f, double ns)
{
	f->stated |= FIGURES_STATED_STDDEV;
	f->stated_stddev_ns = ns;
}

/* --- results --- */

struct result *source_result(const char *format, const char *quantity,
			     const struct import_options *o)
{
	g_autofree char *plan = g_strdelimit(g_strconcat("import_", format, NULL), "-", '_');
	g_autofree char *instrument = g_strconcat("imported from ", format, NULL);
	struct result *r = result_new();
	struct result_stage *s = result_stage_new();

	g_free(r->plan);
	g_free(r->label);
	g_free(r->instrument);
	r->plan = g_steal_pointer(&plan);
	r->label = g_strdup(o && o->label ? o->label : "");
	r->instrument = g_strdup("imported");
	r->policy = r->wanted_policy = -1;
	json_object_set_new(r->method, "instrument", json_string(instrument));
	json_object_set_new(r->method, "source", json_string(format));
	json_object_set_new(r->method, "quantity", json_string(quantity));
	r->conditions = json_object();
	g_free(s->name);
	g_free(s->load);
	s->name = g_strdup(o && o->load ? o->load : "unknown");
	s->load = g_strdup(s->name);
	s->complete = true;
	s->verdict = VERDICT_NONE;
	g_ptr_array_add(r->stages, s);
	return r;
}

struct result_stage *source_stage(struct result *r)
{
	return r->stages->pdata[0];
}

struct result_cpu *source_cpu(struct result_stage *s, uint64_t cpu)
{
	struct result_cpu *c;
	guint i;

	for (i = 0; i < s->cpus->len; i++) {
		c = s->cpus->pdata[i];
		if ((uint64_t)c->cpu == cpu)
			return c;
		if ((uint64_t)c->cpu > cpu)
			break;
	}
	if (cpu >= SOURCE_CPUS_MAX)
		return NULL;
	c = result_cpu_new((int)cpu);
	c->policy = -1;
	g_ptr_array_insert(s->cpus, (gint)i, c);
	return c;
}

static void source_kernel_text(json_t *kernel, const char *key, const char *text)
{
	if (text && *text)
		json_object_set_new(kernel, key, json_string(text));
}

void source_kernel(struct result *r, const struct import_options *o, const char *release,
		   const char *version, const char *machine)
{
	json_t *kernel = json_object();

	if (o && o->kernel) {
		release = o->kernel;
		version = NULL;
	}
	source_kernel_text(kernel, "release", release);
	source_kernel_text(kernel, "version", version);
	source_kernel_text(kernel, "machine", machine);
	if (version && strstr(version, "PREEMPT_RT"))
		json_object_set_new(kernel, "realtime", json_true());
	if (json_object_size(kernel) > 0)
		json_object_set_new(r->conditions, "kernel", kernel);
	else
		json_decref(kernel);
}

void source_lossy(struct result *r, const char *fmt, ...)
{
	g_autofree char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	text = g_strdup_vprintf(fmt, ap);
	va_end(ap);
	finding_add(r->findings, "import-lossy", "%s", text);
}
