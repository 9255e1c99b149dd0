# SPDX-License-Identifier: GPL-2.0-or-later
"""markdown as the renderer of GitHub and GitLab shows it."""
import re
import subprocess
import xml.etree.ElementTree as etree

import pytest

from readers import clean
from rendering import HOSTILE, SAMPLES, needs, report, text

SPACE = "{http://commonmark.org/xml/1.0}"
ALLOWED = {"document", "heading", "paragraph", "text", "strong", "list", "item", "softbreak",
           "html_inline", "table", "table_header", "table_row", "table_cell"}


def tree(sample):
    needs("cmark-gfm")
    out = subprocess.run(["cmark-gfm", "-e", "table", "-e", "strikethrough", "-e", "autolink", "--to",
                          "xml"], input=text(sample, "markdown").encode(), check=True,
                         capture_output=True).stdout
    return etree.fromstring(re.sub(rb"<!DOCTYPE[^>]*>", b"", out))


def shown(element):
    return "".join(e.text or "" for e in element.iter(SPACE + "text"))


@pytest.mark.parametrize("sample", SAMPLES)
def test_renders(sample):
    for element in tree(sample).iter():
        name = element.tag.replace(SPACE, "")
        if name == "link":  # an address in a label is one to trackers, too
            assert element.get("destination").startswith("http"), element.attrib
            continue
        assert name in ALLOWED, name
        if name == "html_inline":
            assert element.text == "<!-- -->"


@pytest.mark.parametrize("sample", SAMPLES)
def test_tables_are_whole(sample):
    for table in tree(sample).iter(SPACE + "table"):
        rows = list(table)
        width = len(rows[0])
        assert width >= 2 and all(len(row) == width for row in rows)
        assert len(rows) > 1


@pytest.mark.parametrize("sample", HOSTILE)
def test_names_show_as_they_are(sample):
    whole, root = report(sample), tree(sample)
    cells = [shown(c) for c in root.iter(SPACE + "table_cell")]
    label = clean(whole["session"]["label"]).strip()
    if label:
        assert re.sub(" +", " ", label) in [re.sub(" +", " ", c).strip() for c in cells]
    bold = [shown(b) for b in root.iter(SPACE + "strong")]
    assert set(bold) <= {"fail", "Inconclusive:", "Warning:", "inconclusive"}


def test_calls_nobody():
    assert not re.search(r"@\w", text("hostile-10", "markdown"))
    assert not re.search(r"#\d", text("hostile-10", "markdown"))


def test_fits_into_a_comment():
    for sample in SAMPLES:
        assert len(text(sample, "markdown")) < 65536
    assert "the 16 of 256 with the largest maximum" in text("wide", "markdown")
