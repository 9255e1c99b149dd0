/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why no getopt: it takes `-smp` for three options and `--in` for --interval. Here a word is known
 * or it is refused by name. One table says which options there are, what they set and how.
 */
#include "options.h"

#include "cpulist.h"
#include "duration.h"
#include "policy.h"

#include <errno.h>
#include <glib.h>
#include <string.h>

#define PRIORITY_DEFAULT 80
#define LATENCY_MAX_US	 2000000000

const char options_help[] =
	"Usage: lrtbf-measure INSTRUMENT [OPTION]...\n"
	"Measure latencies of this machine; the result is printed.\n"
	"\n"
	"      --duration=TIME     how long to measure (10s)\n"
	"      --interval=TIME     between two wake-ups of a CPU's thread (1ms)\n"
	"      --policy=NAME       fifo, rr, other, batch, idle or deadline (fifo)\n"
	"      --priority=N        1..98, of fifo and rr (80)\n"
	"      --nice=N            -20..19, of other and batch (0)\n"
	"      --runtime=TIME --deadline=TIME --period=TIME\n"
	"                          of policy deadline\n"
	"      --cpus=LIST         CPUs to measure: 0-3,8, all, !0 (all)\n"
	"      --warm-up=TIME      measure this long before it counts (100ms)\n"
	"      --break=TIME        end at the first sample as large as this\n"
	"      --within=TIME       count the samples up to this\n"
	"      --dither=TIME       add a random time up to this to every wait (0)\n"
	"      --work=TIME         about how long a pass of cpuloop takes (100us)\n"
	"      --role=NAME         parport: loopback, logger or target (loopback);\n"
	"                          ktimer: irq or kthread (irq)\n"
	"      --port=NAME         of parport (parport0)\n"
	"      --answer=NAME       target: from handler, kthread or user (handler)\n"
	"      --receive=NAME      logger: poll or irq (poll)\n"
	"      --strobe            pulses of STROBE: cables from STROBE to ACK\n"
	"      --virtual           pulses for the port of a virtual machine\n"
	"      --timeout=TIME      after which an answer is lost (500us)\n"
	"      --dma-latency=TIME  what to hold /dev/cpu_dma_latency at; none: leave it alone (0)\n"
	"      --json              print the result as JSON\n"
	"      --list              name the instruments\n"
	"  -h  --help\n"
	"      --version\n"
	"\n"
	"Times have a unit: 250us, 1.5s, 2h. Ctrl-C ends it and prints what there is.\n"
	"Exit status: 0 measured, 1 error, 64 wrong usage.\n";

enum option_kind {
	OPTION_TIME,
	OPTION_INTEGER,
	OPTION_POLICY,
	OPTION_CPUS,
	OPTION_DMA_LATENCY,
	OPTION_FLAG,
	OPTION_ROLE,
	OPTION_ANSWER,
	OPTION_RECEIVE,
	OPTION_PORT,
	OPTION_WHAT,
};

struct option_entry {
	const char *name;
	enum option_kind kind;
	size_t offset;	  /* in struct options */
	int64_t min, max; /* OPTION_INTEGER; min: the value of OPTION_WHAT */
	size_t given;	  /* in struct options: where its name is kept; 0: nowhere */
};

#define ORDER(field) offsetof(struct options, order.field)
#define GIVEN(field) .given = offsetof(struct options, field)

