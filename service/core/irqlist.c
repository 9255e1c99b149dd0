/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why no bit set as for CPUs: interrupt numbers are sparse and reach into the millions. Lists are
 * short, so the text itself is walked.
 */
#include "irqlist.h"

#include "message.h"

#include <errno.h>

#define IRQLIST_TEXT_MAX 4096

struct irq_range {
	unsigned first, last;
};

static void skip_blanks(const char **s)
{
	while (**s == ' ' || **s == '\t')
		(*s)++;
}

static int number_scan(const char **s, unsigned *ret, char **ret_message)
{
	guint64 n = 0;

	skip_blanks(s);
	if (!g_ascii_isdigit(**s))
		return message_fail(ret_message, -EINVAL,
				    "it takes numbers of interrupts, such as 24 or \"24,30-33\"");
	for (; g_ascii_isdigit(**s); (*s)++) {
		n = n * 10 + (**s - '0');
		if (n > IRQLIST_NUMBER_MAX)
			return message_fail(ret_message, -EINVAL,
					    "no interrupt has a number above %u",
					    IRQLIST_NUMBER_MAX);
	}
	skip_blanks(s);
	*ret = n;
	return 0;
}

/* The next range of *s: 1, or 0 at the end. -EINVAL with a sentence. */
static int range_scan(const char **s, struct irq_range *ret, char **ret_message)
{
	int r;

	if (!**s)
		return 0;
	r = number_scan(s, &ret->first, ret_message);
	if (r < 0)
		return r;
	ret->last = ret->first;
	if (**s == '-') {
		(*s)++;
		r = number_scan(s, &ret->last, ret_message);
		if (r < 0)
			return r;
	}
	if (ret->last < ret->first)
		return message_fail(ret_message, -EINVAL,
				    "the range %u-%u runs backwards; write %u-%u", ret->first,
				    ret->last, ret->last, ret->first);
	if (**s == ',') {
		(*s)++;
		if (!**s)
			return message_fail(ret_message, -EINVAL,
					    "nothing follows its last comma; leave that out");
	} else if (**s) {
		return message_fail(ret_message, -EINVAL,
				    "it takes numbers with commas between, such as \"24,30-33\"");
	}
	return 1;
}

bool irqlist_contains(const char *text, unsigned irq)
{
	struct irq_range range;
	bool found = false;
	int r;

	while ((r = range_scan(&text, &range, NULL)) > 0)
		found |= irq >= range.first && irq <= range.last;
	return r == 0 && found;
}

static int range_compare(gconstpointer a, gconstpointer b)
{
	const struct irq_range *x = a, *y = b;

	return (x->first > y->first) - (x->first < y->first);
}

static void range_append(GString *out, const struct irq_range *r)
{
	g_string_append_printf(out, "%s%u", out->len ? "," : "", r->first);
	if (r->last > r->first)
		g_string_append_printf(out, "-%u", r->last);
}

int irqlist_normalise(const char *text, char **ret, char **ret_message)
{
	g_autoptr(GArray) ranges = g_array_new(FALSE, FALSE, sizeof(struct irq_range));
	struct irq_range range, *all;
	const char *s = text;
	GString *out;
	guint n = 0;
	int r;

	if (strlen(text) > IRQLIST_TEXT_MAX)
		return message_fail(ret_message, -EINVAL, "it is longer than %d bytes",
				    IRQLIST_TEXT_MAX);
	while ((r = range_scan(&s, &range, ret_message)) > 0)
		g_array_append_val(ranges, range);
	if (r < 0)
		return r;
	if (ranges->len == 0)
		return message_fail(ret_message, -EINVAL,
				    "it is empty; write numbers, such as 24 or \"24,30-33\"");
	g_array_sort(ranges, range_compare);
	all = (struct irq_range *)ranges->data;
	for (guint i = 1; i < ranges->len; i++) {
		if (all[i].first <= all[n].last || all[i].first == all[n].last + 1)
			all[n].last = MAX(all[n].last, all[i].last);
		else
			all[++n] = all[i];
	}
	out = g_string_new(NULL);
	for (guint i = 0; i <= n; i++)
		range_append(out, &all[i]);
	*ret = g_string_free(out, FALSE);
	return 0;
}
