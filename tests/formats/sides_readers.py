# SPDX-License-Identifier: GPL-2.0-or-later
"""What formats of comparisons and trends say, as numbers with their place in the JSON report.

As in readers.py: (place, the number as printed or None, how many of the JSON's units its unit is).
Tables of text, markdown and html become the same blocks first: ("text", words) and ("table",
header, rows), a row being a list of cells.
"""
import csv
import html.parser
import io
import re

from readers import US, _known, markdown_tables


def text_blocks(data):
    for block in re.split(r"\n\s*\n", data):
        lines = block.strip("\n").split("\n")
        said = [line for line in lines if not line.startswith("  ")]
        rows = [line for line in lines if line.startswith("  ")]
        if said and not said[0].startswith("-- "):
            yield "text", " ".join(said)
        if said and said[0].startswith("-- "):
            yield "heading", said[0]
        if rows:
            cells = [re.split(r"\s{2,}", r.strip()) for r in rows]
            yield "table", cells[0], cells[1:]


def markdown_blocks(data):
    for block in data.split("\n\n"):
        if block.lstrip().startswith("|"):
            header, _, *rows = next(markdown_tables(block.strip("\n") + "\n"))
            yield "table", header, rows
        elif block.startswith("#### "):
            yield "heading", block
        else:
            yield "text", block.replace("\\", "").replace("\n", " ")


