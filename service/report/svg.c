/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why no library: what draws (cairo, a chart library) brings fonts, a display or a renderer with
 * it, and gives pictures in which no text can be searched, read out or turned dark. What a plot
 * needs is lines and text, and a document of those is written as any other report is.
 *
 * The colours stand in a style sheet and not at the elements, because only a sheet can ask whether
 * the reader prefers dark. It uses nothing that printers and converters (librsvg, WeasyPrint) do
 * not know: no custom properties, no nesting; they pass over the @media block and draw light.
 */
#include "svg.h"

#include <math.h>
#include <string.h>

#define SVG_MARGIN  16
#define SVG_SIZE    12.0 /* of text; the sheet's */
#define SVG_NOTE    11.0
#define SVG_HEADING 15.0
#define SVG_BOLD    1.15 /* as much wider */

#define U_FSI 0x2068
#define U_PDI 0x2069

/* clang-format off: a style sheet */
const char svg_style[] =
	".lp text{fill:#24292f;stroke:none}"
	".lp .lp-bg{fill:#fff}"
	".lp .lp-h{font-size:15px;font-weight:600}"
	".lp .lp-q{fill:#57606a}"
	".lp .lp-n{fill:#57606a;font-size:11px}"
	".lp .lp-grid{fill:none;stroke:#e4e7eb;stroke-width:1}"
	".lp .lp-minor{fill:none;stroke:#f1f3f5;stroke-width:1}"
	".lp .lp-axis{fill:none;stroke:#8c959f;stroke-width:1}"
	".lp .lp-rule{fill:none;stroke:#57606a;stroke-width:1;stroke-dasharray:4 3}"
	".lp .lp-rug{fill:none;stroke:#8c959f;stroke-width:1}"
	".lp .lp-shade{fill:#8c959f;fill-opacity:.18}"
	".lp .lp-l{fill:none;stroke-width:1.7;stroke-linejoin:round}"
	".lp .lp-w{stroke-width:4.5;stroke-opacity:.4}"
	".lp .lp-a{fill-opacity:.28;stroke-width:1.2;stroke-linejoin:round}"
	".lp .lp-b{fill-opacity:.16;stroke:none}"
	".lp .lp-m{stroke-width:1.4}"
	".lp .lp-o{fill:none}"
	".lp .lp-s0{stroke:#0072b2;fill:#0072b2}"
	".lp .lp-s1{stroke:#d55e00;fill:#d55e00}"
	".lp .lp-s2{stroke:#00875f;fill:#00875f}"
	".lp .lp-s3{stroke:#b5578f;fill:#b5578f}"
	".lp .lp-s4{stroke:#c08000;fill:#c08000}"
	".lp .lp-s5{stroke:#3a96cf;fill:#3a96cf}"
	".lp .lp-s6{stroke:#24292f;fill:#24292f}"
	".lp .lp-s7{stroke:#857a00;fill:#857a00}"
	".lp .lp-d1{stroke-dasharray:8 3}"
	".lp .lp-d2{stroke-dasharray:3 2}"
	".lp .lp-d3{stroke-dasharray:9 3 2 3}"
	".lp .lp-d4{stroke-dasharray:14 4}"
	".lp .lp-d5{stroke-dasharray:6 2 1.5 2 1.5 2}"
	".lp .lp-d6{stroke-dasharray:1.5 2}"
	".lp .lp-d7{stroke-dasharray:12 2 5 2}"
	".lp .lp-k1{stroke-opacity:.14}"
	".lp .lp-k2{stroke-opacity:.26}"
	".lp .lp-k3{stroke-opacity:.39}"
	".lp .lp-k4{stroke-opacity:.51}"
	".lp .lp-k5{stroke-opacity:.63}"
	".lp .lp-k6{stroke-opacity:.75}"
	".lp .lp-k7{stroke-opacity:.88}"
	".lp .lp-k8{stroke-opacity:1}"
	".lp .lp-l,.lp .lp-o,.lp .lp-k{fill:none}"
	".lp .lp-b{stroke:none}";
