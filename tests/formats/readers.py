# SPDX-License-Identifier: GPL-2.0-or-later
"""What each format says, as numbers with their place in the JSON report.

A reader yields (place, text, unit): a tuple of keys and indexes, the number as it is printed (None:
the format says that there is none), and how many of the JSON report's units its unit is. Rounding
to the nearest is meant, or, with "floor" as a fourth member, downwards.
"""
import csv
import html.parser
import io
import json
import re
import xml.etree.ElementTree as etree
from decimal import Decimal

PERCENTILES = ["50", "75", "90", "95", "99", "99.9", "99.99", "99.999", "99.9999"]
US = 1000
S = 10**9
TITLES = {"samples": ("count", 1), "average": ("avg_ns", US), "maximum": ("max_ns", US),
          "minimum": ("min_ns", US), "stddev": ("stddev_ns", US), "missed": ("missed", 1),
          "lost": ("lost", 1), "migrated": ("migrated", 1)}


def _known(cell):
    return None if cell in ("-", "") else cell


def _cpu_place(report, stage, cpu):
    if cpu == "all":
        return ("stages", stage, "all")
    cpus = [c["cpu"] for c in report["stages"][stage]["cpus"]]
    return ("stages", stage, "cpus", cpus.index(int(cpu)))


# --- our own ---

def read_json(data, report):
    assert json.loads(data) == report
    yield from ()


def read_csv(data, report):
    rows = list(csv.DictReader(io.StringIO(data, newline="")))
    expected = [(i, str(c["cpu"])) for i, s in enumerate(report["stages"])
                for c in s["cpus"] + [{"cpu": "all"}]]
    assert len(rows) == len(expected)
    for row, (stage, cpu) in zip(rows, expected):
        place = _cpu_place(report, stage, cpu)
        assert row["cpu"] == cpu
        for key in ("count", "missed", "lost", "late", "migrated", "early", "overrun", "warmup",
                    "pending_ns", "min_ns", "avg_ns", "max_ns", "stddev_ns"):
            yield place + (key,), _known(row[key]), 1
        for p in PERCENTILES:
            yield place + ("percentiles", p), _known(row[f"p{p}_ns"]), 1
            yield place + ("corrected", "percentiles", p), _known(row[f"corrected_p{p}_ns"]), 1
        yield place + ("corrected", "count"), _known(row["corrected_count"]), 1
        yield place + ("corrected", "avg_ns"), _known(row["corrected_avg_ns"]), 1
        yield place + ("within", "bound_ns"), _known(row["within_bound_ns"]), 1
        yield ("stages", stage, "duration_ns"), row["stage_duration_ns"], 1
        yield ("stages", stage, "started_usec"), _known(row["stage_started_usec"]), 1


# --- tables of the text report, and the same as HTML ---

def _of_tables(tables, report):
    """tables: (number of the stage or None, header, rows of cells)."""
    percentile_header = ["percentile"] + PERCENTILES
    for stage, header, rows in tables:
        if header[:1] == ["CPU"] and stage is not None:
            for row in rows:
                place = _cpu_place(report, stage, row[0])
                for title, cell in zip(header[1:], row[1:]):
                    key, unit = TITLES[title]
                    yield place + (key,), _known(cell), unit
        elif header[:1] == ["percentile"]:
            assert set(header) <= set(percentile_header)
            for row in rows:
                path = ("corrected",) if row[0] == "corrected" else ()
                for p, cell in zip(header[1:], row[1:]):
                    yield ("stages", stage, "all") + path + ("percentiles", p), _known(cell), US
        elif header[:2] == ["worst", "CPU"]:
            of_cpu = {}
            for row in rows:
                place = _cpu_place(report, stage, row[1])
                n = of_cpu[place] = of_cpu.get(place, -1) + 1
                yield place + ("worst", n, "latency_ns"), row[0], US