class _Blocks(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.blocks, self.words, self.rows = [], None, None

    def handle_starttag(self, tag, attrs):
        if tag == "table":
            self.rows = []
        elif tag == "tr":
            self.rows.append([])
        elif tag in ("p", "h2", "td", "th", "caption"):
            self.words = ""

    def handle_data(self, data):
        if self.words is not None:
            self.words += data

    def handle_endtag(self, tag):
        if tag in ("td", "th"):
            self.rows[-1].append(self.words.strip())
        elif tag in ("p", "caption"):
            self.blocks.append(("text", self.words))
        elif tag == "h2":
            self.blocks.append(("heading", self.words))
        elif tag == "table":
            self.blocks.append(("table", self.rows[0], self.rows[1:]))
        if tag in ("p", "h2", "td", "th", "caption"):
            self.words = None


def html_blocks(data):
    page = _Blocks()
    page.feed(re.sub(r"<svg.*?</svg>", "", data, flags=re.S))
    return page.blocks


# --- comparisons ---

NUMBER = r"[-+]?[0-9]+(?:\.[0-9]+)?"


def _value(place, cell, unit):
    match = re.fullmatch(rf"({NUMBER}|-)(?: \(({NUMBER})-({NUMBER})\))?\*?", cell)
    assert match, cell
    yield place + ("value",), _known(match[1]), unit
    if match[2]:
        yield place + ("low",), match[2], unit
        yield place + ("high",), match[3], unit


def _difference(place, cell):
    match = re.fullmatch(rf"({NUMBER}|-|~)(?: \(({NUMBER}) to ({NUMBER})\))?\*?", cell.replace("\\", ""))
    assert match, cell
    if match[1] == "~":
        yield place + ("shown",), "0", 1
    else:
        yield place + ("percent",), _known(match[1]), 1
    if match[2]:
        yield place + ("low",), match[2], 1
        yield place + ("high",), match[3], 1


def _compare_tables(blocks, j):
    number, place, side = -1, None, None
    for kind, *block in blocks:
        if kind == "heading":
            if re.search("Latency|Noise|Overhead", block[0]):
                number += 1
                table = j["tables"][number]
                place, side = ("tables", number), None
                keys = {c["title"]: (c["key"], US if c["unit"] == "ns" else 1) for c in table["columns"]}
        elif kind == "text" and "difference" in block[0] and " against " in f" {block[0]}" \
                and "in percent" in block[0]:
            others = sorted({r["side"] for r in table["rows"] if r["differences"]})
            side = next(s for s in others if side is None or s > side)
        elif kind == "table" and place:
            header, rows = block
            titles = [t for t in header if t in keys]
            if header[0] == "measure":
                yield from _measures(place, header, rows, table)
            elif not titles:
                continue
            else:
                wanted = [i for i, r in enumerate(table["rows"])
                          if side is None or (r["side"] == side and r["differences"])]
                assert len(rows) == len(wanted), (header, rows)
                for i, row in zip(wanted, rows):
                    for title, cell in zip(titles, row[-len(titles):]):
                        key, unit = keys[title]
                        at = place + ("rows", i)
                        if side is None:
                            yield from _value(at + ("figures", key), cell, unit)
                        else:
                            yield from _difference(at + ("differences", key), cell)


def _measures(place, header, rows, table):
    """A row for each figure, a column for each side and, behind it, its difference."""
    stage = table["rows"][0]["stage"]
    assert all(r["stage"] == stage for r in table["rows"])
    for column, row in zip(table["columns"], rows):
        side = -1
        for title, cell in zip(header[1:], row[1:]):
            side += title != "%"
            at = place + ("rows", side)
            if title == "%":
                yield from _difference(at + ("differences", column["key"]), cell)
            else:
                yield from _value(at + ("figures", column["key"]), cell,
                                  US if column["unit"] == "ns" else 1)


def at_difference(table, row, column):
    return table["rows"][row]["differences"][column["key"]]


def compare_csv(data, j):
    rows = iter(csv.DictReader(io.StringIO(data, newline="")))
    for t, table in enumerate(j["tables"]):
        order = sorted(range(len(table["rows"])), key=lambda i: table["rows"][i]["side"])
        for i in order:
            for c in table["columns"]:
                row = next(rows)
                assert row["figure"] == c["title"] and row["unit"] == (c["unit"] or "")
                place = ("tables", t, "rows", i, "figures", c["key"])
                for key in ("value", "low", "high"):
                    yield place + (key,), _known(row[key]), 1
                if c["key"] not in (table["rows"][i]["differences"] or {}):
                    assert not row["percent"] + row["percent_low"] + row["alike"]
                    continue
                place = ("tables", t, "rows", i, "differences", c["key"])
                yield place + ("percent",), _known(row["percent"]), 1
                yield place + ("low",), _known(row["percent_low"]), 1
                yield place + ("high",), _known(row["percent_high"]), 1
                assert (row["alike"] == "~") == (at_difference(table, i, c)["shown"] is False)
    assert next(rows, None) is None


def _nothing(data, j):
    yield from ()


COMPARE = {"json": _nothing, "csv": compare_csv,
           "text": lambda data, j: _compare_tables(text_blocks(data), j),
           "markdown": lambda data, j: _compare_tables(markdown_blocks(data), j),
           "html": lambda data, j: _compare_tables(html_blocks(data), j),
           "svg": _nothing}  # its numbers are where lines end: tests/unit/test-plot.c and the like


# --- trends ---

def trend_csv(data, j):
    rows = list(csv.DictReader(io.StringIO(data, newline="")))
    points = j["points"]
    assert len(rows) == len(points)
    unit = next((k for k in (rows[0] if rows else {}) if k.startswith("value")), "value")
    for i, row in enumerate(rows):
        assert row["verdict"] == points[i]["verdict"]
        yield ("points", i, "value"), _known(row[unit]), 1
        yield ("points", i, "started_usec"), _known(row["started_usec"]), 1


def _trend_tables(blocks, j):
    unit = US if j["unit"] == "ns" else 1
    for kind, *block in blocks:
        if kind != "table":
            continue
        header, rows = block
        if header[0] == "since":  # maybe in two tables, when the page is narrow
            titles = ("sessions", "median", "lowest", "highest", "change")
            assert len(rows) == len(j["levels"]) and set(titles) & set(header)
            for i, row in enumerate(rows):
                for title, cell in zip(header[::-1], row[::-1]):
                    if title == "change" and i:
                        yield ("shifts", i - 1, "percent"), _known(cell.removesuffix(" %")), 1
                    elif title in titles[:4]:
                        yield ("levels", i, title), _known(cell), 1 if title == "sessions" else unit
        elif header[0] == "started" and header[-1] == "value":
            first = len(j["points"]) - len(rows)
            for i, row in enumerate(rows):
                yield ("points", first + i, "value"), _known(row[-1]), unit
        elif header[0] == "kernel":
            assert len(rows) == len(j["kernels"])
            for i, row in enumerate(rows):
                for title, cell in zip(header[::-1], row[::-1]):
                    if title in ("median", "lowest", "highest"):
                        yield ("kernels", i, title), _known(cell), unit
                    elif title == "sessions":
                        yield ("kernels", i, title), cell, 1


TREND = {"json": _nothing, "csv": trend_csv,
         "text": lambda data, j: _trend_tables(text_blocks(data), j),
         "markdown": lambda data, j: _trend_tables(markdown_blocks(data), j),
         "svg": _nothing}  # likewise