const char svg_style_dark[] = "@media screen and (prefers-color-scheme:dark){"
			      "svg.lp text{fill:#e6e9ed}"
			      "svg.lp .lp-bg{fill:#15191e}"
			      "svg.lp .lp-q,svg.lp .lp-n{fill:#a3adb8}"
			      "svg.lp .lp-grid{stroke:#2b3138}"
			      "svg.lp .lp-minor{stroke:#1f242a}"
			      "svg.lp .lp-axis,svg.lp .lp-rug{stroke:#78828d}"
			      "svg.lp .lp-rule{stroke:#a3adb8}"
			      "svg.lp .lp-s0{stroke:#4aa8e8;fill:#4aa8e8}"
			      "svg.lp .lp-s1{stroke:#f5863d;fill:#f5863d}"
			      "svg.lp .lp-s2{stroke:#2fc99b;fill:#2fc99b}"
			      "svg.lp .lp-s3{stroke:#e59ac8;fill:#e59ac8}"
			      "svg.lp .lp-s4{stroke:#efb83f;fill:#efb83f}"
			      "svg.lp .lp-s5{stroke:#93d4ff;fill:#93d4ff}"
			      "svg.lp .lp-s6{stroke:#e6e9ed;fill:#e6e9ed}"
			      "svg.lp .lp-s7{stroke:#c9be4a;fill:#c9be4a}"
			      "svg.lp .lp-l,svg.lp .lp-o,svg.lp .lp-k{fill:none}"
			      "svg.lp .lp-b{stroke:none}"
			      "}";
/* clang-format on */

/* What XML forbids, what shows as nothing sensible, and what turns the text around it. */
static bool svg_unfit(gunichar c)
{
	if (c < 0x20 || (c >= 0x7f && c <= 0x9f) || (c & 0xfffe) == 0xfffe)
		return true;
	return (c >= 0x202a && c <= 0x202e) || c == 0x2066 || c == 0x2067 || c == 0xfeff;
}

static void svg_append_char(GString *out, gunichar c)
{
	switch (c) {
	case '&':
		g_string_append(out, "&amp;");
		break;
	case '<':
		g_string_append(out, "&lt;");
		break;
	case '>':
		g_string_append(out, "&gt;");
		break;
	case '"':
		g_string_append(out, "&quot;");
		break;
	case '\'':
		g_string_append(out, "&#39;");
		break;
	case '\t':
	case '\n':
	case '\r':
	case 0x2028:
	case 0x2029:
		g_string_append_c(out, ' ');
		break;
	default:
		g_string_append_unichar(out, svg_unfit(c) ? 0xfffd : c);
	}
}

void svg_append_text(GString *out, const char *s)
{
	g_autofree char *valid = g_utf8_make_valid(s ? s : "", -1);

	for (const char *p = valid; *p; p = g_utf8_next_char(p))
		svg_append_char(out, g_utf8_get_char(p));
}

char *svg_text_new(const char *s)
{
	GString *out = g_string_new(NULL);

	svg_append_text(out, s);
	return g_string_free(out, FALSE);
}

char *svg_foreign(const char *s)
{
	g_autofree char *valid = g_utf8_make_valid(s ? s : "", -1);
	GString *out;

	if (g_str_is_ascii(valid))
		return g_steal_pointer(&valid);
	out = g_string_new(NULL);
	g_string_append_unichar(out, U_FSI);
	for (const char *p = valid; *p; p = g_utf8_next_char(p)) {
		gunichar c = g_utf8_get_char(p);

		g_string_append_unichar(out, c == U_FSI || c == U_PDI ? 0xfffd : c);
	}
	g_string_append_unichar(out, U_PDI);
	return g_string_free(out, FALSE);
}

void svg_append_number(GString *out, double v)
{
	long long hundredths;
	unsigned long long n;

	if (!isfinite(v))
		v = 0;
	hundredths = llround(CLAMP(v, -1e9, 1e9) * 100);
	n = hundredths < 0 ? -hundredths : hundredths;
	g_string_append_printf(out, "%s%llu", hundredths < 0 ? "-" : "", n / 100);
	if (n % 100)
		g_string_append_printf(out, n % 10 ? ".%02llu" : ".%llu",
				       n % 10 ? n % 100 : n % 100 / 10);
}

/* In parts of the size: what sans-serif fonts have on average, rather too much than too little. */
static double svg_char_width(gunichar c)
{
	if (g_unichar_iszerowidth(c) || c == U_FSI || c == U_PDI)
		return 0;
	if (g_unichar_iswide(c))
		return 1.05;
	if (c < 0x80 && strchr(" .,:;'|!iIjltfr()[]-", (int)c))
		return 0.36;
	if (c >= 0x2000)
		return 1;
	if (c == 'm' || c == 'w' || c == 'M' || c == 'W' || c == '%' || c == '@')
		return 0.9;
	return g_unichar_isupper(c) ? 0.7 : 0.59;
}

double svg_text_width(const char *s, double size)
{
	g_autofree char *valid = g_utf8_make_valid(s ? s : "", -1);
	double width = 0;

	for (const char *p = valid; *p; p = g_utf8_next_char(p))
		width += svg_char_width(g_utf8_get_char(p));
	return width * size;
}

