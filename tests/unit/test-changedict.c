/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bus-message.h"
#include "changedict.h"
#include "irqpolicy.h"

#include <errno.h>
#include <string.h>

static struct irq_change *change_new(const char *name, const char *message)
{
	struct irq_change *c = g_new0(struct irq_change, 1);

	c->outcome = IRQ_REFUSED;
	c->irq = 24;
	c->tid = 50;
	c->name = g_strdup(name);
	c->attribute = TUNING_NICE;
	c->old = g_strdup("nice 0");
	c->new = g_strdup("nice 19");
	c->by = g_strdup("net/1");
	c->file = g_strdup("/etc/lrtbfd/irq.d/net.conf");
	c->line = 3;
	c->message = g_strdup(message);
	c->after_ns = 5;
	return c;
}

static GPtrArray *changes_new(guint n, const char *name, const char *message)
{
	GPtrArray *list = g_ptr_array_new_with_free_func((GDestroyNotify)irq_change_free);

	for (guint i = 0; i < n; i++)
		g_ptr_array_add(list, change_new(name, message));
	return list;
}

static void open_again(struct fixture *f)
{
	g_assert_cmpint(sd_bus_message_seal(f->m, 1, 0), >=, 0);
	g_assert_cmpint(sd_bus_message_rewind(f->m, true), >=, 0);
}

/* What cannot be: a number that is none, an attribute that is none, no text. */
static void test_rule_alone(struct fixture *f, gconstpointer unused)
{
	struct irq_change c = { .outcome = IRQ_WAITS, .irq = -1, .attribute = -1 };
	const char *key, *value;

	c.by = (char *)"net/2";
	g_assert_cmpint(changedict_append(f->m, &c), >=, 0);
	open_again(f);
	g_assert_cmpint(sd_bus_message_enter_container(f->m, 'a', "{sv}"), >, 0);
	g_assert_cmpint(sd_bus_message_read(f->m, "{sv}", &key, "s", &value), >, 0);
	g_assert_cmpstr(key, ==, "outcome");
	g_assert_cmpstr(value, ==, "waits");
	g_assert_cmpint(sd_bus_message_read(f->m, "{sv}", &key, "s", &value), >, 0);
	g_assert_cmpstr(key, ==, "by");
	g_assert_cmpstr(value, ==, "net/2");
	g_assert_true(sd_bus_message_at_end(f->m, false));
}

static void test_types(struct fixture *f, gconstpointer unused)
{
	g_autoptr(GPtrArray) list = changes_new(1, "irq/24-\xff", "caf\xe9");
	const char *texts[8], *keys[12];
	uint32_t irq, tid, line;
	uint64_t after_ns;

	g_assert_cmpint(changedict_append_list(f->m, list), >=, 0);
	open_again(f);
	g_assert_cmpint(sd_bus_message_read(
				f->m, "aa{sv}", 1, 12, &keys[0], "s", &texts[0], &keys[1], "u",
				&irq, &keys[2], "u", &tid, &keys[3], "s", &texts[1], &keys[4], "s",
				&texts[2], &keys[5], "s", &texts[3], &keys[6], "s", &texts[4],
				&keys[7], "s", &texts[5], &keys[8], "s", &texts[6], &keys[9], "u",
				&line, &keys[10], "s", &texts[7], &keys[11], "t", &after_ns),
			>, 0);
	g_assert_cmpstr(texts[0], ==, "refused");
	g_assert_cmpuint(irq, ==, 24);
	g_assert_cmpuint(tid, ==, 50);
	g_assert_true(g_utf8_validate(texts[1], -1, NULL));
	g_assert_true(g_str_has_prefix(texts[1], "irq/24-"));
	g_assert_cmpstr(keys[4], ==, "attribute");
	g_assert_cmpstr(texts[2], ==, "nice");
	g_assert_cmpuint(line, ==, 3);
	g_assert_cmpuint(after_ns, ==, 5);
}

static int append_n(struct fixture *f, guint n, const char *text)
{
	g_autoptr(GPtrArray) list = changes_new(n, "irq/24-eth0", text);
	g_autoptr(sd_bus_message) m = NULL;

	g_assert_cmpint(sd_bus_message_new_signal(f->bus, &m, "/x", "x.x", "X"), >=, 0);
	return changedict_append_list(m, list);
}

/* 8 MiB, counted as they go out: a byte that is no UTF-8 goes as three. */
static void test_bound(struct fixture *f, gconstpointer unused)
{
	g_autofree char *valid = g_strnfill(100000, 'x'), *invalid = g_strnfill(100000, '\xff');

	g_assert_cmpint(append_n(f, 80, valid), >=, 0);
	g_assert_cmpint(append_n(f, 84, valid), ==, -EMSGSIZE);
	g_assert_cmpint(append_n(f, 27, invalid), >=, 0);
	g_assert_cmpint(append_n(f, 28, invalid), ==, -EMSGSIZE);
	g_assert_cmpint(append_n(f, 10000, "no"), >=, 0);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
#define ADD(name, test)                                                                            \
	g_test_add("/changedict/" name, struct fixture, NULL, set_up, test, tear_down)
	ADD("rule-alone", test_rule_alone);
	ADD("types", test_types);
	ADD("bound", test_bound);
	return g_test_run();
}
