/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One way for everything that happens: all ports are read again and compared with what is known.
 * That is a few small files for each, and makes one of a thousand events, of one that came too
 * early and of one that got lost.
 *
 * What a comparison finds is told after all of it is in place, since who hears of it may ask.
 */
#include "ports.h"

#include "message.h"
#include "uevents.h"

#include <errno.h>
#include <string.h>

struct ports {
	struct ports_params p;
	struct roottree tree;
	GPtrArray *all;		 /* of struct port */
	struct uevents *uevents; /* NULL: captured, or cannot be had */
	sd_event_source *look;	 /* off: nothing happened */
	uint64_t since_usec;	 /* the first event that was not looked at; 0: none */
	unsigned retries;	 /* looks since the last event, for ports that are not announced */
	bool telling;		 /* who is told may ask, and changes nothing by that */
};

struct ports_told {
	enum ports_news news;
	struct port *port;
	unsigned what;
};

static void port_free(gpointer data)
{
	port_done(data);
	g_free(data);
}

static struct port *ports_get(const struct ports *s, const char *name, const GPtrArray *in)
{
	for (guint i = 0; i < in->len; i++)
		if (strcmp(((struct port *)in->pdata[i])->name, name) == 0)
			return in->pdata[i];
	return NULL;
}

/* --- comparing --- */

static unsigned ports_compare(const struct port *a, const struct port *b)
{
	unsigned what = 0;

	if (a->state != b->state)
		what |= PORT_CHANGE_STATE;
	if (g_strcmp0(a->holder, b->holder) != 0)
		what |= PORT_CHANGE_HOLDER;
	if (a->base != b->base)
		what |= PORT_CHANGE_BASE;
	if (a->irq != b->irq)
		what |= PORT_CHANGE_IRQ;
	if (g_strcmp0(a->driver, b->driver) != 0)
		what |= PORT_CHANGE_DRIVER;
	if (g_strcmp0(a->device, b->device) != 0)
		what |= PORT_CHANGE_DEVICE;
	if (g_strcmp0(a->role, b->role) != 0)
		what |= PORT_CHANGE_ROLE;
	return what;
}

static void ports_note(GArray *told, enum ports_news news, struct port *p, unsigned what)
{
	g_array_append_val(told, ((struct ports_told){ news, p, what }));
}

/* @p becomes what it is now; @now is emptied. */
static void ports_update(struct port *p, struct port *now, GArray *told)
{
	unsigned what;

	now->role = p->role;
	if (now->role)
		now->state = PORT_MEASURING;
	what = ports_compare(p, now);
	if (what)
		ports_note(told, PORTS_CHANGED, p, what);
	port_done(p);
	*p = *now;
	*now = (struct port){ 0 };
}

static void ports_make_absent(struct port *p, GArray *told)
{
	unsigned what = PORT_CHANGE_STATE | (p->holder ? PORT_CHANGE_HOLDER : 0);

	if (p->state == PORT_ABSENT)
		return;
	p->state = PORT_ABSENT;
	g_clear_pointer(&p->holder, g_free);
	g_clear_pointer(&p->node, g_free);
	ports_note(told, PORTS_CHANGED, p, what);
}

/* A port that is still being made: there will be no other event of it. */
static bool ports_wait_for(struct ports *s, const char *name)
{
	if (!s->look || s->retries >= PORTS_RETRIES || port_announced(&s->tree, name))
		return false;
	(void)sd_event_source_set_time_relative(s->look, PORTS_RETRY_USEC);
	(void)sd_event_source_set_enabled(s->look, SD_EVENT_ONESHOT);
	return true;
}

static void ports_take(struct ports *s, const char *name, GArray *told)
{
	struct port *p = ports_get(s, name, s->all);
	struct port now;

	if (ports_wait_for(s, name))
		return;

	if (port_read(&s->tree, name, &now) < 0)
		return; /* it has just gone */
	if (p) {
		ports_update(p, &now, told);
		return;
	}
	p = g_memdup2(&now, sizeof(now));
	g_ptr_array_add(s->all, p);
	ports_note(told, PORTS_ADDED, p, 0);
}

/* Gone, and nobody is left who would want to know how it ended. */
static void ports_drop_absent(struct ports *s, GArray *told)
{
	for (guint i = 0; i < s->all->len; i++) {
		struct port *p = s->all->pdata[i];

		if (p->state == PORT_ABSENT && !p->role)
			ports_note(told, PORTS_REMOVED, p, 0);
	}
}