static const struct option_entry option_table[] = {
	{ "duration", OPTION_TIME, ORDER(duration_ns) },
	{ "interval", OPTION_TIME, ORDER(interval_ns), GIVEN(of_interval) },
	{ "warm-up", OPTION_TIME, ORDER(warmup_ns) },
	{ "break", OPTION_TIME, ORDER(break_ns) },
	{ "within", OPTION_TIME, ORDER(within_ns) },
	{ "dither", OPTION_TIME, ORDER(dither_ns), GIVEN(of_dither) },
	{ "work", OPTION_TIME, ORDER(work_ns), GIVEN(of_work) },
	{ "runtime", OPTION_TIME, ORDER(dl_runtime_ns) },
	{ "deadline", OPTION_TIME, ORDER(dl_deadline_ns) },
	{ "period", OPTION_TIME, ORDER(dl_period_ns) },
	{ "policy", OPTION_POLICY, ORDER(policy) },
	{ "priority", OPTION_INTEGER, ORDER(priority), 1, 98 },
	{ "nice", OPTION_INTEGER, ORDER(nice), -20, 19 },
	{ "cpus", OPTION_CPUS, ORDER(cpus), GIVEN(of_cpus) },
	{ "role", OPTION_ROLE, ORDER(role), GIVEN(of_module) },
	{ "port", OPTION_PORT, ORDER(port), GIVEN(of_module) },
	{ "answer", OPTION_ANSWER, ORDER(answer), GIVEN(of_module) },
	{ "receive", OPTION_RECEIVE, ORDER(receive), GIVEN(of_module) },
	{ "strobe", OPTION_FLAG, offsetof(struct options, strobe), GIVEN(of_module) },
	{ "virtual", OPTION_FLAG, offsetof(struct options, virtual_port), GIVEN(of_module) },
	{ "timeout", OPTION_TIME, ORDER(timeout_ns), GIVEN(of_module) },
	{ "dma-latency", OPTION_DMA_LATENCY, ORDER(dma_latency_us) },
	{ "json", OPTION_FLAG, offsetof(struct options, json) },
	{ "order-fd", OPTION_INTEGER, offsetof(struct options, order_fd), 3, 1023 },
	{ "region-fd", OPTION_INTEGER, offsetof(struct options, region_fd), 3, 1023 },
	{ "help", OPTION_WHAT, offsetof(struct options, what), OPTIONS_HELP },
	{ "version", OPTION_WHAT, offsetof(struct options, what), OPTIONS_VERSION },
	{ "list", OPTION_WHAT, offsetof(struct options, what), OPTIONS_LIST },
};

struct parse {
	struct options *options;
	const cpu_set_t *allowed, *online;
	char **ret_message;
	const char *instrument;
	bool priority_given;
};

G_GNUC_PRINTF(2, 3) static int option_bad(struct parse *p, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	*p->ret_message = g_strdup_vprintf(fmt, ap);
	va_end(ap);
	return -EINVAL;
}

/* As plans and lrtbfctl have it: a time, or a bare number of microseconds. */
static int option_latency(const char *value, int32_t *ret_us, char **ret_why)
{
	uint64_t ns;
	int r;

	if (strcmp(value, "none") == 0 || strcmp(value, "no") == 0) {
		*ret_us = -1;
		return 0;
	}
	r = duration_parse(value, 1000, &ns, ret_why);
	if (r < 0)
		return r;
	if (ns % 1000 || ns / 1000 > LATENCY_MAX_US) {
		*ret_why = g_strdup_printf("It takes whole microseconds from 0 to %d, or \"none\".",
					   LATENCY_MAX_US);
		return -ERANGE;
	}
	*ret_us = (int32_t)(ns / 1000);
	return 0;
}

static int option_integer(const char *value, int64_t min, int64_t max, int32_t *ret, char **ret_why)
{
	int64_t n;
	int r = integer_parse(value, min, max, &n, ret_why);

	if (r == 0)
		*ret = (int32_t)n;
	return r;
}

static int option_cpus(struct parse *p, const char *value, cpu_set_t *ret, char **ret_why)
{
	cpu_set_t reachable;
	int r = cpulist_parse(value, p->allowed, ret, ret_why);

	if (r < 0)
		return r;
	cpulist_reachable("/", p->allowed, &reachable);
	return cpulist_check(ret, &reachable, p->online, ret_why);
}

/* One of a few words. */
static int option_name(enum option_kind kind, const char *value, uint32_t *ret, char **ret_why)
{
	int r = kind == OPTION_ROLE	? role_from_string(value)
		: kind == OPTION_ANSWER ? role_answer_from_string(value)
					: role_receive_from_string(value);

	if (r < 0)
		*ret_why = g_strdup("There is no such word for it, see lrtbf-measure --help.");
	else
		*ret = (uint32_t)r;
	return MIN(r, 0);
}