char *svg_text_fit(const char *s, double size, double width)
{
	g_autofree char *valid = g_utf8_make_valid(s ? s : "", -1);
	double taken = size; /* the ellipsis */
	const char *p = valid;

	if (svg_text_width(valid, size) <= width)
		return g_steal_pointer(&valid);
	for (; *p; p = g_utf8_next_char(p)) {
		taken += svg_char_width(g_utf8_get_char(p)) * size;
		if (taken > width)
			break;
	}
	return g_strdup_printf("%.*s\xe2\x80\xa6%s", (int)(p - valid), valid,
			       strstr(valid, "\xe2\x81\xa8") ? "\xe2\x81\xa9" : "");
}

struct svg *svg_new(const char *prefix)
{
	struct svg *s = g_new0(struct svg, 1);

	s->body = g_string_new(NULL);
	s->prefix = g_strdup(prefix);
	s->width = SVG_WIDTH;
	s->y = 10;
	return s;
}

void svg_end(struct svg *s, const char *title, const char *desc, enum svg_form form, GString *out)
{
	if (form == SVG_ALONE)
		g_string_append(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
	g_string_append(out,
			"<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"lp\" viewBox=\"0 0 ");
	svg_append_number(out, s->width);
	g_string_append_c(out, ' ');
	svg_append_number(out, s->y);
	g_string_append(out, "\" width=\"");
	svg_append_number(out, s->width);
	g_string_append(out, "\" height=\"");
	svg_append_number(out, s->y);
	g_string_append_printf(out,
			       "\" role=\"img\" aria-labelledby=\"%s-t %s-d\" font-size=\"12\" "
			       "font-family=\"system-ui,Cantarell,'DejaVu Sans',Helvetica,Arial,"
			       "sans-serif\">\n<title id=\"%s-t\">",
			       s->prefix, s->prefix, s->prefix);
	svg_append_text(out, title);
	g_string_append_printf(out, "</title>\n<desc id=\"%s-d\">", s->prefix);
	svg_append_text(out, desc);
	g_string_append_printf(
		out,
		"</desc>\n<style>%s%s</style>\n"
		"<rect class=\"lp-bg\" width=\"100%%\" height=\"100%%\"/>\n%s</svg>\n",
		svg_style, form == SVG_ALONE ? svg_style_dark : "", s->body->str);
	g_string_free(s->body, TRUE);
	g_free(s->prefix);
	g_free(s);
}

static void svg_text(struct svg *s, double x, double y, const char *class, enum svg_anchor anchor,
		     const char *text)
{
	static const char *const anchors[] = {
		[SVG_START] = "",
		[SVG_MIDDLE] = " text-anchor=\"middle\"",
		[SVG_END] = " text-anchor=\"end\"",
	};

	g_string_append(s->body, "<text x=\"");
	svg_append_number(s->body, x);
	g_string_append(s->body, "\" y=\"");
	svg_append_number(s->body, y);
	g_string_append_printf(s->body, "\"%s%s%s%s>", class ? " class=\"" : "", class ? class : "",
			       class ? "\"" : "", anchors[anchor]);
	svg_append_text(s->body, text);
	g_string_append(s->body, "</text>\n");
}

void svg_label(struct svg *s, double x, double y, enum svg_anchor anchor, const char *text)
{
	svg_text(s, x, y, "lp-n", anchor, text);
}

void svg_heading(struct svg *s, const char *title, const char *sub)
{
	double room = s->width - 2 * SVG_MARGIN;
	g_autofree char *title_fit = svg_text_fit(title, SVG_HEADING * SVG_BOLD, room);
	g_autofree char *sub_fit = sub && *sub ? svg_text_fit(sub, SVG_SIZE, room) : NULL;

	s->y += 18;
	svg_text(s, SVG_MARGIN, s->y, "lp-h", SVG_START, title_fit);
	if (sub_fit) {
		s->y += 18;
		svg_text(s, SVG_MARGIN, s->y, "lp-q", SVG_START, sub_fit);
	}
	s->y += 10;
}

void svg_note(struct svg *s, const char *text)
{
	g_auto(GStrv) words = g_strsplit_set(text ? text : "", " \n\t", -1);
	double room = s->width - 2 * SVG_MARGIN, width = 0;
	g_autoptr(GString) line = g_string_new(NULL);

	for (char **w = words; *w; w++) {
		double more = svg_text_width(*w, SVG_NOTE) + 0.33 * SVG_NOTE;

		if (line->len && width + more > room) {
			s->y += 15;
			svg_text(s, SVG_MARGIN, s->y, "lp-n", SVG_START, line->str);
			g_string_truncate(line, 0);
			width = 0;
		}
		g_string_append_printf(line, "%s%s", line->len ? " " : "", *w);
		width += more;
	}
	if (line->len) {
		s->y += 15;
		svg_text(s, SVG_MARGIN, s->y, "lp-n", SVG_START, line->str);
	}
	s->y += 8;
}