static gint ports_order(gconstpointer a, gconstpointer b)
{
	const struct port *x = *(struct port *const *)a, *y = *(struct port *const *)b;

	return port_name_compare(x->name, y->name);
}

static void ports_tell(struct ports *s, GArray *told)
{
	g_ptr_array_sort(s->all, ports_order);
	s->telling = true;
	for (guint i = 0; i < told->len; i++) {
		const struct ports_told *t = &g_array_index(told, struct ports_told, i);

		if (s->p.news)
			s->p.news(t->news, t->port, t->what, s->p.userdata);
		if (t->news == PORTS_REMOVED)
			g_ptr_array_remove(s->all, t->port);
	}
	s->telling = false;
}

static void ports_look(struct ports *s)
{
	g_autoptr(GArray) told = g_array_new(FALSE, FALSE, sizeof(struct ports_told));
	g_autoptr(GPtrArray) names = port_names(&s->tree);

	for (guint i = 0; i < s->all->len; i++) {
		struct port *p = s->all->pdata[i];

		if (!g_ptr_array_find_with_equal_func(names, p->name, g_str_equal, NULL))
			ports_make_absent(p, told);
	}
	for (guint i = 0; i < names->len; i++)
		ports_take(s, names->pdata[i], told);
	ports_drop_absent(s, told);
	ports_tell(s, told);
}

/* --- events --- */

static int on_ports_look(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct ports *s = userdata;

	s->since_usec = 0;
	s->retries++;
	ports_look(s);
	return 0;
}

static void on_ports_event(enum uevents_what what, void *userdata)
{
	struct ports *s = userdata;
	uint64_t now;

	(void)sd_event_now(s->p.event, CLOCK_MONOTONIC, &now); /* has this clock */
	s->retries = 0;
	if (!s->since_usec)
		s->since_usec = now;
	(void)sd_event_source_set_time(
		s->look, MIN(now + PORTS_QUIET_USEC, s->since_usec + PORTS_PATIENCE_USEC));
	(void)sd_event_source_set_enabled(s->look, SD_EVENT_ONESHOT);
}

/* --- life --- */

static int ports_watch(struct ports *s)
{
	int r;

	if (s->tree.captured)
		return 0;
	r = sd_event_add_time(s->p.event, &s->look, CLOCK_MONOTONIC, 0, 1000, on_ports_look, s);
	if (r >= 0)
		r = sd_event_source_set_enabled(s->look, SD_EVENT_OFF);
	if (r >= 0)
		/* without it all is read when somebody asks */
		(void)uevents_new(s->p.event, UEVENTS_PORTS, on_ports_event, s, &s->uevents);
	return r;
}

int ports_new(const struct ports_params *params, struct ports **ret)
{
	struct ports *s = g_new0(struct ports, 1);
	ports_news_t news = params->news;
	int r;

	s->p = *params;
	s->p.news = NULL;
	s->all = g_ptr_array_new_with_free_func(port_free);
	r = roottree_open(params->root, &s->tree);
	if (r < 0) {
		s->tree.fd = -1;
		ports_free(s);
		return r;
	}
	/* before reading, so that nothing comes in between */
	r = ports_watch(s);
	if (r < 0) {
		ports_free(s);
		return r;
	}
	ports_look(s);
	s->p.news = news;
	*ret = s;
	return 0;
}

struct ports *ports_free(struct ports *s)
{
	if (!s)
		return NULL;
	sd_event_source_disable_unref(s->look);
	uevents_free(s->uevents);
	g_ptr_array_unref(s->all);
	roottree_close(&s->tree);
	g_free(s);
	return NULL;
}

bool ports_watching(const struct ports *s)
{
	return s->uevents;
}

const GPtrArray *ports_all(const struct ports *s)
{
	return s->all;
}

const struct port *ports_find(const struct ports *s, const char *name)
{
	return ports_get(s, name, s->all);
}

static void ports_refresh_one(struct ports *s, struct port *p, GArray *told)
{
	struct port before = *p;
	unsigned what;

	if (p->state == PORT_ABSENT)
		return;
	before.holder = g_strdup(p->holder);
	if (port_read_holder(&s->tree, p) < 0)
		ports_make_absent(p, told);
	else if ((what = ports_compare(&before, p)))
		ports_note(told, PORTS_CHANGED, p, what);
	g_free(before.holder);
}