static int option_port(const char *value, char *ret, size_t size, char **ret_why)
{
	if (!role_port_valid(value)) {
		*ret_why = g_strdup("That is no port's name, such as parport0.");
		return -EINVAL;
	}
	(void)g_strlcpy(ret, value, size); /* fits: it is valid */
	return 0;
}

static int option_set(struct parse *p, const struct option_entry *e, const char *value)
{
	void *field = (char *)p->options + e->offset;
	g_autofree char *why = NULL;
	int r = 0;

	switch (e->kind) {
	case OPTION_TIME:
		r = duration_parse(value, 0, field, &why);
		break;
	case OPTION_INTEGER:
		r = option_integer(value, e->min, e->max, field, &why);
		break;
	case OPTION_DMA_LATENCY:
		r = option_latency(value, field, &why);
		break;
	case OPTION_POLICY:
		r = policy_from_string(value);
		if (r >= 0)
			*(uint32_t *)field = (uint32_t)r;
		break;
	case OPTION_CPUS:
		r = option_cpus(p, value, field, &why);
		break;
	case OPTION_FLAG:
		*(bool *)field = true;
		break;
	case OPTION_ROLE:
	case OPTION_ANSWER:
	case OPTION_RECEIVE:
		r = option_name(e->kind, value, field, &why);
		break;
	case OPTION_PORT:
		r = option_port(value, field, sizeof(p->options->order.port), &why);
		break;
	case OPTION_WHAT:
		*(enum options_what *)field = (enum options_what)e->min;
		break;
	}
	if (r < 0)
		return option_bad(
			p, "--%s=%s: %s", e->name, value,
			why ?: "There is no such policy: fifo, rr, other, batch, idle, deadline.");
	if (strcmp(e->name, "priority") == 0)
		p->priority_given = true;
	if (e->given)
		*(const char **)((char *)p->options + e->given) = e->name;
	return 0;
}

static const struct option_entry *option_find(const char *name, size_t length)
{
	for (size_t i = 0; i < G_N_ELEMENTS(option_table); i++)
		if (strlen(option_table[i].name) == length &&
		    strncmp(option_table[i].name, name, length) == 0)
			return &option_table[i];
	return NULL;
}

/* One word of the command line, with the next for `--name value`. Returns how many were used. */
static int option_word(struct parse *p, const char *word, const char *next)
{
	const struct option_entry *e;
	const char *equals;
	int r;

	if (word[0] != '-') {
		if (p->instrument)
			return option_bad(p, "One instrument at a time: %s or %s.", p->instrument,
					  word);
		p->instrument = word;
		return 1;
	}
	if (strcmp(word, "-h") == 0)
		word = "--help";
	equals = strchrnul(word, '=');
	e = g_str_has_prefix(word, "--") ? option_find(word + 2, (size_t)(equals - word - 2))
					 : NULL;
	if (!e)
		return option_bad(p, "There is no option %s.", word);
	if (e->kind == OPTION_FLAG || e->kind == OPTION_WHAT) {
		if (*equals)
			return option_bad(p, "Option --%s takes no value.", e->name);
		(void)option_set(p, e, ""); /* a flag cannot fail */
		return 1;
	}
	if (!*equals && !next)
		return option_bad(p, "Option --%s needs a value.", e->name);
	r = option_set(p, e, *equals ? equals + 1 : next);
	return r < 0 ? r : *equals ? 1 : 2;
}

static void options_defaults(struct options *o, const cpu_set_t *allowed)
{
	*o = (struct options){ .order_fd = -1, .region_fd = -1 };
	order_init(&o->order);
	o->order.policy = SCHED_FIFO;
	o->order.warmup_ns = 100000000;
	o->order.cpus = *allowed;
}

