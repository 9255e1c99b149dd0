# SPDX-License-Identifier: GPL-2.0-or-later
"""hgrm beside what HdrHistogram's own library prints of the same buckets (fixtures/hgrm/README)."""
import os
from decimal import Decimal

import pytest

from hgrm_values import values
from readers import hgrm_rows
from rendering import report, text

FIXTURES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "fixtures", "hgrm")


def fixture(name):
    with open(os.path.join(FIXTURES, name)) as f:
        return f.read()


@pytest.mark.parametrize("sample", ["idle", "hell"])
def test_rows(sample):
    kept = [tuple(map(int, line.split())) for line in fixture(f"{sample}.values").splitlines()]
    assert kept == values(report(sample)), "the sample changed: fixtures/hgrm/README"
    theirs, ours = (list(hgrm_rows(t)) for t in (fixture(f"{sample}.hgrm"), text(sample, "hgrm")))
    assert len(theirs) == len(ours) > 50
    for a, b in zip(theirs, ours):
        assert len(a) == len(b) and a[2] == b[2]
        for x, y, near in zip(a, b, ("0.005", "1e-12", "0", "0.01")):
            assert abs(Decimal(x) - Decimal(y)) <= Decimal(near), (a, b)
        # the same number with more digits
        assert Decimal(a[0]) == Decimal(b[0]).quantize(Decimal(a[0]))


@pytest.mark.parametrize("sample", ["idle", "hell"])
def test_frame(sample):
    theirs, ours = fixture(f"{sample}.hgrm").splitlines(), text(sample, "hgrm").splitlines()
    assert theirs[:2] == ours[:2]
    foot = [line for line in ours if line.startswith("#[")]
    assert [line.split("=")[0] for line in foot] == [line.split("=")[0] for line in theirs[-3:]]
    # from the edges of buckets there, exact here: both within a bucket's width
    for a, b in zip(theirs[-3:-1], foot[:2]):
        x, y = (Decimal(line.split("=")[1].split(",")[0]) for line in (a, b))
        assert y <= x <= y * (1 + Decimal(1) / 60)
    assert any("upper edges" in line for line in ours if line.startswith("# "))


def test_known_in_part_ends_early():
    rows = list(hgrm_rows(text("open", "hgrm")))
    summary = report("open")["session"]["summary"]
    assert rows and Decimal(rows[-1][1]) < 1
    assert int(rows[-1][2]) <= summary["count"] - summary["unplaced"]["count"]
    for sample in ("stated", "unplaced", "silent"):
        assert list(hgrm_rows(text(sample, "hgrm"))) == []
        assert "# There is no distribution" in text(sample, "hgrm")