void ports_refresh(struct ports *s)
{
	g_autoptr(GArray) told = NULL;

	if (s->telling)
		return;
	if (!s->uevents && !s->tree.captured) {
		ports_look(s);
		return;
	}
	told = g_array_new(FALSE, FALSE, sizeof(struct ports_told));
	for (guint i = 0; i < s->all->len; i++)
		ports_refresh_one(s, s->all->pdata[i], told);
	ports_drop_absent(s, told);
	ports_tell(s, told);
}

void ports_read(struct ports *s)
{
	if (!s->telling)
		ports_look(s);
}

void ports_set_role(struct ports *s, const char *name, const char *role)
{
	g_autoptr(GArray) told = g_array_new(FALSE, FALSE, sizeof(struct ports_told));
	struct port *p = ports_get(s, name, s->all);
	struct port before;
	unsigned what;

	if (!p)
		return;
	before = *p;
	before.holder = g_strdup(p->holder);
	p->role = role;
	if (p->state != PORT_ABSENT && port_read_holder(&s->tree, p) < 0)
		ports_make_absent(p, told);
	what = ports_compare(&before, p);
	if (what && told->len == 0)
		ports_note(told, PORTS_CHANGED, p, what);
	g_free(before.holder);
	ports_drop_absent(s, told);
	ports_tell(s, told);
}

bool ports_module_loaded(const struct ports *s)
{
	g_auto(rootdir_t) dir = { 0 };

	rootdir_open(&s->tree, "sys/class/misc/" PORT_MODULE, &dir);
	return dir.fd >= 0;
}

/* --- sentences --- */

char *ports_describe(const struct ports *s)
{
	g_autoptr(GString) text = g_string_new(NULL);

	for (guint i = 0; i < s->all->len; i++) {
		const struct port *p = s->all->pdata[i];

		g_string_append_printf(text, "%s%s (", text->len ? ", " : "", p->name);
		if (p->state == PORT_PRESENT)
			g_string_append(text, "without the kernel module lrtbf)");
		else if (p->state == PORT_BUSY)
			g_string_append_printf(text, "held by %s)", p->holder);
		else
			g_string_append_printf(text, "%s)", port_state_to_string(p->state));
	}
	if (text->len == 0)
		g_string_append(text, "none");
	return g_strdup(text->str);
}

static int ports_check_missing(const struct ports *s, const char *name, char **ret_message)
{
	g_autofree char *others = ports_describe(s);

	if (s->all->len == 0)
		return message_fail(
			ret_message, -ENODEV,
			"There is no parallel port %.32s: this machine has none, or their driver "
			"(parport_pc) is not loaded. USB printer adapters are no ports.",
			name);
	return message_fail(ret_message, -ENODEV, "There is no parallel port %.32s; there %s %s.",
			    name, s->all->len == 1 ? "is" : "are", others);
}

static int ports_check_held(const struct port *p, char **ret_message)
{
	if (p->state == PORT_BUSY)
		return message_fail(ret_message, -EBUSY,
				    "%s is held by the driver %s: end what uses it, or unload "
				    "that driver.",
				    p->name, p->holder);
	if (p->state == PORT_MEASURING && !p->role)
		return message_fail(ret_message, -EBUSY,
				    "%s is held by another program, which measures with it "
				    "through the kernel module lrtbf.",
				    p->name);
	return 0;
}

int ports_check(struct ports *s, const char *name, bool irq, char **ret_message)
{
	const struct port *p;
	int r;

	ports_refresh(s);
	p = ports_find(s, name);
	if (!p || p->state == PORT_ABSENT)
		return ports_check_missing(s, name, ret_message);
	if (p->irq < 0 && p->base == 0)
		return message_fail(ret_message, -ENODEV,
				    "%s has neither an address nor an interrupt, as ports behind "
				    "USB: nothing can be measured with it.",
				    name);
	if (irq && p->irq < 0)
		return message_fail(ret_message, -ENODEV,
				    "%s has no interrupt: see the BIOS or the driver's option irq "
				    "(lrtbf-wiring(7)). A logger that polls needs none.",
				    name);
	r = ports_check_held(p, ret_message);
	if (r < 0)
		return r;
	if (!p->node)
		return message_fail(ret_message, -ENODEV,
				    "%s is there, but not for us: the kernel module lrtbf is %s. "
				    "\"modprobe lrtbf\" loads it.",
				    name,
				    ports_module_loaded(s) ? "not bound to it" : "not loaded");
	return 0;
}
