# SPDX-License-Identifier: GPL-2.0-or-later
"""lava as LAVA's dispatcher takes it apart: a signal up to its first ">", at blanks, each part at its one "="."""
import re
from decimal import Decimal

import pytest

from outcomes import check_outcomes
from rendering import HOSTILE, SAMPLES, report, text

WORDS = {"pass": "pass", "fail": "fail", "skip": "skip", "unknown": "inconclusive"}


def dispatched(data):
    """A list of {"test_case_id", "result"[, "measurement", "units"]}."""
    results = []
    for name, params in re.findall(r"<LAVA_SIGNAL_(\S+) ([^>]+)>", data):
        assert name == "TESTCASE"
        parts = [p.split("=") for p in params.split()]
        assert all(len(p) == 2 for p in parts)
        results.append({key.lower(): value for key, value in parts})
    return results


@pytest.mark.parametrize("sample", SAMPLES)
def test_signals(sample):
    data, whole = text(sample, "lava"), report(sample)
    results = dispatched(data)
    assert len(results) == len(data.splitlines())
    ids = [r["test_case_id"] for r in results]
    assert len(set(ids)) == len(ids)
    for r in results:
        assert re.fullmatch(r"[A-Za-z0-9._-]+", r["test_case_id"])
        assert r["result"] in WORDS
        if "measurement" in r:
            number = Decimal(r["measurement"])
            digits = number.as_tuple()
            # what its database has room for
            assert abs(number) < 10**10 and -digits.exponent <= 10
            assert r["units"]
    cases = 1 + len(whole["stages"]) + sum(len(s["limits"]) for s in whole["stages"])
    check_outcomes(whole, [WORDS[r["result"]] for r in results[:cases]])
    # a mere figure fails nothing, and passes nothing that is in doubt
    for r in results[cases:]:
        assert r["result"] in ("pass", "unknown")


def test_doubt_is_unknown():
    results = {r["test_case_id"]: r["result"] for r in dispatched(text("hell", "lava"))}
    assert results["none.max"] == results["none.p99"] == "pass"
    assert results["hd.max"] == "fail" and results["hd.p99"] == "pass"
    assert results["hackbench.measured"] == results["hackbench.max"] == "unknown"


def test_ids_stay():
    """The same plan has the same ids, whatever came out."""
    a, b = ([r["test_case_id"] for r in dispatched(text(s, "lava"))] for s in ("silent-cpu", "running"))
    assert {"none.measured", "none.max", "none.avg", "session"} <= set(a) & set(b)


@pytest.mark.parametrize("sample", HOSTILE)
def test_only_our_signals(sample):
    """A name with a signal in it makes none."""
    for line in text(sample, "lava").splitlines():
        assert line.startswith("<LAVA_SIGNAL_TESTCASE TEST_CASE_ID=") and line.endswith(">")
        assert line.count("<") == line.count(">") == 1
    if sample == "hostile":
        return  # the ordinary one has no limits
    whole = report(sample)
    failed = sum(limit["broken"] for s in whole["stages"] for limit in s["limits"])
    assert [r["result"] for r in dispatched(text(sample, "lava"))].count("fail") == failed == 2