static int options_finish(struct parse *p)
{
	struct options *o = p->options;

	if (o->what != OPTIONS_MEASURE)
		return 0;
	if (o->order_fd >= 0 && o->region_fd >= 0 && !p->instrument) {
		o->what = OPTIONS_CHILD;
		return 0;
	}
	if (o->order_fd >= 0 || o->region_fd >= 0)
		return option_bad(p,
				  "--order-fd and --region-fd go together, without an instrument.");
	if (!p->instrument)
		return option_bad(p, "Which instrument? See lrtbf-measure --list.");
	if (g_strlcpy(o->order.instrument, p->instrument, sizeof(o->order.instrument)) >=
	    sizeof(o->order.instrument))
		return option_bad(p, "There is no instrument %s.", p->instrument);
	if (policy_is_realtime((int)o->order.policy) && !p->priority_given)
		o->order.priority = PRIORITY_DEFAULT;
	if (o->order.nice != 0 && o->order.policy != SCHED_OTHER && o->order.policy != SCHED_BATCH)
		return option_bad(p, "Only the policies other and batch have a nice value.");
	return 0;
}

static void options_fill_cpus(struct options *o)
{
	int cpu = 0;

	if (o->of_cpus || !role_of_port(o->order.role))
		return;
	while (cpu < CPU_SETSIZE - 1 && !CPU_ISSET(cpu, &o->order.cpus))
		cpu++;
	CPU_ZERO(&o->order.cpus);
	CPU_SET(cpu, &o->order.cpus);
}

static void options_fill(struct options *o, const struct instrument *i)
{
	struct order *order = &o->order;

	if (order->role == ROLE_NONE)
		order->role = i->role;
	if (role_of_port(order->role) && !*order->port)
		g_strlcpy(order->port, "parport0", sizeof(order->port));
	if (order->role == ROLE_TARGET && order->answer == ROLE_ANSWER_NONE)
		order->answer = ROLE_ANSWER_HANDLER;
	if (order->role == ROLE_LOGGER && order->receive == ROLE_RECEIVE_NONE)
		order->receive = ROLE_RECEIVE_POLL;
	if (order->role == ROLE_TARGET && !o->of_interval)
		order->interval_ns = 0;
	order->pulse = role_pulse(o->strobe, o->virtual_port);
	if (order->timeout_ns == 0)
		order->timeout_ns = role_timeout_ns(order->role, order->interval_ns);
	options_fill_cpus(o);
}

/* What was asked for and the instrument has not. */
static const char *options_foreign(const struct options *o, const struct instrument *i)
{
	if (o->of_interval && !i->interval)
		return o->of_interval;
	if (o->of_dither && !i->dither)
		return o->of_dither;
	if (o->of_work && !i->work)
		return o->of_work;
	return i->role == ROLE_NONE ? o->of_module : NULL;
}

int options_check(struct options *o, const struct instrument *i, char **ret_message)
{
	struct parse p = { .ret_message = ret_message };
	const char *foreign = options_foreign(o, i);

	if (foreign)
		return option_bad(&p, "The instrument %s has no --%s.", o->order.instrument,
				  foreign);
	if (o->strobe && o->virtual_port)
		return option_bad(&p, "A port is wired by --strobe or --virtual.");
	options_fill(o, i);
	if (!instrument_has_role(i, o->order.role))
		return option_bad(&p, "The instrument %s has no role %s.", i->name,
				  role_to_string(o->order.role));
	if (i->interval && o->order.role != ROLE_TARGET && o->order.interval_ns == 0)
		return option_bad(&p, "The interval must be between 1us and 1h.");
	if (order_check(&o->order, ret_message) < 0)
		return -EINVAL;
	if (i->interval && o->order.duration_ns < o->order.interval_ns) {
		g_autofree char *duration = duration_format(o->order.duration_ns);
		g_autofree char *interval = duration_format(o->order.interval_ns);

		return option_bad(&p, "The duration of %s is not even one interval of %s.",
				  duration, interval);
	}
	return 0;
}

int options_parse(int argc, char **argv, const cpu_set_t *allowed, const cpu_set_t *online,
		  struct options *ret, char **ret_message)
{
	struct options o;
	struct parse p = {
		.options = &o,
		.allowed = allowed,
		.online = online,
		.ret_message = ret_message,
	};
	int r;

	options_defaults(&o, allowed);
	for (int i = 1; i < argc; i += r) {
		r = option_word(&p, argv[i], i + 1 < argc ? argv[i + 1] : NULL);
		if (r < 0)
			return r;
	}
	r = options_finish(&p);
	if (r < 0)
		return r;
	*ret = o;
	return 0;
}