def _text_tables(data):
    stage, header, rows = None, None, []
    for line in data.split("\n") + [""]:
        match = re.match(r"-- Stage (\d+) of \d+: ", line)
        cells = re.split(r"\s+", line.strip())
        if match or not line.strip():
            if header:
                yield stage, header, rows
            header, rows = None, []
            stage = int(match[1]) - 1 if match else stage
        elif line.startswith("  ") and cells[0] in ("CPU", "percentile", "worst"):
            header = re.split(r"\s{2,}", line.strip())
        elif header and re.fullmatch(r"\d+(\.\d+)?|all|sampled|corrected", cells[0]):
            assert len(cells) >= len(header)
            rows.append(cells)


def read_text(data, report):
    yield from _of_tables(_text_tables(data), report)
    yield from _of_repeats(data, report)
    yield from _of_limits(data, report)


def _of_repeats(data, report):
    """The table of repeats, and in its lines lowest, highest and median what the repeats have."""
    block = re.search(r"^  stage +repeat.*\n((?:  .*\n)+)", data, re.M)
    if not block:
        return
    titles = block[0].split("\n")[0].split()[2:-1]
    names, number = list(dict.fromkeys(s["name"] for s in report["stages"])), 0
    name = -1
    for line in block[1].splitlines():
        words = line.split()
        kind = next((w for w in words if w in ("lowest", "highest", "median")), None)
        if not line.startswith("   ") and not kind:
            name, number = name + 1, 0
        of_name = [i for i, s in enumerate(report["stages"]) if s["name"] == names[name]]
        at = words.index(kind) + 1 if kind else len(words) - len(titles) - 1
        for title, cell in zip(titles, words[at:at + len(titles)]):
            path = {"average": ("avg_ns",), "maximum": ("max_ns",)}.get(
                title, ("percentiles", title[1:]))
            if kind is None:
                place = ("stages", of_name[number], "all") + path
            elif (title, kind) == ("maximum", "median"):
                place = ("repeats", name, "max_ns")
            else:
                path = ("maxima_ns",) if title == "maximum" else path
                place = ("repeats", name) + path
                place += ({"lowest": "min", "highest": "max", "median": "median"}[kind],)
            yield place, _known(cell), US
        number += kind is None


UNITS = {"ns": 1, "us": US, "ms": 10**6, "s": S, "min": 60 * S, "h": 3600 * S}


def _limit_value(words):
    """"12.5us on CPU 3", "98.5 %", "12": (number as text, unit[, "floor"]); None: not one number."""
    number = re.match(r"(-?[0-9.]+)( %|[a-z]+)?(?= on CPU|\.?$| )", words.strip())
    if not number or number[2] not in (None, " %", *UNITS):
        return None
    if number[2] == " %":
        return number[1], Decimal("0.01"), "floor"
    return number[1], UNITS.get(number[2], 1)


def _of_limits(data, report):
    stage, limits = None, []
    for line in data.split("\n"):
        match = re.match(r"-- Stage (\d+) of", line)
        if match:
            stage = int(match[1]) - 1
            limits = list(enumerate(report["stages"][stage]["limits"]))
        row = re.match(r"  (.*\S)  +(kept|BROKEN|unknown)  (.*)$", line)
        if row and limits:
            n, limit = limits.pop(0)
            assert (row[2] == "unknown") == (limit["broken"] is None)
            value = _limit_value(row[3])
            if value:
                yield ("stages", stage, "limits", n, "value"), *value


