/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Three characters are escaped in a label, and everything else may stand there. Readers that take
 * lines apart by other line ends than '\n' would break at a carriage return nevertheless, so it and
 * its like are replaced; no name of ours needs them.
 */
#include "metricfile.h"

#include "decimal.h"

#include <inttypes.h>

void metricfile_init(struct metricfile *m, GString *out)
{
	*m = (struct metricfile){ .out = out };
}

static void metricfile_close(struct metricfile *m)
{
	if (m->name && m->samples == 0)
		g_string_truncate(m->out, m->begin);
	g_clear_pointer(&m->name, g_free);
}

void metricfile_family(struct metricfile *m, const char *name, const char *unit, const char *help)
{
	metricfile_close(m);
	m->name = unit ? g_strconcat(name, "_", unit, NULL) : g_strdup(name);
	m->begin = m->out->len;
	m->samples = 0;
	g_string_append_printf(m->out, "# HELP %s %s\n# TYPE %s gauge\n", m->name, help, m->name);
	if (unit)
		g_string_append_printf(m->out, "# UNIT %s %s\n", m->name, unit);
}

void metricfile_sample(struct metricfile *m, const char *labels, const char *value)
{
	m->samples++;
	if (*labels)
		g_string_append_printf(m->out, "%s{%s} %s\n", m->name, labels, value);
	else
		g_string_append_printf(m->out, "%s %s\n", m->name, value);
}

void metricfile_sample_number(struct metricfile *m, const char *labels, uint64_t value)
{
	g_autofree char *text = g_strdup_printf("%" PRIu64, value);

	metricfile_sample(m, labels, text);
}

void metricfile_sample_time(struct metricfile *m, const char *labels, uint64_t ns, unsigned ps)
{
	g_autoptr(GString) text = g_string_new(NULL);

	decimal_append_time(text, ns, ps, 1);
	metricfile_sample(m, labels, text->str);
}

void metricfile_end(struct metricfile *m)
{
	metricfile_close(m);
	g_string_append(m->out, "# EOF\n");
}

static void metricfile_append_char(GString *out, gunichar c)
{
	switch (c) {
	case '\\':
		g_string_append(out, "\\\\");
		break;
	case '"':
		g_string_append(out, "\\\"");
		break;
	case '\n':
		g_string_append(out, "\\n");
		break;
	case 0x2028: /* line and paragraph separator: line ends to some readers */
	case 0x2029:
		g_string_append_unichar(out, 0xfffd);
		break;
	default:
		g_string_append_unichar(out, g_unichar_iscntrl(c) ? 0xfffd : c);
	}
}

void metricfile_label(GString *labels, const char *name, const char *value)
{
	g_autofree char *valid = g_utf8_make_valid(value ? value : "", -1);

	g_string_append_printf(labels, "%s%s=\"", labels->len ? "," : "", name);
	for (const char *p = valid; *p; p = g_utf8_next_char(p))
		metricfile_append_char(labels, g_utf8_get_char(p));
	g_string_append_c(labels, '"');
}
