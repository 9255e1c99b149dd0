# SPDX-License-Identifier: GPL-2.0-or-later
"""Comparisons and trends: every format says the same, and no name breaks one."""
import csv
import functools
import io
import json
import os
import re
import subprocess

import pytest

from rendering import needs
from sides_readers import COMPARE, TREND
from test_numbers import agrees, at

RENDER = os.path.join(os.environ["LRTBF_BUILD"], "tests", "formats", "render-sides")
READERS = {"compare": COMPARE, "trend": TREND}
# cases with so many numbers at least, in each format that has tables
RICH = {("compare", "repeats"): 30, ("compare", "ordinary"): 30, ("trend", "hundred"): 10}


def words(kind, option):
    return subprocess.run([RENDER, kind, option], check=True, capture_output=True, text=True).stdout.split()


CASES = [(kind, form, case) for kind in READERS for form in words(kind, "--formats")
         for case in words(kind, "--cases")]


@functools.lru_cache(maxsize=None)
def render(kind, form, case):
    done = subprocess.run([RENDER, kind, form, case], capture_output=True)
    assert done.returncode == 0 and done.stderr == b"", (kind, form, case, done)
    return done.stdout.decode("utf-8")


@pytest.mark.parametrize("kind", READERS)
def test_every_format_is_read(kind):
    assert sorted(READERS[kind]) == sorted(words(kind, "--formats")), \
        "a new format needs its reader in sides_readers.py"


@pytest.mark.parametrize("kind, form, case", CASES)
def test_numbers(kind, form, case):
    whole, n = json.loads(render(kind, "json", case)), 0
    for place, printed, unit, *rounding in READERS[kind][form](render(kind, form, case), whole):
        value = at(whole, place)
        if printed is None:
            assert value is None, (place, value)
            continue
        n += 1
        assert value is not None, (place, printed)
        assert agrees(int(value) if value is False else value, printed, unit, *rounding), \
            (place, value, printed)
    if form not in ("json", "svg"):
        assert n >= RICH.get((kind, case), 0)


def check_plain(data):
    """Lines that no terminal and no reader takes apart."""
    assert not re.search("[\0-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\ufffe\uffff]", data)


def check_xml(data, option=()):
    needs("xmllint")
    done = subprocess.run(["xmllint", "--noout", "--nonet", *option, "-"], input=data.encode(),
                          capture_output=True)
    assert done.returncode == 0, done.stderr


def check_csv(data):
    rows = list(csv.reader(io.StringIO(data, newline="")))
    assert {len(r) for r in rows} == {len(rows[0])}


def check_markdown(data):
    needs("cmark-gfm")
    page = subprocess.run(["cmark-gfm", "-e", "table", "-e", "strikethrough", "--unsafe"], check=True,
                          input=data.encode(), capture_output=True).stdout.decode()
    check_plain(data)
    assert not re.search("<(script|b|a|img|em|del|code)[ >]", page)
    for table in re.findall("<table>.*?</table>", page, re.S):
        widths = {len(re.findall("<t[hd][ >]", row)) for row in re.findall("<tr>.*?</tr>", table, re.S)}
        assert len(widths) == 1


CHECKS = {"json": lambda data: json.loads(data), "csv": check_csv, "text": check_plain, "svg": check_xml,
          "html": check_xml, "markdown": check_markdown}


@pytest.mark.parametrize("kind, form, case", CASES)
def test_readers_take_it(kind, form, case):
    CHECKS[form](render(kind, form, case))