class _Tables(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.stage, self.tables, self.cell, self.heading = None, [], None, None

    def handle_starttag(self, tag, attrs):
        if tag == "table":
            self.tables.append((self.stage, []))
        elif tag == "tr" and self.tables:
            self.tables[-1][1].append([])
        elif tag in ("td", "th"):
            self.cell = ""
        elif tag == "h2":
            self.heading = ""

    def handle_data(self, data):
        if self.cell is not None:
            self.cell += data
        if self.heading is not None:
            self.heading += data

    def handle_endtag(self, tag):
        if tag in ("td", "th") and self.cell is not None:
            self.tables[-1][1][-1].append(self.cell.strip())
            self.cell = None
        elif tag == "h2":
            match = re.match(r"Stage (\d+) of", self.heading)
            self.stage = int(match[1]) - 1 if match else None
            self.heading = None


def read_html(data, report):
    page = _Tables()
    page.feed(data)
    yield from _of_tables([(s, rows[0], rows[1:]) for s, rows in page.tables if rows], report)
    for picture in re.findall(r"<svg.*?</svg>", data, re.S):
        yield from read_svg(picture, report)


def read_svg(data, report):
    """What it says to who cannot see it: of each stage in turn, samples, smallest, largest."""
    desc = re.search("<desc[^>]*>(.*?)</desc>", data, re.S)[1]
    said = re.findall(r"Histogram: .*?All CPUs: (\d+) samples?(?:, ([0-9.]+) ([a-z]+) to "
                      r"([0-9.]+) ([a-z]+))?,", desc)
    shown = [i for i, s in enumerate(report["stages"]) if s["all"]["histogram"]]
    if len(said) > 1:
        assert len(said) == len(shown)
    for (count, low, low_unit, high, high_unit), stage in zip(said, shown):
        if len(said) == 1 and len(shown) > 1:
            return  # one picture of HTML: whose it is stands around it
        place = ("stages", stage, "all")
        yield place + ("count",), count, 1
        if low:
            yield place + ("min_ns",), low, UNITS[low_unit]
            yield place + ("max_ns",), high, UNITS[high_unit]


# --- cyclictest's ---

def _threads(report):
    """{cpu: figures of all stages}, from the histograms."""
    threads = {}
    for s in report["stages"]:
        for c in s["cpus"]:
            threads.setdefault(c["cpu"], []).append(c)
    return sorted(threads.items())


def _whole(values, pick):
    values = [v for v in values if v is not None]
    return pick(values) if values else None


def _thread_numbers(report, cells):
    """cells: of each thread (count, min, avg, max), as text; None: not checked."""
    threads = _threads(report)
    assert len(threads) == len(cells)
    for (cpu, parts), (count, low, avg, high) in zip(threads, cells):
        counts = [p["count"] for p in parts]
        whole = {"count": None if None in counts else sum(counts),
                 "min": _whole([p["min_ns"] for p in parts], min),
                 "max": _whole([p["max_ns"] for p in parts], max)}
        if all(p["avg_ns"] is not None for p in parts) and whole["count"]:
            whole["avg"] = sum(p["count"] * Decimal(str(p["avg_ns"])) for p in parts) / whole["count"]
        elif len(parts) == 1:
            whole["avg"] = parts[0]["avg_ns"]
        if count is not None and whole["count"] is not None:
            yield ("=", whole["count"]), count, 1
        for key, cell in (("min", low), ("max", high), ("avg", avg)):
            if key in whole and cell is not None:
                # what is no sample's has no time: 0 by cyclictest's form
                yield ("=", whole[key]), _known(cell), US, "floor"


def read_cyclictest(data, report):
    def row(title):
        return re.search(f"^# {title}:(.*)$", data, re.M)[1].split()
    total, over = row("Total"), row("Histogram Overflows")
    sums = [0] * len(total)
    for line in re.findall(r"^\d{6,} .*$", data, re.M):
        for i, n in enumerate(line.split()[1:]):
            sums[i] += int(n)
    assert sums == [int(t) for t in total]
    counts = [str(int(t) + int(o)) for t, o in zip(total, over)]
    yield from _thread_numbers(report, list(zip(counts, row("Min Latencies"), row("Avg Latencies"),
                                                row("Max Latencies"))))


def read_cyclictest_json(data, report):
    out = json.loads(data, parse_float=str, parse_int=str)
    cells = []
    for key in sorted(out["thread"], key=int):
        t = out["thread"][key]
        cells.append((t["cycles"], t["min"] or "-", None, t["max"] or "-"))
    yield from _thread_numbers(report, cells)
    for (cpu, parts), key in zip(_threads(report), sorted(out["thread"], key=int)):
        avg = out["thread"][key]["avg"]
        if len(parts) == 1:
            yield ("=", parts[0]["avg_ns"]), avg, US


# --- exports ---

METRICS = {"samples": "count", "minimum_seconds": "min_ns", "average_seconds": "avg_ns",
           "maximum_seconds": "max_ns", "deviation_seconds": "stddev_ns",
           "missed_periods": "missed", "lost_answers": "lost", "late_answers": "late",
           "migrated_samples": "migrated", "early_passes": "early", "pending_seconds": "pending_ns"}


def _stage_names(report):
    """As formats for programs name them: cases.h has the rule."""
    repeats, used = any(s["repeat"] > 1 for s in report["stages"]), set()
    for s in report["stages"]:
        name = clean(s["name"] or "-") + (f", repeat {s['repeat']}" if repeats else "")
        n, unused = 1, name
        while unused in used:
            n += 1
            unused = f"{name}-{n}"
        used.add(unused)
        yield unused


def clean(s):
    import unicodedata
    out = ""
    for c in s:
        kind = unicodedata.category(c)
        if c in " \t\n\r\f\v" or kind in ("Zl", "Zp"):
            out += " "
        else:
            none = ord(c) & 0xfffe == 0xfffe or 0xfdd0 <= ord(c) <= 0xfdef
            out += "?" if kind in ("Cc", "Cf") or none else c
    return out


def metric_lines(data):
    """(name, {label: value}, number as text) of every sample."""
    for line in data.split("\n"):
        if not line or line.startswith("#"):
            continue
        name, labels, value = re.fullmatch(r"(\w+)(?:\{(.*)\})? ([^ ]+)", line).groups()
        pairs = re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"(?:,|$)', labels or "")
        assert ",".join(f'{k}="{v}"' for k, v in pairs) == (labels or "")
        yield name, {k: re.sub(r"\\(.)", lambda m: "\n" if m[1] == "n" else m[1], v)
                     for k, v in pairs}, value


def read_openmetrics(data, report):
    names, seen = list(_stage_names(report)), set()
    for name, labels, value in metric_lines(data):
        whose, what = re.fullmatch(r"lrtbf_(session|stage|cpu)(?:_(.*))?", name).groups()
        if whose == "session":
            place = ("session", "summary")
        else:
            stage = names.index(labels["stage"])
            place = ("stages", stage, "all")
        if whose == "cpu":
            place = _cpu_place(report, stage, labels["cpu"])
        if what in METRICS:
            place += (METRICS[what],)
        elif what == "percentile_seconds":
            place += ("percentiles", labels["percentile"])
        elif what == "corrected_percentile_seconds":
            place += ("corrected", "percentiles", labels["percentile"])
        elif what == "measured_seconds":
            place = place[:1 if whose == "session" else 2] + ("duration_ns",)
        elif what in ("started_time_seconds", "finished_time_seconds"):
            yield ("session", what.split("_")[0] + "_usec"), value, 10**6
            continue
        elif what == "load":
            effect = report["stages"][stage]["effect"]
            if labels["metric"] in effect and "alike" not in report["session"]["label"]:
                yield ("stages", stage, "effect", labels["metric"], "mean"), value, 1
            continue
        elif what == "benchmark":
            yield from _benchmark(report, stage, labels["benchmark"], value)
            continue
        else:
            assert what in (None, "verdict", "limit_kept"), name
            continue
        seen.add(place)
        yield place, value, S if name.endswith("_seconds") else 1
    # what is known is there
    for i, s in enumerate(report["stages"]):
        for key in METRICS.values():
            if report["session"]["method"].get("quantity") == "overhead":
                continue
            assert (("stages", i, "all", key) in seen) == (s["all"][key] is not None), (i, key)
            for k, c in enumerate(s["cpus"]):
                assert (("stages", i, "cpus", k, key) in seen) == (c[key] is not None), (i, k, key)


def _benchmark(report, stage, name, value, unit=1):
    values = report["stages"][stage]["values"]
    yield ("stages", stage, "values", [v["name"] for v in values].index(name), "value"), value, unit


def _named(name):
    """"p99.9", "corrected.p50", "max", "missed": the place in FIGURES."""
    match = re.fullmatch(r"(corrected\.)?p([0-9.]+)", name)
    if match:
        return (("corrected",) if match[1] else ()) + ("percentiles", match[2])
    return (name if name in METRICS.values() else name + "_ns",)


def read_junit(data, report):
    suites = etree.fromstring(data).findall("testsuite")
    assert len(suites) == len(report["stages"]) + 1
    for i, suite in enumerate(suites):
        place = ("stages", i, "all") if i < len(report["stages"]) else ("session", "summary")
        for p in suite.find("properties"):
            name, value = p.get("name"), p.get("value")
            match = re.fullmatch(r"((?:corrected\.)?p[0-9.]+|min|max|avg|stddev|pending)_ns", name)
            if match:
                yield place + _named(match[1]), value, 1
            elif name in METRICS.values():
                yield place + (name,), value, 1
            elif i < len(report["stages"]) and name != "load":
                yield from _benchmark(report, i, name.rsplit("_", 1)[0], value)
        if i < len(report["stages"]):
            yield ("stages", i, "duration_ns"), suite.get("time"), S, "floor"
            messages = [(c[0].get("message") if len(c) else None) for c in suite.findall("testcase")]
            yield from _messages(report, i, messages[1:])


def _messages(report, stage, messages):
    """Of the limits of a stage, in order: "Kept: 12us on CPU 3."; None: nothing is said."""
    limits = report["stages"][stage]["limits"]
    assert len(messages) == len(limits)
    for n, message in enumerate(messages):
        match = re.match(r"(Kept|Broken): (.*?)\.(?: |$)", message or "")
        if not match:
            continue
        assert (match[1] == "Broken") == limits[n]["broken"]
        yield ("stages", stage, "limits", n, "value"), *_limit_value(match[2])


def read_tap(data, report):
    stage = -1
    for line in data.splitlines():
        if re.match(r"(not )?ok \d+ - .*: measured$", line):
            stage += 1
        for name, value, us in re.findall(r"(\S+)=([0-9.]+)(us)?(?= |$)", line):
            if line.startswith("# count=") or line.startswith("# min="):
                yield ("stages", stage, "all") + _named(name), value, US if us else 1


def lava_signals(data):
    """(id, result, units, measurement) of every line."""
    for line in data.splitlines():
        yield re.fullmatch(r"<LAVA_SIGNAL_TESTCASE TEST_CASE_ID=([A-Za-z0-9._-]+) RESULT=(pass|fail|skip|unknown)"
                           r"(?: UNITS=([A-Za-z0-9._-]+) MEASUREMENT=(-?[0-9.]+))?>", line).groups()


LAVA_UNITS = {"us": US, "count": 1, "percent": Decimal("0.01")}


def read_lava(data, report):
    signals = list(lava_signals(data))
    for i, s in enumerate(report["stages"]):
        assert signals.pop(0)[0].endswith(".measured") or report["session"]["plan"] != "sample"
        for n, limit in enumerate(s["limits"]):
            _, _, units, value = signals.pop(0)
            assert value is not None or limit["value"] is None
            if value is not None:
                yield ("stages", i, "limits", n, "value"), value, LAVA_UNITS[units]
    assert signals.pop(0)[0] == "session"
    if report["session"]["plan"] != "sample":
        return  # its ids are not its names
    names = [re.sub("[^A-Za-z0-9._-]+", "_", n) for n in _stage_names(report)]
    for name, _, units, value in signals:
        stage = max((i for i, n in enumerate(names) if name.startswith(n + ".")),
                    key=lambda i: len(names[i]))
        what = name[len(names[stage]) + 1:]
        if report["session"]["method"].get("quantity") == "overhead":
            yield from _benchmark(report, stage, what, value)
        elif value is not None:
            yield ("stages", stage, "all") + _named(what), value, LAVA_UNITS[units]


def hgrm_rows(data):
    for line in data.splitlines():
        if re.match(r" *[0-9.]+ ", line):
            yield line.split()


def read_hgrm(data, report):
    """Of a row: the buckets up to its value, which is one's upper edge, hold so many samples."""
    buckets = {}
    for s in report["stages"]:
        for _, high, n in s["all"]["histogram"]:
            buckets[high - 1] = buckets.get(high - 1, 0) + n
    upto, edges = 0, {}
    for edge in sorted(buckets):
        upto += buckets[edge]
        edges[edge] = upto
    total = report["session"]["summary"]["count"] if report["session"]["summary"] else None
    last = None
    for value, percentile, count, *_ in hgrm_rows(data):
        edge = int(Decimal(value) * 1000)
        assert edges[edge] == int(count)
        share, before = Decimal(percentile), edges[edge] - buckets[edge]
        assert int(count) >= share * total - Decimal("1e-9") * total
        assert before < share * total + Decimal("1e-9") * total or before == 0
        assert last is None or (Decimal(percentile), edge) >= last
        last = share, edge
    if edges and not any(s["all"]["unplaced"] for s in report["stages"]):
        assert last == (1, max(edges))
    place = ("session", "summary")
    mean, deviation = re.search(r"#\[Mean += +(\S+), StdDeviation += +(\S+)\]", data).groups()
    largest, count = re.search(r"#\[Max += +(\S+), Total count += +(\S+)\]", data).groups()
    yield place + ("avg_ns",), _known(mean), US
    yield place + ("stddev_ns",), _known(deviation), US
    yield place + ("max_ns",), _known(largest), US
    yield place + ("count",), _known(count), 1


def markdown_tables(data):
    """Rows of cells, as they stand there."""
    for block in re.findall(r"(?:^\|.*\|\n)+", data, re.M):
        yield [[c.strip() for c in re.split(r"(?<!\\)\|", line)[1:-1]]
               for line in block.splitlines()]


def read_markdown(data, report):
    stages, cpus, shown = report["stages"], 0, [i for i, s in enumerate(report["stages"])
                                                if len(s["cpus"]) > 1]
    for header, _, *rows in markdown_tables(data):
        if header[0] == "stage" and header[1] == "verdict":
            assert len(rows) == len(stages)
            for i, row in enumerate(rows):
                for title, cell in zip(header[2:], row[2:]):
                    key, unit = TITLES[title]
                    yield ("stages", i, "all", key), _known(cell), unit
        elif header[0] == "percentile":
            stage = -1
            for row in rows:
                corrected = row[0].endswith(", corrected")
                stage += not corrected
                path = ("corrected",) if corrected else ()
                for p, cell in zip(header[1:], row[1:]):
                    yield ("stages", stage, "all") + path + ("percentiles", p), _known(cell), US
        elif header[0] == "CPU":
            for row in rows:
                for title, cell in zip(header[1:], row[1:]):
                    key, unit = TITLES[title]
                    yield _cpu_place(report, shown[cpus], row[0]) + (key,), _known(cell), unit
            cpus += 1
        elif header[:2] == ["stage", "limit"]:
            places = [(i, n) for i, s in enumerate(stages) for n, _ in enumerate(s["limits"])]
            assert len(places) == len(rows)
            for (i, n), row in zip(places, rows):
                yield from ((("stages", i, "limits", n) + place[4:], *rest)
                            for place, *rest in _one_message(report, i, n, row[3]))
        elif header[:2] == ["stage", "benchmark"]:
            places = [(i, n) for i, s in enumerate(stages) for n, _ in enumerate(s["values"])]
            for (i, n), row in zip(places, rows):
                yield ("stages", i, "values", n, "value"), row[3], 1
        elif header[0] == "all stages and CPUs":
            for name, value in rows:
                place = _named(name)
                yield ("session", "summary") + place, value, US if place[-1] not in METRICS.values() \
                    or place[-1].endswith("_ns") else 1


def _one_message(report, stage, n, message):
    match = re.match(r"(Kept|Broken): (.*?)\.(?: |$)", message)
    if match:
        yield ("stages", stage, "limits", n, "value"), *_limit_value(match[2])


READERS = {"json": read_json, "csv": read_csv, "text": read_text, "html": read_html, "svg": read_svg,
           "cyclictest": read_cyclictest, "cyclictest-json": read_cyclictest_json,
           "openmetrics": read_openmetrics, "junit": read_junit, "tap": read_tap, "lava": read_lava,
           "hgrm": read_hgrm, "markdown": read_markdown}
